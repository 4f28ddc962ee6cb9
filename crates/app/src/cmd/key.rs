//! `majordomo key`: the master key.

use super::{say, within};
use crate::{context::Context, control::Request, error::Result};
use serde_json::{Value, json};

pub async fn rotate(context: Context) -> Result<()> {
    let request = Request::post("/v1/master-key/rotate", json!({}));
    let rotated = within(&context, async |house| house.client.ask(request.clone()).await).await?;
    if context.json {
        return say(&rotated.to_string());
    }
    let version = rotated.get("version").and_then(Value::as_u64).unwrap_or_default();
    let file = context.config.store.master_key_file(&context.data);
    say(&format!("The master key {} was replaced. It is version {version} now.", file.display()))?;
    say(
        "Keep a copy of it elsewhere, and make a new backup. Older backups need the old key, which is kept beside the new one.",
    )
}
