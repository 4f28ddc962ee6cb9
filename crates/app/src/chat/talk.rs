//! Who speaks with whom: the house, the agent and the session.

use super::request::Request as Waits;
use crate::{
    assemble::Stay,
    cmd::user::{NewUser, add},
    context::Context,
    control::{Client, House, Request, open},
    error::{Error, Result, advised},
};
use domain::{
    Agent, Approval, ApprovalDecision, Question, QuestionId, RuleScope, SessionId, TurnId, UserRole,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

const OWNER_ATTEMPTS: u32 = 20;
const OWNER_PAUSE: Duration = Duration::from_millis(50);
/// Agents that work for agents; errands are bounded below it.
const DEEPEST: usize = 16;

/// An agent as the API shows it; only what the terminal needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentView {
    pub id: String,
    pub name: String,
    /// It is another person's.
    pub shared: bool,
    pub model: Option<String>,
}

pub struct Talk {
    pub context: Context,
    house: Option<House>,
    pub agent: AgentView,
    /// None until the first message: a conversation that was not begun leaves no trace.
    pub session: Option<SessionId>,
}

/// Which conversation is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedTalk {
    New,
    /// The one in which something was said last; with an agent, of those with it.
    Newest,
    One(SessionId),
}

impl Talk {
    /// `owner` gives the owner's name if there is none yet.
    pub async fn begin(
        context: Context,
        agent: Option<&str>,
        wanted: WantedTalk,
        owner: impl Fn() -> Result<String>,
    ) -> Result<Self> {
        loop {
            let mut house = open(&context, Stay::Long).await?;
            match prepare(&mut house, agent, wanted, &owner).await {
                Ok((agent, session)) => return Ok(Self { context, house: Some(house), agent, session }),
                // The process that did the work was about to end; nothing here is done twice.
                Err(error) if error.is_untouched() || matches!(error, Error::Disconnected(_)) => {
                    house.close().await
                }
                Err(error) => {
                    house.close().await;
                    return Err(error);
                }
            }
        }
    }

    pub async fn close(mut self) {
        if let Some(house) = self.house.take() {
            house.close().await;
        }
    }

    pub fn client(&self) -> Result<&Client> {
        self.house.as_ref().map(|house| &house.client).ok_or_else(|| Error::disconnected("it was closed"))
    }

    /// After the connection broke. Runs to its end: half an engine must not be left behind.
    pub async fn reconnect(&mut self) -> Result<()> {
        if let Some(gone) = self.house.take() {
            gone.close().await;
        }
        let mut house = open(&self.context, Stay::Long).await?;
        house.discovered().await;
        self.house = Some(house);
        Ok(())
    }

    /// The session, made now if there is none yet.
    pub async fn session(&mut self) -> Result<SessionId> {
        if let Some(session) = self.session {
            return Ok(session);
        }
        let request = Request::post("/v1/sessions", json!({ "agent_id": self.agent.id }));
        let made = self.client()?.ask(request).await?;
        let id = id_of(&made)?;
        self.session = Some(id);
        Ok(id)
    }

    pub async fn fetch_session(&self, id: SessionId) -> Result<Value> {
        fetch_session(self.client()?, id).await
    }

    /// Runs what was typed with a slash before it.
    pub async fn command(&self, line: &str) -> Result<Value> {
        let body = json!({ "line": line, "session_id": self.session });
        self.client()?.ask(Request::post("/v1/commands", body)).await
    }

    /// What can be typed so.
    pub async fn commands(&self) -> Result<Value> {
        self.client()?.ask(Request::get("/v1/help?category=commands&detailed=true")).await
    }

    /// Stops what runs in the session.
    pub async fn stop(&self) -> Result<bool> {
        let Some(session) = self.session else { return Ok(false) };
        let answer =
            self.client()?.ask(Request::post(format!("/v1/sessions/{session}/abort"), json!({}))).await?;
        Ok(answer.get("turn_id").is_some_and(|turn| !turn.is_null()))
    }

    /// Goes on with another session.
    pub async fn switch(&mut self, id: SessionId) -> Result<Value> {
        let session = self.fetch_session(id).await?;
        self.agent = agent_by_id(self.client()?, string(&session, "agent_id")).await?;
        self.session = Some(id);
        Ok(session)
    }

    /// The newest messages of the session, oldest first.
    pub async fn messages(&self, limit: u32) -> Result<Vec<Value>> {
        let Some(session) = self.session else { return Ok(Vec::new()) };
        let list = self
            .client()?
            .ask(Request::get(format!("/v1/sessions/{session}/messages?limit={limit}")))
            .await?;
        Ok(list.get("items").and_then(Value::as_array).cloned().unwrap_or_default())
    }

