//! `majordomo restore`: a backup in the place of the database.

use super::say;
use crate::{
    assemble::{database_url, store_problem},
    audit_note,
    config::Config,
    context::Context,
    data::DataDirectory,
    error::{Error, Result, advised},
    lock::{self, Attempt, DatabaseLock, Lock, Purpose},
    terminal::{moment, sentence},
};
use capability::{Clock as _, SystemClock};
use secrecy::ExposeSecret as _;
use serde_json::json;
use std::{path::Path, sync::Arc};
use store::{
    KeyFiles, KeyRing, MasterKey,
    backup::{self, ClosedAccess, Halted, Restored, Restoring},
};

pub async fn run(context: Context, file: &Path, force: bool, keep_keys: bool) -> Result<()> {
    context.data.create()?;
    let lock = match Lock::attempt(&context.data, Purpose::Command)? {
        Attempt::Taken(lock) => lock,
        Attempt::Held(pid) => {
            let who = lock::held(&context.data, pid);
            let stop = pid.map_or_else(|| "Stop it".to_owned(), |pid| format!("Stop it (kill {pid})"));
            return Err(advised(
                format!("{who} A database in use cannot be replaced."),
                format!("{stop}, restore the backup, and start it again."),
            ));
        }
    };
    let database = DatabaseLock::take(&context.config, &context.data)?;
    let keys = keys(&context.config, &context.data)?;
    let url = database_url(&context.config, &context.data)?;
    let how = Restoring { keys, at: SystemClock.now(), force, keep_keys };
    let restored = backup::restore(file, &url, &how, &Arc::default()).await.map_err(problem)?;
    // Another log stands in the place of the one that was noted.
    audit_note::forget(&context.data);
    drop((database, lock));
    told(&context, file, &restored)
}

/// A backup cannot be opened without its key, so there must be one.
fn keys(config: &Config, data: &DataDirectory) -> Result<KeyRing> {
    if let Some(key) = &config.store.master_key {
        return MasterKey::parse(key.expose_secret())
            .map(KeyRing::from)
            .map_err(|error| store_problem(&error));
    }
    let path = config.store.master_key_file(data);
    let keys = KeyFiles::new(&path).load().map_err(|error| store_problem(&error))?;
    if keys.is_empty() {
        return Err(advised(
            format!("There is no master key at {}.", path.display()),
            "Copy the master key that was in use when the backup was made to that place (mode 0600), and restore again.",
        ));
    }
    Ok(keys)
}

fn problem(error: store::Error) -> Error {
    match error {
        store::Error::WrongMasterKey => advised(
            "This backup was made with another master key.",
            "Put that key in the place of the present one, or beside it as master.key.retired-1. Nothing was changed.",
        ),
        store::Error::Backup(what) => advised(sentence(&what), "Nothing was changed."),
        other => store_problem(&other),
    }
}

fn told(context: &Context, file: &Path, restored: &Restored) -> Result<()> {
    let Restored { manifest, ended, halted, aside } = restored;
    if context.json {
        let told = json!({
            "file": file, "made_at": manifest.made_at, "rows": manifest.rows, "checksum": manifest.checksum,
            "aside": aside, "ended_logins": ended.logins, "revoked_keys": ended.keys,
            "ended_account_links": ended.account_links, "ended_session_links": ended.session_links,
            "halted_turns": halted.turns, "dropped_rules": halted.rules, "dropped_deletions": halted.deletions,
            "paused_schedules": halted.schedules,
        });
        return say(&told.to_string());
    }
    say(&format!("The backup of {} was restored ({} rows).", moment(manifest.made_at), manifest.rows))?;
    if let Some(aside) = aside {
        say(&format!("The database that was there before was kept as {}.", aside.display()))?;
    }
    say(&format!("Checksum: {}", manifest.checksum))?;
    say(&ways_in(ended))?;
    if halted.deletions > 0 {
        let kept = halted.deletions;
        say(&format!(
            "Conversations that were being deleted when the backup was made and are kept: {kept}."
        ))?;
    }
    if halted.schedules > 0 {
        say(&format!("Schedules that were paused until their people resume them: {}.", halted.schedules))?;
    }
    if halted.turns == 0 && halted.rules == 0 {
        return Ok(());
    }
    say(&work(halted))
}

/// What does not go on by itself.
fn work(halted: &Halted) -> String {
    let Halted { turns, rules, .. } = halted;
    format!(
        "Replies that were running when the backup was made and were stopped: {turns}. Approvals for once or for one \
         conversation that were removed: {rules}. The work may have been finished after that backup, so it does not continue \
         by itself.\n\
         These replies are shown as failed. To continue one, check what has happened since and choose Retry."
    )
}

/// What an owner must know before others can reach the server again.
fn ways_in(ended: &ClosedAccess) -> String {
    let ClosedAccess { logins, keys, account_links, session_links } = ended;
    format!(
        "Sign-ins that were ended: {logins}. API keys that were revoked: {keys}. People have to sign in again, and programs \
         need new keys (majordomo api-key new).\n\
         Links for accounts and passwords that were removed: {account_links}. Links to conversations that were removed: \
         {session_links}. Make new ones where they are needed.\n\
         Accounts, roles and passwords are those of the backup. Check them with `majordomo user list` before you start \
         the server."
    )
}
