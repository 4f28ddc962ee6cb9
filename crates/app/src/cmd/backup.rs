//! `majordomo backup`: everything in one file, verified.

use super::{items, say, text, within};
use crate::{
    context::Context,
    control::{Client, Request},
    error::{Result, advised},
};
use domain::size_words;
use serde_json::{Value, json};
use std::{
    io::{IsTerminal as _, Write as _, stderr},
    path::Path,
    time::Duration,
};

/// How often the progress is looked at.
const LOOK: Duration = Duration::from_millis(200);

pub async fn run(context: Context, file: Option<&Path>) -> Result<()> {
    let path = file.map(whole_path).transpose()?;
    let request = Request::post("/v1/backups", json!({ "path": path }));
    let made = within(&context, async |house| {
        let mut made = std::pin::pin!(house.client.ask(request.clone()));
        tokio::select! {
            made = &mut made => made,
            () = watch(&house.client, context.json) => made.await,
        }
    })
    .await;
    clear(context.json);
    let made = made?;
    if context.json {
        return say(&made.to_string());
    }
    let number = |name: &str| made.get(name).and_then(Value::as_u64).unwrap_or_default();
    // Only the server knows for certain where its folder is.
    let place = path.unwrap_or_else(|| format!("{} in the backup folder", text(&made, "name")));
    say(&format!(
        "Backup written and verified: {place} ({}, {} rows).",
        size_words(number("bytes")),
        number("rows")
    ))?;
    say(&format!("Checksum: {}", text(&made, "checksum")))?;
    say(
        "The backup can only be restored with the master key, which is not in it. Keep a copy of that key elsewhere.",
    )
}

fn whole_path(file: &Path) -> Result<String> {
    let path = std::path::absolute(file).ok().and_then(|path| path.to_str().map(str::to_owned));
    path.ok_or_else(|| {
        advised(
            format!("{} is not a usable file name.", file.display()),
            "Name a file that does not exist yet.",
        )
    })
}

fn is_shown(json: bool) -> bool {
    !json && stderr().is_terminal()
}

/// Says how far it is, on one line, until it is dropped.
async fn watch(client: &Client, json: bool) {
    if !is_shown(json) {
        return std::future::pending().await;
    }
    loop {
        tokio::time::sleep(LOOK).await;
        let Ok(list) = client.ask(Request::get("/v1/backups")).await else { continue };
        let Some(underway) = items(&list).iter().find(|backup| backup.get("done").is_some()) else {
            continue;
        };
        let number = |name: &str| underway.get(name).and_then(Value::as_u64).unwrap_or_default();
        let (done, total) = (number("done"), number("rows").max(1));
        let percent = done.saturating_mul(100).checked_div(total).unwrap_or_default();
        eprint!("\r\u{1b}[2K{} {percent} %", text(underway, "status"));
        let _ = stderr().flush();
    }
}

fn clear(json: bool) {
    if is_shown(json) {
        eprint!("\r\u{1b}[2K");
    }
}