    /// What waits for its person in this session, the oldest first.
    pub async fn requests(&self) -> Result<Vec<Waits>> {
        let Some(session) = self.session else { return Ok(Vec::new()) };
        let waits = self.all_requests().await?;
        Ok(waits.into_iter().filter(|request| request.session_id() == session).collect())
    }

    /// What waits for its person in sessions of agents that work for this one, the oldest first.
    pub async fn requests_below(&self) -> Result<Vec<Waits>> {
        let mut below = Vec::new();
        for request in self.all_requests().await? {
            if self.is_below(request.session_id()).await? {
                below.push(request);
            }
        }
        Ok(below)
    }

    async fn is_below(&self, mut session: SessionId) -> Result<bool> {
        for _ in 0..DEEPEST {
            let found = self.fetch_session(session).await?;
            match string(&found, "parent_id").parse() {
                Ok(parent) if Some(parent) == self.session => return Ok(true),
                Ok(parent) => session = parent,
                Err(_) => break,
            }
        }
        Ok(false)
    }

    async fn all_requests(&self) -> Result<Vec<Waits>> {
        let questions = self.open::<Question>("/v1/questions?limit=100").await?.into_iter();
        let questions = questions.map(|question| Waits::Question(Box::new(question)));
        let approvals = self.open::<Approval>("/v1/approvals?limit=100").await?.into_iter();
        let approvals = approvals.map(|approval| Waits::Approval(Box::new(approval)));
        let mut waits: Vec<Waits> = questions.chain(approvals).collect();
        waits.sort_by_key(Waits::since);
        Ok(waits)
    }

    async fn open<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>> {
        let list = self.client()?.ask(Request::get(path)).await?;
        let items = list.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        Ok(items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect())
    }

    /// Says yes or no to exactly this.
    pub async fn answer(
        &self,
        approval: &Approval,
        decision: ApprovalDecision,
        scope: RuleScope,
        reason: Option<String>,
    ) -> Result<()> {
        let digest = &approval.digest;
        let body = json!({ "decision": decision, "scope": scope, "digest": digest, "reason": reason });
        self.client()?.ask(Request::post(format!("/v1/approvals/{}", approval.id), body)).await.map(drop)
    }

    /// The last thing the agent said in a turn.
    pub async fn reply(&self, turn: TurnId) -> Result<Value> {
        let turn = turn.to_string();
        let is_reply =
            |message: &Value| string(message, "role") == "assistant" && string(message, "turn_id") == turn;
        Ok(self.messages(100).await?.into_iter().rev().find(is_reply).unwrap_or_default())
    }

    /// The model that will answer: the conversation's, else the agent's, else the default model.
    pub async fn model(&self) -> Result<String> {
        let chosen = match self.session {
            Some(session) => self.fetch_session(session).await?.get("model").cloned(),
            None => None,
        };
        let chosen = chosen.and_then(|model| model.as_str().map(str::to_owned));
        if let Some(model) = chosen.or_else(|| self.agent.model.clone()) {
            return Ok(model);
        }
        match self.client()?.ask(Request::get("/v1/models/default")).await {
            Ok(found) => Ok(string(&found, "model").to_owned()),
            // Guests may not list the models.
            Err(error) if error.has_code("role_insufficient") => Ok("of the agent".to_owned()),
            Err(error) => Err(error),
        }
    }
}

async fn prepare(
    house: &mut House,
    agent: Option<&str>,
    wanted: WantedTalk,
    owner: impl Fn() -> Result<String>,
) -> Result<(AgentView, Option<SessionId>)> {
    match house.client.ask(Request::get("/v1/me")).await {
        Err(error) if error.has_code("no_owner") => create_owner(&house.client, owner()?).await?,
        other => drop(other?),
    }
    house.discovered().await;
    let client = &house.client;
    match wanted {
        WantedTalk::One(session) => Ok((agent_of(client, session, agent).await?, Some(session))),
        WantedTalk::New => Ok((agent_by_name(client, agent.unwrap_or(Agent::MAIN)).await?, None)),
        WantedTalk::Newest => newest(client, agent).await,
    }
}

async fn agent_of(client: &Client, session: SessionId, wanted: Option<&str>) -> Result<AgentView> {
    let found = fetch_session(client, session).await?;
    let agent = agent_by_id(client, string(&found, "agent_id")).await?;
    match wanted {
        Some(name) if name != agent.name => Err(advised(
            format!("The conversation {session} is with the agent {}, not with {name}.", agent.name),
            "Leave out --agent, or leave out --session to start a new conversation.",
        )),
        _ => Ok(agent),
    }
}

