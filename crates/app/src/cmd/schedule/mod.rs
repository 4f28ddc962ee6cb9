//! `majordomo schedule`: what the agents of the user do at set times.

mod due;

use self::due::{due_words, read_when};
use super::{items, say, text, within};
use crate::{
    cli::{AddArguments, PlaceArgument, ScheduleCommand},
    context::Context,
    control::{Client, House, Request},
    error::{Result, advised},
    terminal::{neutral, one_line, table},
};
use domain::When;
use serde_json::{Value, json};

/// How much of what an agent is to do is shown in a list.
const SHOWN_CHARS: usize = 40;

pub async fn run(context: Context, command: ScheduleCommand) -> Result<()> {
    match command {
        ScheduleCommand::List => list(&context).await,
        ScheduleCommand::Add(new) => told(&context, "was added", &add(&context, &new).await?),
        ScheduleCommand::Show { schedule } => {
            let look = async |house: &House| {
                let (found, home) = find(&house.client, &schedule).await?;
                let runs = runs(&house.client, &found, 20).await?;
                let agent =
                    house.client.ask(Request::get(format!("/v1/agents/{}", text(&found, "agent_id")))).await;
                Ok((found, home, runs, agent.ok()))
            };
            let (found, home, runs, agent) = within(&context, look).await?;
            show(&context, (&found, &home), &runs, agent.as_ref())
        }
        ScheduleCommand::Pause { schedule } => {
            told(&context, "is paused", &turned(&context, &schedule, "pause").await?)
        }
        ScheduleCommand::Resume { schedule } => {
            told(&context, "comes again", &turned(&context, &schedule, "resume").await?)
        }
        ScheduleCommand::Runs { schedule, limit } => {
            let look = async |house: &House| {
                let (found, home) = find(&house.client, &schedule).await?;
                let runs = runs(&house.client, &found, limit).await?;
                Ok((runs, home))
            };
            let (runs, home) = within(&context, look).await?;
            list_runs(&context, &runs, &home)
        }
        ScheduleCommand::Remove { schedule } => {
            let remove = async |house: &House| {
                let (found, _) = find(&house.client, &schedule).await?;
                house.client.ask(Request::delete(path(&found, ""))).await?;
                Ok(found)
            };
            let found = within(&context, remove).await?;
            if context.json {
                return say(&found.to_string());
            }
            say(&format!("Schedule {} was deleted: {}", found["number"], title(&found)))
        }
    }
}

/// Makes it, and says in which time zone its person lives.
async fn add(context: &Context, new: &AddArguments) -> Result<(Value, String)> {
    let missed = if new.skip_missed { "skip" } else { "one" };
    let add = async |house: &House| {
        let home = home(&house.client).await?;
        let when = read_when(&new.when, &home)?;
        let mut body = json!({ "note": new.note, "when": when, "missed": missed, "max_runs": new.max_runs });
        match &new.session {
            Some(id) => (body["place"], body["session_id"]) = ("here".into(), id.clone().into()),
            None => {
                let found = super::agent::find(&house.client, new.agent.as_deref().unwrap_or("main")).await?;
                body["place"] = if new.place == PlaceArgument::Own { "own" } else { "fresh" }.into();
                body["agent_id"] = text(&found, "id").into();
            }
        }
        Ok((house.client.ask(Request::post("/v1/schedules", body)).await?, home))
    };
    within(context, add).await
}

/// The time zone of the person, whose clock is meant.
async fn home(client: &Client) -> Result<String> {
    Ok(text(&client.ask(Request::get("/v1/me")).await?, "time_zone").to_owned())
}

async fn all(client: &Client) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    let mut path = "/v1/schedules?limit=100".to_owned();
    loop {
        let page = client.ask(Request::get(&path)).await?;
        found.extend(items(&page).iter().cloned());
        match text(&page, "next_cursor") {
            "" => return Ok(found),
            cursor => path = format!("/v1/schedules?limit=100&cursor={cursor}"),
        }
    }
}

async fn find(client: &Client, wanted: &str) -> Result<(Value, String)> {
    let number = wanted.trim_start_matches('#').parse::<u64>().ok();
    let is_it =
        |one: &&Value| text(one, "id") == wanted || (number.is_some() && one["number"].as_u64() == number);
    let found = all(client).await?.iter().find(is_it).cloned().ok_or_else(|| {
        advised(format!("There is no schedule `{wanted}`."), "`majordomo schedule list` shows all schedules.")
    })?;
    Ok((found, home(client).await?))
}

fn path(schedule: &Value, action: &str) -> String {
    format!("/v1/schedules/{}{action}", text(schedule, "id"))
}

async fn runs(client: &Client, schedule: &Value, limit: u8) -> Result<Value> {
    client.ask(Request::get(path(schedule, &format!("/runs?limit={limit}")))).await
}

async fn turned(context: &Context, schedule: &str, action: &str) -> Result<(Value, String)> {
    let turn = async |house: &House| {
        let (found, home) = find(&house.client, schedule).await?;
        let turned = house.client.ask(Request::post(path(&found, &format!("/{action}")), json!({}))).await?;
        Ok((turned, home))
    };
    within(context, turn).await
}

/// What was understood is said back, with the place whose clock is meant.
fn told(context: &Context, what: &str, (schedule, home): &(Value, String)) -> Result<()> {
    if context.json {
        return say(&schedule.to_string());
    }
    let next = match text(schedule, "next_at") {
        "" => String::new(),
        at => format!(" Next: {}.", due_words(at, home)),
    };
    say(&format!("Schedule {} {what}: {}.{next}", schedule["number"], when_words(schedule, home)))
}

