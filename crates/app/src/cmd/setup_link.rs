//! The set-up link: shown and kept in a file for as long as there is no owner.

use super::say;
use crate::{
    context::Context,
    error::{Result, advised},
};
use engine::{Engine, SetupLink};
use serde_json::json;
use std::{
    fs, io,
    io::Write as _,
    net::SocketAddr,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Where people reach the server, without a final slash.
pub fn base(context: &Context, address: SocketAddr) -> String {
    let public = context.config.server.public_url.as_ref().map(|url| url.value.trim().trim_end_matches('/'));
    public.map_or_else(|| format!("http://{address}"), str::to_owned)
}

/// A link that works now; `None` when there is an owner. The file holds it, or is gone.
pub async fn renew(context: &Context, engine: &Engine, base: &str) -> Result<Option<String>> {
    let opened = engine.people().open_setup().await;
    let opened = opened.map_err(|error| advised(error.to_string(), "Run `majordomo doctor`."))?;
    let path = file(context);
    let link = opened.map(|SetupLink { token, .. }| format!("{base}/setup#{token}"));
    let kept = match &link {
        Some(link) => write(&path, link),
        None => remove(&path),
    };
    kept.map_err(|error| {
        let advice = "Check the permissions and the free space of the data directory.";
        advised(format!("{} cannot be written: {error}.", path.display()), advice)
    })?;
    Ok(link)
}

/// Makes a new link whenever the last one has expired, until there is an owner or the program ends; then the file goes.
pub fn keep(context: Context, engine: Engine, base: String, stop: CancellationToken) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = engine.people().settled() => break,
                () = stop.cancelled() => break,
                () = tokio::time::sleep(VALID) => {}
            }
            match renew(&context, &engine, &base).await {
                Ok(Some(link)) => drop(announce(&context, &link)),
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "a new set-up link could not be made; trying again later")
                }
            }
        }
        if let Err(error) = remove(&file(&context)) {
            tracing::warn!(%error, "the file setup-link could not be deleted; the link in it no longer works");
        }
    })
}

/// As long as a link counts.
const VALID: Duration = Duration::from_secs(15 * 60);

fn announce(context: &Context, link: &str) -> Result<()> {
    if context.json {
        return say(&json!({ "setup_link": link }).to_string());
    }
    say(&format!("\nThe set-up link has expired. This new one is valid once, for 15 minutes:\n  {link}"))
}

fn file(context: &Context) -> PathBuf {
    context.data.file("setup-link")
}

/// A new file each time, so that no other file's mode or link is taken over.
fn write(path: &Path, link: &str) -> io::Result<()> {
    remove(path)?;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{link}")?;
    file.sync_all()
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
