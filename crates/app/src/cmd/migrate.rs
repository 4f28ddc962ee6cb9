//! `majordomo migrate`: brings the schema up to date and nothing else.

use super::say;
use crate::{
    assemble::{database_url, open_store, store_problem},
    context::Context,
    control::{Client, is_answering},
    error::Result,
    lock::{self, DatabaseLock},
};
use serde_json::json;

pub async fn run(context: Context) -> Result<()> {
    context.data.create()?;
    let newest = store::schema_version();
    // A server that runs has done it already.
    if is_answering(&Client::new(context.data.socket(), None)).await {
        return told(&context, &[], newest);
    }
    let lock = lock::take(&context.data)?;
    let database = DatabaseLock::take(&context.config, &context.data)?;
    let url = database_url(&context.config, &context.data)?;
    let found = store::inspect(&url).await.map_err(|error| store_problem(&error))?;
    let pending = found.pending();
    open_store(&context.config, &context.data, &database).await?.close().await;
    drop((database, lock));
    told(&context, &pending, newest)
}

fn told(context: &Context, applied: &[u64], version: u64) -> Result<()> {
    if context.json {
        return say(&json!({ "schema_version": version, "applied": applied }).to_string());
    }
    if applied.is_empty() {
        return say(&format!("The database schema is up to date (version {version})."));
    }
    let steps: Vec<String> = applied.iter().map(u64::to_string).collect();
    say(&format!("The database schema was upgraded to version {version} (steps: {}).", steps.join(", ")))
}
