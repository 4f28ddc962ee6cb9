//! `majordomo user`: the people of the house.

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
            show_done(&context, "set the password of", &user)
        }
        UserCommand::Role { name, role } => {
            let user = change(&context, &name, json!({ "role": UserRole::from(role) })).await?;
            show_done(&context, &format!("now {}:", text(&user, "role")), &user)
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
    show_done(context, "removed", &user)
}

/// Asked before anything is opened.
fn really(name: &str) -> Result<()> {
    let advice = "add --yes to remove them without being asked";
    if !stdin().is_terminal() {
        return Err(advised(format!("{name} would be removed with everything they have"), advice));
    }
    let question = format!("Remove {} with all their agents, conversations and files?", neutral(name));
    match inquire::Confirm::new(&question).with_default(false).prompt() {
        Ok(true) => Ok(()),
        _ => Err(advised("nothing was removed", advice)),
    }
}

/// Names are compared as the server compares them: without case.
async fn find(client: &Client, name: &str) -> Result<Value> {
    let list = client.ask(Request::get("/v1/users")).await?;
    let wanted = name.to_lowercase();
    let found = items(&list).iter().find(|user| text(user, "name").to_lowercase() == wanted);
    found.cloned().ok_or_else(|| {
        advised(format!("there is no user called {name}"), "`majordomo user list` shows those there are")
    })
}

fn show_done(context: &Context, what: &str, user: &Value) -> Result<()> {
    if context.json {
        return say(&user.to_string());
    }
    say(&format!("{what} {}", neutral(text(user, "name"))))
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
    say(&format!("added {} {}", text(user, "role"), neutral(text(user, "name"))))
}

fn show_list(context: &Context, list: &Value) -> Result<()> {
    if context.json {
        return say(&list.to_string());
    }
    let columns = ["name", "role", "time_zone", "id"];
    let rows = items(list).iter().map(|user| columns.map(|column| text(user, column).to_owned()).to_vec());
    say(table(&columns, &rows.collect::<Vec<_>>()).trim_end())
}

fn piped_password() -> Result<String> {
    let mut bytes = Vec::new();
    let read = stdin().lock().take(LONGEST_PASSWORD).read_to_end(&mut bytes);
    read.map_err(|error| advised(format!("stdin cannot be read: {error}"), "pipe the password in"))?;
    let mut password = String::from_utf8(bytes)
        .map_err(|_| advised("the password on stdin is not text", "use characters in UTF-8"))?;
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
            "no password was given",
            "add --password-stdin and pipe it in, for instance: --password-stdin < password.txt",
        ));
    }
    let ask = inquire::Password::new("Password:")
        .with_display_mode(inquire::PasswordDisplayMode::Hidden)
        .with_custom_confirmation_message("Once more:")
        .with_custom_confirmation_error_message("These are two different passwords.");
    let password = ask.prompt().map_err(|_| advised("no password was given", "run the command again"))?;
    long_enough(password)
}

fn long_enough(password: String) -> Result<String> {
    if password.chars().count() < SHORTEST_PASSWORD {
        return Err(advised("the password is too short", "a password has at least 8 characters"));
    }
    Ok(password)
}