fn when_words(schedule: &Value, home: &str) -> String {
    serde_json::from_value(schedule["when"].clone())
        .map_or_else(|_| "?".to_owned(), |when: When| when.describe(home))
}

/// How it begins, in one line.
fn title(schedule: &Value) -> String {
    let line = text(schedule, "note").trim().lines().next().unwrap_or_default();
    one_line(line, SHOWN_CHARS)
}

async fn list(context: &Context) -> Result<()> {
    let look = async |house: &House| {
        let found = all(&house.client).await?;
        let mut last = Vec::new();
        for one in found.iter().filter(|_| !context.json) {
            last.push(runs(&house.client, one, 1).await?);
        }
        Ok((found, last, home(&house.client).await?))
    };
    let (found, last, home) = within(context, look).await?;
    if context.json {
        return say(&json!({ "items": found, "total": found.len() }).to_string());
    }
    if found.is_empty() {
        return say("No schedules yet. `majordomo schedule add --help` shows how to add one.");
    }
    let row = |(one, last): (&Value, &Value)| {
        let next = match text(one, "next_at") {
            "" => "–".to_owned(),
            at => due_words(at, &home),
        };
        let last = items(last).first().map_or("none yet", |run| outcome_words(text(run, "outcome")));
        let number = one["number"].to_string();
        vec![number, title(one), when_words(one, &home), next, last.to_owned(), state_words(one).to_owned()]
    };
    let rows: Vec<_> = found.iter().zip(&last).map(row).collect();
    say(table(&["No.", "What", "When", "Next", "Last run", "State"], &rows).trim_end())
}

fn state_words(schedule: &Value) -> &str {
    match text(schedule, "state") {
        "stopped" => "stopped after failures",
        state => state,
    }
}

fn outcome_words(outcome: &str) -> &str {
    match outcome {
        "completed" => "done",
        "waiting" => "waits for you",
        "limit" => "reached a limit",
        "cancelled" => "was stopped",
        "skipped_overlap" => "left out, the run before was still at work",
        "skipped_missed" => "left out, the server was not running",
        other => other,
    }
}

fn list_runs(context: &Context, runs: &Value, home: &str) -> Result<()> {
    if context.json {
        return say(&runs.to_string());
    }
    if items(runs).is_empty() {
        return say("It has not come yet.");
    }
    let row = |run: &Value| {
        let session = Some(text(run, "session_id")).filter(|id| !id.is_empty()).unwrap_or("–");
        let outcome = outcome_words(text(run, "outcome")).to_owned();
        let why = Some(text(run, "code")).filter(|code| !code.is_empty()).map(cause).map(|(why, _)| why);
        vec![
            due_words(text(run, "due_at"), home),
            outcome,
            why.unwrap_or_default().to_owned(),
            session.to_owned(),
        ]
    };
    let rows: Vec<_> = items(runs).iter().map(row).collect();
    say(table(&["Due", "Outcome", "Why", "Conversation"], &rows).trim_end())
}

/// Why a run came to nothing, and what helps.
fn cause(code: &str) -> (&str, &'static str) {
    match code {
        "agent_gone" => {
            ("its agent was deleted", "Delete this schedule, and add it again with another agent.")
        }
        "agent_archived" => ("its agent is archived", "Restore the agent, then resume the schedule."),
        "session_gone" => ("its conversation was deleted", "Delete this schedule, and add it again."),
        "session_busy" => (
            "too many messages were waiting in its conversation",
            "Wait until they are done, or stop them, then resume the schedule.",
        ),
        "" => (
            "the agent could not finish it; the conversation of the run says why",
            "Open that conversation, correct the cause, then resume the schedule.",
        ),
        other => (other, "Look at the agent and at the conversation of this schedule, then resume it."),
    }
}

fn show(
    context: &Context,
    (schedule, home): (&Value, &str),
    runs: &Value,
    agent: Option<&Value>,
) -> Result<()> {
    if context.json {
        return say(&schedule.to_string());
    }
    let mut lines = vec![format!("Schedule {}: {}", schedule["number"], title(schedule))];
    let mut fact = |name: &str, words: String| lines.push(format!("  {name:<9} {}", neutral(&words)));
    fact("When", when_words(schedule, home));
    match text(schedule, "next_at") {
        "" => {}
        at => fact("Next", due_words(at, home)),
    }
    let agent =
        agent.map_or_else(|| "an agent that was deleted".to_owned(), |agent| text(agent, "name").to_owned());
    fact("Agent", agent);
    let place = match (text(schedule, "place"), text(schedule, "session_id")) {
        ("fresh", _) => "a new conversation each time".to_owned(),
        (_, "") => "a conversation that was deleted".to_owned(),
        (_, id) => id.to_owned(),
    };
    fact("Where", place);
    fact("State", state_words(schedule).to_owned());
    if let Some(most) = schedule["max_runs"].as_u64() {
        fact("Runs", format!("{} of {most}", schedule["runs"]));
    }
    let newest: Vec<&str> =
        items(runs).iter().take(5).map(|run| outcome_words(text(run, "outcome"))).collect();
    fact("Last runs", if newest.is_empty() { "none yet".to_owned() } else { newest.join(" · ") });
    let failed = items(runs).iter().find(|run| matches!(text(run, "outcome"), "failed" | "limit"));
    if let Some(run) = failed.filter(|_| text(schedule, "state") == "stopped") {
        let (why, remedy) = cause(text(run, "code"));
        fact("Why", format!("It failed too often, one run after the other: {why}."));
        fact("→", remedy.to_owned());
    }
    let note = text(schedule, "note").trim();
    if note.lines().nth(1).is_some() || note.chars().nth(SHOWN_CHARS).is_some() {
        lines.push(String::new());
        lines.push(neutral(note).into_owned());
    }
    say(&lines.join("\n"))
}
