//! `majordomo ability`: the abilities of the user that the command runs as, as Markdown files.

use super::{items, say, text, within};
use crate::{
    cli::AbilityCommand,
    context::Context,
    control::{Client, House, Request},
    error::{Result, advised},
    terminal::{neutral, sentence, table},
};
use capability::ability;
use domain::AbilityText;
use serde_json::{Value, json};
use std::{io::Read as _, path::Path};

/// More than an ability may have; what is named by mistake is not read to its end.
const LONGEST_FILE: u64 = 1 << 20;

pub async fn run(context: Context, command: AbilityCommand) -> Result<()> {
    match command {
        AbilityCommand::List => {
            let found = within(&context, async |house| all(&house.client).await).await?;
            list(&context, &found)
        }
        AbilityCommand::Show { ability } => {
            let found = within(&context, async |house| find(&house.client, &ability).await).await?;
            say(&if context.json { found.to_string() } else { neutral(&file(&found)?).into_owned() })
        }
        AbilityCommand::Add { files } => {
            for path in &files {
                let text = read(path)?;
                let saved = within(&context, async |house| save(house, &text).await).await?;
                told(&context, "saved", &saved)?;
            }
            Ok(())
        }
        AbilityCommand::Remove { ability } => {
            let remove = async |house: &House| {
                let found = find(&house.client, &ability).await?;
                let path = format!("/v1/abilities/{}", text(&found, "id"));
                house.client.ask(Request::delete(path)).await.map(|_| found)
            };
            told(&context, "removed", &within(&context, remove).await?)
        }
        AbilityCommand::Export { ability, file: path } => {
            let found = within(&context, async |house| find(&house.client, &ability).await).await?;
            write(&context, &file(&found)?, path.as_deref())
        }
    }
}

async fn all(client: &Client) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    let mut path = "/v1/abilities?limit=100".to_owned();
    loop {
        let page = client.ask(Request::get(&path)).await?;
        found.extend(items(&page).iter().cloned());
        match text(&page, "next_cursor") {
            "" => return Ok(found),
            cursor => path = format!("/v1/abilities?limit=100&cursor={cursor}"),
        }
    }
}

async fn find(client: &Client, wanted: &str) -> Result<Value> {
    let known = all(client).await?;
    let is_it = |ability: &&Value| text(ability, "name") == wanted || text(ability, "id") == wanted;
    known.iter().find(is_it).cloned().ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|ability| text(ability, "name")).collect();
        let there = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
        advised(format!("You have no ability called `{wanted}`."), format!("Your abilities are: {there}."))
    })
}

/// Instead of the one of the same name, if there is one.
async fn save(house: &House, ability: &AbilityText) -> Result<Value> {
    let body = serde_json::to_value(ability).unwrap_or_default();
    let known = all(&house.client).await?;
    let before = known.iter().find(|known| text(known, "name") == ability.name);
    let request = match before {
        Some(before) => Request::put(format!("/v1/abilities/{}", text(before, "id")), body),
        None => Request::post("/v1/abilities", body),
    };
    house.client.ask(request).await
}

fn list(context: &Context, found: &[Value]) -> Result<()> {
    if context.json {
        return say(&json!({ "items": found, "total": found.len() }).to_string());
    }
    if found.is_empty() {
        return say(
            "No abilities yet. `majordomo ability add NAME.md` saves a Markdown file with instructions as an ability.",
        );
    }
    let columns = ["name", "type", "danger", "description"];
    let row = |ability: &Value| columns.iter().map(|column| text(ability, column).to_owned()).collect();
    say(table(&["Name", "Type", "Danger", "Description"], &found.iter().map(row).collect::<Vec<_>>())
        .trim_end())
}

fn told(context: &Context, what: &str, ability: &Value) -> Result<()> {
    if context.json {
        return say(&ability.to_string());
    }
    say(&format!("Ability {} was {what} ({}).", neutral(text(ability, "name")), text(ability, "id")))
}

/// As the file that `add` takes.
fn file(found: &Value) -> Result<String> {
    let mut fields = found.clone();
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|name, _| !["id", "created_at", "updated_at"].contains(&name.as_str()));
    }
    let text: AbilityText = serde_json::from_value(fields).map_err(|error| {
        advised(
            format!("The answer of the server cannot be read: {error}."),
            "Use the same version of majordomo for the server and for this command.",
        )
    })?;
    Ok(ability::write(&text))
}

fn read(path: &Path) -> Result<AbilityText> {
    let unreadable = |error: std::io::Error| {
        advised(
            format!("{} cannot be read: {error}.", path.display()),
            "Name a Markdown file that you can read.",
        )
    };
    let mut content = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LONGEST_FILE).read_to_string(&mut content).map_err(unreadable)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let file = ability::read(&stem, &content).map_err(|error| {
        advised(
            sentence(&format!("{} is not an ability: {error}", path.display())),
            "Correct the block at the top of the file; docs/abilities.md shows one.",
        )
    })?;
    for warning in &file.warnings {
        eprintln!("majordomo: {}: {}", path.display(), sentence(&neutral(warning)));
    }
    Ok(file.text)
}

fn write(context: &Context, content: &str, path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return say(neutral(content).trim_end()) };
    let written = std::fs::File::create_new(path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, content.as_bytes()));
    written.map_err(|error| {
        advised(
            format!("{} cannot be written: {error}.", path.display()),
            "Name a file that does not exist yet.",
        )
    })?;
    let told = json!({ "file": path });
    say(&if context.json { told.to_string() } else { format!("Written to {}.", path.display()) })
}
