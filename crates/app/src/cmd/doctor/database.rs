//! The master key and the database behind it.

use super::report::Report;
use crate::{
    assemble::{database_url, store_problem},
    audit_note,
    config::{Config, Database},
    control::{Client, Request},
    data::DataDirectory,
    error::Error,
};
use capability::{Clock as _, SystemClock};
use secrecy::ExposeSecret as _;
use store::{Checkup, Inspection, KeyFiles, KeyRing, MasterKey, providers::StoredProvider};

const RESTORE: &str =
    "restore a backup: majordomo restore FILE --force (the old file is kept beside the new one)";

/// The keys at hand, if they can be read.
pub fn master_key(report: &mut Report, config: &Config, data: &DataDirectory) -> Option<KeyRing> {
    if let Some(key) = &config.store.master_key {
        return match MasterKey::parse(key.expose_secret()) {
            Ok(key) => {
                report.good("the master key is in MAJORDOMO_MASTER_KEY");
                Some(KeyRing::from(key))
            }
            Err(error) => {
                report.bad(format!("MAJORDOMO_MASTER_KEY: {error}"), "correct or unset it");
                None
            }
        };
    }
    let path = config.store.master_key_file(data);
    let files = KeyFiles::new(&path);
    match MasterKey::load(&path) {
        Ok(Some(_)) => {
            report.good(format!("the master key {} is there, for its owner alone", path.display()));
            other_keys(report, &files);
        }
        Ok(None) if is_fresh(config, data) => {
            let remedy = "it is made at the first start; then keep a copy elsewhere";
            report.notable("there is no master key yet", remedy);
        }
        Ok(None) => report.bad(
            format!("the master key {} is missing", path.display()),
            "put it back: without it the database cannot be read, and no backup of the database contains it",
        ),
        Err(error) => report.bad(error.to_string(), "the program does not start with it as it is"),
    }
    files.load().ok()
}

fn other_keys(report: &mut Report, files: &KeyFiles) {
    if files.next().exists() {
        let remedy = "it goes on at the next start of the server, or by: majordomo key rotate";
        report.notable("a change of the master key is not finished", remedy);
    }
    let retired = files.retired().map(|retired| retired.len()).unwrap_or_default();
    if retired > 0 {
        let remedy = "remove their files when no backup of before the change is needed any more";
        report.notable(format!("{retired} retired master keys are kept"), remedy);
    }
}

pub async fn database(
    report: &mut Report,
    config: &Config,
    data: &DataDirectory,
    keys: Option<&KeyRing>,
    is_running: bool,
) {
    if is_running {
        through_server(report, data).await;
    }
    if is_fresh(config, data) {
        return report.notable("there is no database yet", "it is made at the first start");
    }
    let url = match database_url(config, data) {
        Ok(url) => url,
        Err(error) => return problem(report, &error),
    };
    match store::inspect(&url).await {
        Ok(found) => inside(report, &url, &found, keys, audit_note::read(data)).await,
        Err(error) => {
            report.unchecked("what is in the database");
            problem(report, &store_problem(&error));
        }
    }
}

fn problem(report: &mut Report, error: &Error) {
    report.bad(error.to_string(), error.advice().unwrap_or_default());
}

/// A running server is asked whether it is content with its database.
async fn through_server(report: &mut Report, data: &DataDirectory) {
    match Client::new(data.socket(), None).ask(Request::get("/readyz")).await {
        Ok(_) => report.good("the server says that its database works"),
        Err(error) => report.bad(
            format!("the server is not ready: {error}"),
            "look at its log (majordomo serve -v), check the disk and the database's server",
        ),
    }
}

/// The providers that people have added on the page.
pub async fn providers(
    report: &mut Report,
    config: &Config,
    data: &DataDirectory,
    keys: Option<&KeyRing>,
) -> Vec<StoredProvider> {
    let untold = "providers that were added on the page";
    let (Ok(url), Some(keys)) = (database_url(config, data), keys) else {
        report.unchecked(untold);
        return Vec::new();
    };
    let is_open = match store::inspect(&url).await {
        Ok(found) if found.versions.is_empty() => return Vec::new(),
        Ok(found) => found.check_known().is_ok() && found.pending().is_empty(),
        Err(_) => false,
    };
    // Why it cannot be read was said where the database was looked at.
    let found = if is_open { store::stored_providers(&url, keys).await.ok() } else { None };
    found.unwrap_or_else(|| {
        report.unchecked(untold);
        Vec::new()
    })
}

