//! `majordomo user`: the accounts of this server.

use super::{items, say, text, within};
use crate::{
    cli::UserCommand,
    context::Context,
    control::{Client, House, Request},
    error::{Result, advised},
    terminal::{neutral, table},
    time_zone,
};
use domain::UserRole;
use serde_json::{Value, json};
use std::io::{IsTerminal as _, Read as _, stdin};

/// More than any password may have; what is piped in by mistake is not read to its end.
const LONGEST_PASSWORD: u64 = 16 * 1024;
const SHORTEST_PASSWORD: usize = 8;

pub async fn run(context: Context, command: UserCommand) -> Result<()> {
    match command {
        UserCommand::Add { name, role, password_stdin, time_zone } => {
            // Read before anything is opened: a missing password must not leave traces.
            let password = if password_stdin { piped_password()? } else { asked_password()? };
            let new = NewUser { name, role: role.into(), password: Some(password), time_zone };
            let user = within(&context, async |house| add(&house.client, &new).await).await?;
            show_added(&context, &user)
        }
        UserCommand::List => {
            let list =
                within(&context, async |house| house.client.ask(Request::get("/v1/users")).await).await?;
            show_list(&context, &list)
        }
        UserCommand::Password { name, password_stdin } => {
            let password = if password_stdin { piped_password()? } else { asked_password()? };
            let user = change(&context, &name, json!({ "password": password })).await?;
            show_done(&context, &user, |name| format!("The password of {name} was changed."))
        }
        UserCommand::Role { name, role } => {
            let user = change(&context, &name, json!({ "role": UserRole::from(role) })).await?;
            show_done(&context, &user, |name| format!("{name} is {} now.", role_words(text(&user, "role"))))
        }
        UserCommand::Remove { name, yes } => remove(&context, &name, yes).await,
    }
}

async fn change(context: &Context, name: &str, fields: Value) -> Result<Value> {
    let change = async |house: &House| {
        let user = find(&house.client, name).await?;
        let path = format!("/v1/users/{}", text(&user, "id"));
        house.client.ask(Request::patch(path, fields.clone())).await
    };
    within(context, change).await
}

async fn remove(context: &Context, name: &str, yes: bool) -> Result<()> {
    if !yes {
        really(name)?;
    }
    let remove = async |house: &House| {
        let user = find(&house.client, name).await?;
        house.client.ask(Request::delete(format!("/v1/users/{}", text(&user, "id")))).await?;
        Ok(user)
    };
    let user = within(context, remove).await?;
    show_done(context, &user, |name| format!("{name} was removed."))
}

/// Asked before anything is opened.
fn really(name: &str) -> Result<()> {
    let advice = "Add --yes to remove the account without this question.";
    if !stdin().is_terminal() {
        return Err(advised(
            format!(
                "This would remove {name} with all their agents, conversations and files. Nothing was removed."
            ),
            advice,
        ));
    }
    let question = format!("Remove {} with all their agents, conversations and files?", neutral(name));
    match inquire::Confirm::new(&question).with_default(false).prompt() {
        Ok(true) => Ok(()),
        _ => Err(advised("Nothing was removed.", advice)),
    }
}

/// Names are compared as the server compares them: without case.
async fn find(client: &Client, name: &str) -> Result<Value> {
    let list = client.ask(Request::get("/v1/users")).await?;
    let wanted = name.to_lowercase();
    let found = items(&list).iter().find(|user| text(user, "name").to_lowercase() == wanted);
    found.cloned().ok_or_else(|| {
        advised(format!("There is no account called {name}."), "`majordomo user list` shows all accounts.")
    })
}

fn show_done(context: &Context, user: &Value, words: impl Fn(&str) -> String) -> Result<()> {
    if context.json {
        return say(&user.to_string());
    }
    say(&words(&neutral(text(user, "name"))))
}

/// A role with its article.
fn role_words(role: &str) -> String {
    match role {
        "owner" => "the owner".to_owned(),
        "admin" => "an admin".to_owned(),
        other => format!("a {other}"),
    }
}

pub struct NewUser {
    pub name: String,
    pub role: UserRole,
    pub password: Option<String>,
    pub time_zone: Option<String>,
}

pub async fn add(client: &crate::control::Client, new: &NewUser) -> Result<Value> {
    let mut body = json!({ "name": new.name, "role": new.role });
    if let Some(fields) = body.as_object_mut() {
        fields.extend(new.password.as_ref().map(|password| ("password".to_owned(), json!(password))));
        let zone = new.time_zone.clone().or_else(time_zone::local);
        fields.extend(zone.map(|zone| ("time_zone".to_owned(), json!(zone))));
    }
    client.ask(Request::post("/v1/users", body)).await
}

fn show_added(context: &Context, user: &Value) -> Result<()> {
    if context.json {
        return say(&user.to_string());
    }
    say(&format!("{} was added as {}.", neutral(text(user, "name")), role_words(text(user, "role"))))
}

fn show_list(context: &Context, list: &Value) -> Result<()> {
    if context.json {
        return say(&list.to_string());
    }
    let columns = ["name", "role", "time_zone", "id"];
    let rows = items(list).iter().map(|user| columns.map(|column| text(user, column).to_owned()).to_vec());
    say(table(&["Name", "Role", "Time zone", "Id"], &rows.collect::<Vec<_>>()).trim_end())
}

fn piped_password() -> Result<String> {
    let mut bytes = Vec::new();
    let read = stdin().lock().take(LONGEST_PASSWORD).read_to_end(&mut bytes);
    read.map_err(|error| {
        advised(
            format!("The password could not be read from stdin: {error}."),
            "Pipe the password in, for instance: --password-stdin < password.txt",
        )
    })?;
    let mut password = String::from_utf8(bytes).map_err(|_| {
        advised("The password on stdin is not text.", "Save the password file as UTF-8 text.")
    })?;
    if password.ends_with('\n') {
        password.pop();
        if password.ends_with('\r') {
            password.pop();
        }
    }
    long_enough(password)
}

fn asked_password() -> Result<String> {
    if !stdin().is_terminal() {
        return Err(advised(
            "No password was given.",
            "Add --password-stdin and pipe the password in, for instance: --password-stdin < password.txt",
        ));
    }
    let ask = inquire::Password::new("Password:")
        .with_display_mode(inquire::PasswordDisplayMode::Hidden)
        .with_custom_confirmation_message("Repeat the password:")
        .with_custom_confirmation_error_message("The two passwords are different.");
    let password = ask.prompt().map_err(|_| advised("No password was given.", "Run the command again."))?;
    long_enough(password)
}

fn long_enough(password: String) -> Result<String> {
    if password.chars().count() < SHORTEST_PASSWORD {
        return Err(advised("The password is too short.", "A password needs at least 8 characters."));
    }
    Ok(password)
}