async fn newest(client: &Client, agent: Option<&str>) -> Result<(AgentView, Option<SessionId>)> {
    let mut path = "/v1/sessions?limit=1&kind=own".to_owned();
    let named = match agent {
        Some(name) => Some(agent_by_name(client, name).await?),
        None => None,
    };
    if let Some(agent) = &named {
        path.push_str(&format!("&agent_id={}", agent.id));
    }
    let list = client.ask(Request::get(path)).await?;
    let Some(session) = list.get("items").and_then(Value::as_array).and_then(|items| items.first()) else {
        let with = agent.map(|name| format!(" with the agent {name}")).unwrap_or_default();
        return Err(advised(
            format!("You have no conversation{with} to continue."),
            "Leave out --continue to start one.",
        ));
    };
    let agent = match named {
        Some(agent) => agent,
        None => agent_by_id(client, string(session, "agent_id")).await?,
    };
    Ok((agent, Some(id_of(session)?)))
}

async fn create_owner(client: &Client, name: String) -> Result<()> {
    let new = NewUser { name, role: UserRole::Owner, password: None, time_zone: None };
    let taken = match add(client, &new).await {
        Err(error) if error.has_code("user_exists") => error,
        other => return other.map(drop),
    };
    // Another process was quicker, and its owner may be a moment away from being seen.
    for _ in 0..OWNER_ATTEMPTS {
        match client.ask(Request::get("/v1/me")).await {
            Err(error) if error.has_code("no_owner") => tokio::time::sleep(OWNER_PAUSE).await,
            other => return other.map(drop),
        }
    }
    Err(taken)
}

async fn fetch_session(client: &Client, id: SessionId) -> Result<Value> {
    match client.ask(Request::get(format!("/v1/sessions/{id}"))).await {
        Err(Error::Problem { status: 404, .. }) => Err(advised(
            format!("There is no conversation {id}."),
            "`/sessions` in `majordomo chat` lists your conversations. Leave out --session to start a new one.",
        )),
        other => other,
    }
}

async fn agent_by_id(client: &Client, id: &str) -> Result<AgentView> {
    Ok(view(&client.ask(Request::get(format!("/v1/agents/{id}"))).await?))
}

async fn agent_by_name(client: &Client, name: &str) -> Result<AgentView> {
    let mut path = "/v1/agents?limit=100".to_owned();
    let mut names = Vec::new();
    // One's own comes before one of the same name that another person shares.
    let mut others: Vec<AgentView> = Vec::new();
    loop {
        let page = client.ask(Request::get(path)).await?;
        let agents: Vec<AgentView> =
            page.get("items").and_then(Value::as_array).into_iter().flatten().map(view).collect();
        let (own, shared): (Vec<&AgentView>, _) =
            agents.iter().filter(|agent| agent.name == name).partition(|agent| !agent.shared);
        if let Some(found) = own.first() {
            return Ok((*found).clone());
        }
        others.extend(shared.into_iter().cloned());
        names.extend(agents.into_iter().map(|agent| agent.name));
        match string(&page, "next_cursor") {
            "" => break,
            cursor => path = format!("/v1/agents?limit=100&cursor={cursor}"),
        }
    }
    match others.into_iter().next() {
        Some(shared) => Ok(shared),
        None => Err(advised(
            format!("There is no agent called {name}."),
            format!("Your agents are: {}.", names.join(", ")),
        )),
    }
}

fn view(agent: &Value) -> AgentView {
    AgentView {
        id: string(agent, "id").to_owned(),
        name: string(agent, "name").to_owned(),
        shared: agent.get("shared_by").is_some(),
        model: agent.get("model").and_then(Value::as_str).map(str::to_owned),
    }
}

fn string<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn id_of(session: &Value) -> Result<SessionId> {
    string(session, "id")
        .parse()
        .map_err(|_| Error::disconnected("the server sent an answer without a conversation id"))
}

/// A session id a person typed.
pub fn parse_session(text: &str) -> Result<SessionId> {
    text.trim().parse().map_err(|_| {
        advised(
            format!("`{text}` is not the id of a conversation."),
            "An id looks like session_0198c0de…; `/sessions` in `majordomo chat` lists your conversations.",
        )
    })
}

/// The id of a question, as the program told it.
pub fn parse_question(text: &str) -> Result<QuestionId> {
    text.trim().parse().map_err(|_| {
        advised(format!("`{text}` is not the id of a question."), "An id looks like question_0198c0de…")
    })
}

/// Whether something runs in it now.
pub fn is_working(session: &Value) -> bool {
    string(session, "status") == "working"
}
