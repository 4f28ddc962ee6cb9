//! What the model would be told. Nothing is stored and no model is asked: the same prompt is built, and shown.

use crate::{
    agents::AgentFields,
    calls::system_functions::Function,
    claim::{
        opening::IncomingWords,
        turn_context::{MANAGE_KNOWLEDGE, tells_knowledge},
    },
    engine::Engine,
    error::{Error, Result},
    model::ask,
    worker::build_prompt::read,
};
use capability::{HookContext, Resolved};
use domain::{
    AgentId, PromptNode, Role, Session, SessionId, Source, Timestamp, ToolSpec, TurnId, User, UserId,
};
use prompt::{
    Background, Composed, Composer, History, Names, Pictures, ToldMessage, input_label::TYPED,
    provenance_label::Declared, token_count,
};
use provider::{AssistantPart, Model, PromptMessage, UserPart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{DataKey, Tx};

const TEXT_BYTES: usize = 1 << 20;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PreviewQuestion {
    /// What a person would say next; nothing when it is empty.
    pub text: String,
    /// In this conversation; absent: in a new one.
    pub session_id: Option<SessionId>,
    /// At this time; absent: now.
    pub at: Option<Timestamp>,
    /// As if the agent had been changed like this; nothing of it is saved.
    pub changes: Option<Box<AgentFields>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Preview {
    /// `provider/model`.
    pub model: String,
    /// The tree after everything that changes it.
    pub nodes: Vec<NodeView>,
    /// The messages that it becomes.
    pub messages: Vec<FlatMessage>,
    /// The tools that the model is told of beside the messages.
    pub tools: Vec<ToolSpec>,
    /// The body of the request, exactly as it would be sent; null for a model that is not sent anything.
    pub request: Option<String>,
    /// Of the messages together, as far as can be told beforehand.
    pub tokens: u64,
    /// What the model can take, the answer included.
    pub window: u64,
    /// What did not work: modifiers without a target, hooks and abilities that failed, or for which there was no room.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NodeView {
    pub id: String,
    pub caption: String,
    pub role: Option<Role>,
    pub text: String,
    pub enabled: bool,
    pub tags: Vec<String>,
    pub source: Vec<String>,
    /// Of its own words, without its children's.
    pub tokens: u64,
    #[schemars(example = Vec::<NodeView>::new())]
    pub children: Vec<NodeView>,
}

/// One message as the model is told it, in words.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FlatMessage {
    pub role: Role,
    pub content: String,
    /// The names of the tools that it calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

/// Words as their person would type them.
fn typed(text: String) -> IncomingWords {
    IncomingWords { text, attachments: Vec::new(), sender: None, asker: None, label: TYPED, model: None }
}

impl Engine {
    pub async fn preview_prompt(&self, user: UserId, id: AgentId, asked: PreviewQuestion) -> Result<Preview> {
        let mut agent = self.editable_agent(user, id).await?;
        if let Some(changes) = asked.changes {
            self.apply(user, &mut agent, *changes).await?;
        }
        if asked.text.len() > TEXT_BYTES {
            return Err(Error::TooLarge("text is too long. The limit is 1 MB.".to_owned()));
        }
        let session = match asked.session_id {
            Some(session) => Some(self.session(user, session).await?),
            None => None,
        };
        let resolved = self.registry_of(&agent).await?.resolve(&agent.capabilities, &agent.allowed_tools);
        let resolved = resolved.map_err(|error| Error::invalid("bad_capabilities", error.to_string()))?;
        let model = self.models().resolve(agent.model.as_deref());
        let model = model.map_err(|error| Error::invalid("unknown_model", error.detail))?;
        let (turn_id, at) =
            (TurnId::from_uuid(self.inner.ids.uuid()), asked.at.unwrap_or_else(|| self.now()));
        let key = self.store().data_key(user).await?;
        let (mut history, person) = self.conversation(user, asked.session_id, turn_id, &key, &model).await?;
        if !asked.text.trim().is_empty() {
            history.messages.push(self.user_message(turn_id, typed(asked.text), at));
        }
        let pictures = self.pictures(user, &key, &model, &history.messages).await?;
        let context = HookContext {
            user_id: user,
            session_id: asked.session_id,
            turn_id,
            agent_id: agent.id,
            source: Source::Web,
            step: 1,
            at,
            time_zone: person.time_zone.clone(),
            settings: Default::default(),
            messages: Arc::default(),
        };
        let reader = (session.as_ref(), &resolved);
        let knowledge = self.knowledge_preview(user, reader, &key, &model, at).await?;
        let place = session.as_ref().map(|session| (session.id, session.name.as_deref()));
        let composer = Composer {
            agent: &agent,
            resolved: &resolved,
            model: &model,
            custom_prompt: &self.custom_prompt(),
            functions: &Function::lines(),
            hook_time: self.inner.settings.prompt.hook_time,
            declared: Declared::default(),
            narrowed: None,
            context,
            values: prompt::placeholder_values(user, Some(&person.name), place),
            names: Names {
                person: Some(person.name.clone()),
                session: session.as_ref().and_then(|session| Some((session.name.clone()?, session.label))),
            },
            background: self.background(&model, session.as_ref(), &person, knowledge).await?,
            began: session.as_ref().map_or(at, |session| session.created_at),
            shown: true,
        };
        shown(&composer, history, &pictures).await
    }

    /// What the person has written for more than this conversation.
    async fn background(
        &self,
        model: &Model,
        session: Option<&Session>,
        person: &User,
        knowledge: String,
    ) -> Result<Background> {
        let about_me = person.about_me.clone();
        let Some(folder) = session.and_then(|session| session.keeping.folder_id) else {
            return Ok(Background { about_me, knowledge, ..Background::default() });
        };
        let (user, key) = (person.id, self.store().data_key(person.id).await?);
        let files = self.folder_files_for_model(user, &key, model, folder).await?;
        Ok(Background { about_me, folder: Some(self.folder(user, folder).await?.text), files, knowledge })
    }

    /// As of what is stored, and at this time.
    async fn knowledge_preview(
        &self,
        user: UserId,
        (session, resolved): (Option<&Session>, &Resolved),
        key: &DataKey,
        model: &Model,
        at: Timestamp,
    ) -> Result<String> {
        let tells = match session {
            Some(session) => tells_knowledge(session, resolved),
            None => resolved.tool(MANAGE_KNOWLEDGE).is_some(),
        };
        if !tells {
            return Ok(String::new());
        }
        let key = key.clone();
        let known = self.store().read(move |tx: &mut Tx| store::knowledge::told(tx, &key, user, at)).await?;
        Ok(self.knowledge_words(&known, model, at))
    }

    /// What was said so far, and whose session it is or would be.
    async fn conversation(
        &self,
        user: UserId,
        session: Option<SessionId>,
        turn: TurnId,
        key: &DataKey,
        model: &Model,
    ) -> Result<(History, User)> {
        let Some(session) = session else {
            let nothing_said = History { complete: true, ..History::default() };
            return Ok((nothing_said, self.people().user(user).await?));
        };
        let (key, vault, bytes) = (key.clone(), self.store().vault().clone(), prompt::bytes(model));
        let read = move |tx: &mut Tx| read(tx, &vault, &key, (user, session, turn), bytes, true);
        let (history, person) = self.store().read(read).await?;
        match person {
            Some(person) => Ok((history, person)),
            None => Ok((history, self.people().user(user).await?)),
        }
    }
}

async fn shown(composer: &Composer<'_>, history: History, pictures: &Pictures) -> Result<Preview> {
    let model = composer.model;
    let composed = composer.compose(history, pictures).await;
    let warnings = composed.warnings();
    let Composed { mut request, tree, told, .. } = composed;
    let tokens = token_count::of_messages(model, &request.messages);
    ask::cap_output(&mut request, model, composer.agent.limits.output_tokens);
    let body = model.body(&request).map_err(|_| Error::Internal)?;
    Ok(Preview {
        model: model.id().to_owned(),
        nodes: tree.into_iter().map(|node| view(model, node, &told)).collect(),
        messages: request.messages.iter().map(flat).collect(),
        request: body,
        tokens,
        window: model.window(),
        warnings,
        tools: request.tools.into_iter().map(Arc::unwrap_or_clone).collect(),
    })
}

fn view(model: &Model, node: PromptNode, told: &[ToldMessage]) -> NodeView {
    let tokens = token_count::of_node(model, &node, told);
    let PromptNode { id, caption, role, text, enabled, tags, children, source, .. } = node;
    let children = children.into_iter().map(|child| view(model, child, told)).collect();
    NodeView { id, caption, role, text, enabled, tags, source, tokens, children }
}

fn flat(message: &PromptMessage) -> FlatMessage {
    let (role, content, calls) = match message {
        PromptMessage::System { text } => (Role::System, text.to_string(), Vec::new()),
        PromptMessage::User { parts } => {
            let words = |part: &UserPart| match part {
                UserPart::Text(text) => text.clone(),
                UserPart::Image { .. } => "[picture]".to_owned(),
            };
            (Role::User, parts.iter().map(words).collect::<Vec<_>>().join("\n\n"), Vec::new())
        }
        PromptMessage::Assistant { parts } => {
            let words: String = parts.iter().filter_map(AssistantPart::text).collect();
            let calls = parts.iter().filter_map(AssistantPart::call).map(|call| call.name.clone());
            (Role::Assistant, words, calls.collect())
        }
        PromptMessage::Tool { content, .. } => (Role::Tool, content.clone(), Vec::new()),
    };
    FlatMessage { role, content, calls }
}
