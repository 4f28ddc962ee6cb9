//! `majordomo agent`: the agents of the user that the command runs as.

use super::{items, say, text, within};
use crate::{
    cli::AgentCommand,
    context::Context,
    control::{Client, Request},
    error::{Result, advised},
    terminal::{neutral, sentence, table},
};
use serde_json::{Map, Value, json};
use std::{io::Read as _, path::Path};

/// More than an agent's file may have; what is named by mistake is not read to its end.
const LONGEST_FILE: u64 = 8 << 20;

pub async fn run(context: Context, command: AgentCommand) -> Result<()> {
    match command {
        AgentCommand::List => {
            let agents = within(&context, async |house| all(&house.client).await).await?;
            list(&context, &agents)
        }
        AgentCommand::Show { agent } => {
            let found = within(&context, async |house| find(&house.client, &agent).await).await?;
            show(&context, &found)
        }
        AgentCommand::Add { name, fields } => {
            let mut body = given(&fields)?;
            body.insert("name".to_owned(), json!(name));
            let request = Request::post("/v1/agents", Value::Object(body));
            let agent = within(&context, async |house| house.client.ask(request.clone()).await).await?;
            told(&context, "added", &agent)
        }
        AgentCommand::Set { agent, fields } => {
            let body = Value::Object(given(&fields)?);
            let change = async |house: &crate::control::House| {
                let found = find(&house.client, &agent).await?;
                house
                    .client
                    .ask(Request::patch(format!("/v1/agents/{}", text(&found, "id")), body.clone()))
                    .await
            };
            told(&context, "changed", &within(&context, change).await?)
        }
        AgentCommand::Accept { agent } => {
            let accept = async |house: &crate::control::House| {
                let found = find(&house.client, &agent).await?;
                house.client.ask(Request::put(acceptance(&found), json!({}))).await
            };
            told(&context, "accepted", &within(&context, accept).await?)
        }
        AgentCommand::Decline { agent } => {
            let decline = async |house: &crate::control::House| {
                let found = find(&house.client, &agent).await?;
                house.client.ask(Request::delete(acceptance(&found))).await?;
                Ok(found)
            };
            told(&context, "declined", &within(&context, decline).await?)
        }
        AgentCommand::Export { agent, file } => {
            let export = async |house: &crate::control::House| {
                let found = find(&house.client, &agent).await?;
                house.client.ask(Request::get(format!("/v1/agents/{}/export", text(&found, "id")))).await
            };
            let exported = within(&context, export).await?;
            write(&context, &exported, file.as_deref())
        }
        AgentCommand::Import { file, name } => {
            let body = parsed(&read(&file)?, &file)?;
            let path = match &name {
                Some(name) => format!("/v1/agents/import?as={}", encoded(name)),
                None => "/v1/agents/import".to_owned(),
            };
            let request = Request::post(path, body);
            let agent = within(&context, async |house| house.client.ask(request.clone()).await).await?;
            told(&context, "imported", &agent)?;
            let warnings = agent.get("warnings").and_then(Value::as_array).filter(|_| !context.json);
            let mut warnings = warnings.into_iter().flatten().filter_map(Value::as_str);
            warnings.try_for_each(|warning| say(&sentence(&neutral(warning))))
        }
    }
}

fn acceptance(agent: &Value) -> String {
    format!("/v1/agents/{}/acceptance", text(agent, "id"))
}

async fn all(client: &Client) -> Result<Vec<Value>> {
    let mut agents = Vec::new();
    let mut path = "/v1/agents?limit=100".to_owned();
    loop {
        let page = client.ask(Request::get(&path)).await?;
        agents.extend(items(&page).iter().cloned());
        match text(&page, "next_cursor") {
            "" => return Ok(agents),
            cursor => path = format!("/v1/agents?limit=100&cursor={}", encoded(cursor)),
        }
    }
}