async fn inside(
    report: &mut Report,
    url: &str,
    found: &Inspection,
    keys: Option<&KeyRing>,
    note: Option<Vec<u8>>,
) {
    let kind = if url.starts_with("sqlite:") { "sqlite" } else { "postgres" };
    if let Err(error) = found.check_known() {
        return problem(report, &store_problem(&error));
    }
    if found.versions.is_empty() {
        return report.notable("the database is empty", "it is filled at the first start");
    }
    let version = found.versions.iter().max().copied().unwrap_or_default();
    if !found.pending().is_empty() {
        report.unchecked("what is in the database: this program reads it when it is upgraded");
        return report.notable(
            format!("{kind} opens; its schema is older (version {version} of {})", store::schema_version()),
            "the next start upgrades it, after a backup; or: majordomo migrate",
        );
    }
    report.good(format!("{kind} opens, schema version {version}"));
    let has_keys = keys.is_some_and(|keys| !keys.is_empty());
    let is_noted = note.is_some();
    match store::checkup(url, &keys.cloned().unwrap_or_default(), note).await {
        Ok(found) => findings(report, &found, has_keys, is_noted),
        Err(error @ store::Error::Damaged(_)) => report.bad(error.to_string(), RESTORE),
        Err(error) => problem(report, &store_problem(&error)),
    }
}

fn findings(report: &mut Report, found: &Checkup, has_keys: bool, is_noted: bool) {
    for damage in &found.damage {
        report.bad(format!("the database is damaged: {damage}"), RESTORE);
    }
    match (&found.damage, found.looked_at_pages) {
        (damage, true) if damage.is_empty() => report.good("the integrity check finds nothing"),
        (_, false) => report.unchecked("the files of PostgreSQL: that is its server's (pg_amcheck)"),
        _ => {}
    }
    match &found.audit {
        _ if !has_keys => report.unchecked("the audit log and people's keys: that takes the master key"),
        Ok(entries) if is_noted => {
            report.good(format!(
                "the audit log is whole ({entries} entries), to the end this machine has noted"
            ));
        }
        Ok(entries) => {
            report.good(format!("the audit log is whole ({entries} entries)"));
            report.unchecked(
                "whether the audit log's end was cut off: this machine has noted none (audit.note)",
            );
        }
        Err(store::Error::WrongMasterKey) => {
            report.unchecked("the audit log: that takes the master key it was written with");
        }
        Err(error) => report.bad(
            error.to_string(),
            "somebody or something has changed the database past this program; compare it with a backup",
        ),
    }
    match &found.locked_out {
        // What is wrong with the master key was said above; without it nothing is known of theirs.
        _ if !has_keys => {}
        Ok(users) if users.is_empty() => {
            report.good(format!("the keys of all people open ({})", found.people))
        }
        Ok(users) => {
            let ids: Vec<String> = users.iter().map(ToString::to_string).collect();
            report.bad(
                format!("the keys of {} people do not open: {}", users.len(), ids.join(", ")),
                "put back the master key they were wrapped with (a file master.key.retired-…), or restore a backup",
            );
        }
        Err(error) => problem(report, &store_problem(error)),
    }
    for setting in &found.forgetful {
        report.notable(
            format!("the PostgreSQL server runs with {setting}"),
            "with it, messages that were acknowledged can be lost in a crash; switch it on in postgresql.conf",
        );
    }
    if let Some(newest) = found.newest.filter(|newest| *newest > SystemClock.now()) {
        report.bad(
            format!("the newest entry of the database is of the future ({newest})"),
            "set this machine's clock: it was ahead once, or it is behind now",
        );
    }
}

fn is_fresh(config: &Config, data: &DataDirectory) -> bool {
    match config.store.database(data) {
        Database::Sqlite(path) => std::fs::metadata(path).map_or(true, |found| found.len() == 0),
        // Only asking it could tell.
        Database::Postgres(_) => false,
    }
}
