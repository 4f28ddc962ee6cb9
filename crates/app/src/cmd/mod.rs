//! The commands, one file each.

pub mod ability;
pub mod agent;
pub mod api_key;
pub mod approval;
pub mod backup;
pub mod chat;
pub mod completions;
pub mod doctor;
mod greeting;
pub mod key;
pub mod migrate;
pub mod restore;
pub mod schedule;
pub mod serve;
mod setup_link;
pub mod user;

use crate::{
    assemble::Stay,
    context::Context,
    control::{House, open},
    error::{Error, Result},
};
use serde_json::Value;
use std::{
    io::{Write as _, stdout},
    time::Duration,
};

const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Opens the house, does something in it, and closes it whatever came of that. Done again if the process that did the work for
/// us was just leaving and had not begun.
async fn within<T>(context: &Context, work: impl AsyncFn(&House) -> Result<T>) -> Result<T> {
    let mut attempts = 0;
    loop {
        let house = open(context, Stay::Brief).await?;
        let outcome = work(&house).await;
        house.close().await;
        attempts += 1;
        match outcome {
            Err(error) if error.is_untouched() && attempts < ATTEMPTS => tokio::time::sleep(PAUSE).await,
            outcome => return outcome,
        }
    }
}

/// Writes to stdout, at once.
fn say(text: &str) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(Error::Output)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn items(list: &Value) -> &[Value] {
    list.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
