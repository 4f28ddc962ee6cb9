//! `majordomo api-key`: keys for programs.

use super::{items, say, text, within};
use crate::{
    cli::ApiKeyCommand,
    config::parse_duration,
    context::Context,
    control::Request,
    error::{Error, Result, advised},
    terminal::{neutral, shown_moment, table},
};
use capability::{Clock as _, SystemClock};
use chrono::{DateTime, NaiveDate, NaiveTime};
use domain::{Scope, Timestamp};
use serde_json::{Value, json};

pub async fn run(context: Context, command: ApiKeyCommand) -> Result<()> {
    match command {
        ApiKeyCommand::New { name, scope, source, expires } => {
            let expires_at = expires.map(|when| moment(&when, SystemClock.now())).transpose()?;
            let scope = Scope::from(scope);
            check_source(scope, source.as_deref())?;
            let mut body = json!({ "scope": scope });
            if let Some(fields) = body.as_object_mut() {
                fields.extend(name.map(|name| ("name".to_owned(), json!(name))));
                fields.extend(source.map(|source| ("source".to_owned(), json!(source))));
                fields.extend(expires_at.map(|at| ("expires_at".to_owned(), json!(at))));
            }
            let ask = async |house: &crate::control::House| {
                house.client.ask(Request::post("/v1/api-keys", body.clone())).await
            };
            let key = within(&context, ask).await?;
            say(&if context.json { key.to_string() } else { text(&key, "secret").to_owned() })
        }
        ApiKeyCommand::List => {
            let list =
                within(&context, async |house| house.client.ask(Request::get("/v1/api-keys")).await).await?;
            show(&context, &list)
        }
        ApiKeyCommand::Revoke { id } => revoke(&context, &id).await,
    }
}

/// A key that delivers what others say is for one bridge; no other key names one.
fn check_source(scope: Scope, source: Option<&str>) -> Result<()> {
    match (scope, source) {
        (Scope::Bridge, None) => Err(advised(
            "A key with --scope bridge needs --source.",
            "Name the bridge that will use it, for instance --source telegram.",
        )),
        (Scope::Bridge, Some(_)) | (_, None) => Ok(()),
        (_, Some(_)) => Err(advised(
            "--source is only for a key with --scope bridge.",
            "Leave it out, or add --scope bridge.",
        )),
    }
}

async fn revoke(context: &Context, id: &str) -> Result<()> {
    if id.parse::<domain::ApiKeyId>().is_err() {
        return Err(advised(
            format!("`{id}` is not the id of an API key."),
            "`majordomo api-key list` shows the ids of your API keys.",
        ));
    }
    let request = Request::delete(format!("/v1/api-keys/{id}"));
    match within(context, async |house| house.client.ask(request.clone()).await).await {
        Err(Error::Problem { status: 404, .. }) => {
            return Err(advised(
                format!("You have no API key {id}."),
                "`majordomo api-key list` shows your API keys. Add --user NAME for the keys of another person.",
            ));
        }
        other => drop(other?),
    }
    say(&if context.json {
        json!({ "revoked": id }).to_string()
    } else {
        format!("API key {} was revoked.", neutral(id))
    })
}

fn show(context: &Context, list: &Value) -> Result<()> {
    if context.json {
        return say(&list.to_string());
    }
    let columns = ["id", "name", "scope", "source", "expires_at", "created_at"];
    let cell = |key: &Value, column: &str| match text(key, column) {
        "" if column == "expires_at" => "never".to_owned(),
        at if matches!(column, "expires_at" | "created_at") => shown_moment(at),
        "" if column == "source" && text(key, "scope") == "bridge" => "not used yet".to_owned(),
        other => other.to_owned(),
    };
    let rows = items(list).iter().map(|key| columns.iter().map(|column| cell(key, column)).collect());
    let head = ["Id", "Name", "Access", "Source", "Expires", "Created"];
    say(table(&head, &rows.collect::<Vec<_>>()).trim_end())
}

/// A time from now, a date (its first moment in UTC), or a full timestamp.
fn moment(text: &str, now: Timestamp) -> Result<Timestamp> {
    let from_now = parse_duration(text).and_then(|time| i64::try_from(time.as_millis()).ok());
    let date = || NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d").ok();
    let full = || DateTime::parse_from_rfc3339(text.trim()).ok();
    let at = from_now
        .map(|millis| now.plus_millis(millis))
        .or_else(|| {
            Some(Timestamp::from_millis(date()?.and_time(NaiveTime::MIN).and_utc().timestamp_millis()))
        })
        .or_else(|| Some(Timestamp::from_millis(full()?.timestamp_millis())));
    let at = at.ok_or_else(|| {
        advised(
            format!("--expires {text} is neither a time nor a date."),
            "Write a time from now such as 30d, or a date such as 2027-01-01.",
        )
    })?;
    if at <= now {
        return Err(advised(
            format!("--expires {text} is in the past, so the key would never work."),
            "Choose a date in the future.",
        ));
    }
    Ok(at)
}

#[cfg(test)]
#[path = "api_key_tests.rs"]
mod tests;