pub(super) async fn find(client: &Client, wanted: &str) -> Result<Value> {
    let agents = all(client).await?;
    let by = |column: &'static str| agents.iter().filter(move |agent| text(agent, column) == wanted);
    // One's own comes before one of the same name that another person shares.
    let own = |agent: &&Value| agent.get("shared_by").is_none();
    by("id").next().or_else(|| by("name").find(own)).or_else(|| by("name").next()).cloned().ok_or_else(|| {
        let names: Vec<&str> = agents.iter().map(|agent| text(agent, "name")).collect();
        advised(
            format!("There is no agent called `{wanted}`."),
            format!("Your agents are: {}.", names.join(", ")),
        )
    })
}

fn list(context: &Context, agents: &[Value]) -> Result<()> {
    if context.json {
        return say(&json!({ "items": agents, "total": agents.len() }).to_string());
    }
    let columns = ["name", "model", "status", "owner", "id"];
    let cell = |agent: &Value, column: &str| match (column, text(agent, column)) {
        ("status", _) if agent.get("offered") == Some(&Value::Bool(true)) => "offered".to_owned(),
        ("owner", _) if agent.get("shared_by").is_some() => text(agent, "shared_by_name").to_owned(),
        ("owner", _) => "you".to_owned(),
        (_, "") => "default".to_owned(),
        (_, other) => other.to_owned(),
    };
    let rows = agents.iter().map(|agent| columns.iter().map(|column| cell(agent, column)).collect());
    say(table(&["Name", "Model", "Status", "Owner", "Id"], &rows.collect::<Vec<_>>()).trim_end())
}

fn show(context: &Context, agent: &Value) -> Result<()> {
    let pretty = serde_json::to_string_pretty(agent).unwrap_or_default();
    say(&if context.json { agent.to_string() } else { neutral(&pretty).into_owned() })
}

fn told(context: &Context, what: &str, agent: &Value) -> Result<()> {
    if context.json {
        return say(&agent.to_string());
    }
    say(&format!("Agent {} was {what} ({}).", neutral(text(agent, "name")), text(agent, "id")))
}

fn write(context: &Context, exported: &Value, file: Option<&Path>) -> Result<()> {
    let pretty = format!("{}\n", serde_json::to_string_pretty(exported).unwrap_or_default());
    let Some(path) = file else { return say(pretty.trim_end()) };
    let written = std::fs::File::create_new(path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, pretty.as_bytes()));
    written.map_err(|error| {
        advised(
            format!("{} cannot be written: {error}.", path.display()),
            "Name a file that does not exist yet.",
        )
    })?;
    let told = json!({ "file": path });
    say(&if context.json { told.to_string() } else { format!("Written to {}.", path.display()) })
}

fn read(path: &Path) -> Result<String> {
    let unreadable = |error: std::io::Error| {
        advised(format!("{} cannot be read: {error}.", path.display()), "Name a text file that you can read.")
    };
    let mut content = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LONGEST_FILE).read_to_string(&mut content).map_err(unreadable)?;
    Ok(content)
}

fn parsed(content: &str, path: &Path) -> Result<Value> {
    serde_json::from_str(content).map_err(|error| {
        advised(
            format!("{} is not a JSON file: {error}.", path.display()),
            "Name a file that `majordomo agent export` has written.",
        )
    })
}

/// `field=value` words as the fields of a request.
fn given(words: &[String]) -> Result<Map<String, Value>> {
    words.iter().map(|word| field(word)).collect()
}

fn field(word: &str) -> Result<(String, Value)> {
    let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
        return Err(advised(
            format!("`{word}` does not have the form FIELD=VALUE."),
            "Write for instance model=demo, or system_prompt=@prompt.txt.",
        ));
    };
    let value = match value.strip_prefix('@') {
        Some(file) => Value::String(read(Path::new(file))?),
        None if value.is_empty() => Value::Null,
        None => serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned())),
    };
    Ok((name.to_owned(), value))
}

/// For a query: everything but letters and digits is written with percent signs.
fn encoded(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let each = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    word.bytes().map(each).collect()
}

#[cfg(test)]
#[path = "agent_tests.rs"]
mod tests;
