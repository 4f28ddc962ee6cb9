//! The master key and the database behind it.

use super::{nodes::nodes, report::Report};
use crate::{
    assemble::{database_url, store_problem},
    audit_note,
    config::{Config, Database},
    control::{Client, Request},
    data::DataDirectory,
    error::Error,
    terminal::{moment_in_zone, sentence},
};
use capability::{Clock as _, SystemClock};
use secrecy::ExposeSecret as _;
use store::{Checkup, Inspection, KeyFiles, KeyRing, MasterKey, providers::StoredModels};

const RESTORE: &str = "Restore a backup: majordomo restore FILE --force (the old database file is kept)";

/// The keys at hand, if they can be read.
pub fn master_key(report: &mut Report, config: &Config, data: &DataDirectory) -> Option<KeyRing> {
    if let Some(key) = &config.store.master_key {
        return match MasterKey::parse(key.expose_secret()) {
            Ok(key) => {
                report.good("The master key comes from MAJORDOMO_MASTER_KEY.");
                Some(KeyRing::from(key))
            }
            Err(error) => {
                report.bad(
                    sentence(&format!("MAJORDOMO_MASTER_KEY: {error}")),
                    "Correct or unset that variable.",
                );
                None
            }
        };
    }
    let path = config.store.master_key_file(data);
    let files = KeyFiles::new(&path);
    match MasterKey::load(&path) {
        Ok(Some(_)) => {
            report
                .good(format!("The master key {} is there, and only its owner can read it.", path.display()));
            other_keys(report, &files);
        }
        Ok(None) if is_fresh(config, data) => {
            let remedy = "It is created at the first start. Then keep a copy elsewhere.";
            report.notable("There is no master key yet.", remedy);
        }
        Ok(None) => report.bad(
            format!("The master key {} is missing.", path.display()),
            "Put it back. Without it the database cannot be read, and no backup contains it.",
        ),
        Err(error) => report
            .bad(sentence(&error.to_string()), "Correct it. The server does not start with it as it is."),
    }
    files.load().ok()
}

fn other_keys(report: &mut Report, files: &KeyFiles) {
    if files.next().exists() {
        let remedy = "It is finished at the next start of the server. To finish it now: majordomo key rotate";
        report.notable("A change of the master key is not finished.", remedy);
    }
    let retired = files.retired().map(|retired| retired.len()).unwrap_or_default();
    if retired > 0 {
        let remedy = "Delete their files when you no longer need the backups that were made with them.";
        report.notable(format!("Old master keys are kept: {retired}."), remedy);
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
        return report.notable("There is no database yet.", "It is created at the first start.");
    }
    let url = match database_url(config, data) {
        Ok(url) => url,
        Err(error) => return problem(report, &error),
    };
    match store::inspect(&url).await {
        Ok(found) => inside(report, &url, &found, keys, audit_note::read(data)).await,
        Err(error) => {
            report.unchecked("the contents of the database");
            problem(report, &store_problem(&error));
        }
    }
}

fn problem(report: &mut Report, error: &Error) {
    report.failure(error);
}

/// A running server is asked whether it is content with its database.
async fn through_server(report: &mut Report, data: &DataDirectory) {
    match Client::new(data.socket(), None).ask(Request::get("/readyz")).await {
        Ok(_) => report.good("The server says that its database works."),
        Err(error) => report.bad(
            sentence(&format!("The server is not ready: {error}")),
            "Look at its log (majordomo serve -v), and check the disk and the database server.",
        ),
    }
}

/// What admins have stored about models.
pub async fn models(
    report: &mut Report,
    config: &Config,
    data: &DataDirectory,
    keys: Option<&KeyRing>,
) -> StoredModels {
    let untold = "providers and the default model that were set on the page";
    let (Ok(url), Some(keys)) = (database_url(config, data), keys) else {
        report.unchecked(untold);
        return StoredModels::default();
    };
    let is_open = match store::inspect(&url).await {
        Ok(found) if found.versions.is_empty() => return StoredModels::default(),
        Ok(found) => found.check_known().is_ok() && found.pending().is_empty(),
        Err(_) => false,
    };
    // Why it cannot be read was said where the database was looked at.
    let found = if is_open { store::stored_models(&url, keys).await.ok() } else { None };
    found.unwrap_or_else(|| {
        report.unchecked(untold);
        StoredModels::default()
    })
}

async fn inside(
    report: &mut Report,
    url: &str,
    found: &Inspection,
    keys: Option<&KeyRing>,
    note: Option<Vec<u8>>,
) {
    let kind = if url.starts_with("sqlite:") { "SQLite" } else { "PostgreSQL" };
    if let Err(error) = found.check_known() {
        return problem(report, &store_problem(&error));
    }
    if found.versions.is_empty() {
        return report.notable("The database is empty.", "It is filled at the first start.");
    }
    let version = found.versions.iter().max().copied().unwrap_or_default();
    if !found.pending().is_empty() {
        report.unchecked("the contents of the database, because its schema is older than this program");
        return report.notable(
            format!(
                "{kind} opens, but its schema is older than this program (version {version} of {}).",
                store::schema_version()
            ),
            "The next start of the server makes a backup and upgrades it. To do it now: majordomo migrate",
        );
    }
    report.good(format!("{kind} opens, schema version {version}."));
    let has_keys = keys.is_some_and(|keys| !keys.is_empty());
    let is_noted = note.is_some();
    match store::checkup(url, &keys.cloned().unwrap_or_default(), note).await {
        Ok(found) => {
            findings(report, &found, has_keys, is_noted);
            if kind == "PostgreSQL" {
                nodes(report, &found.nodes);
            }
        }
        Err(error @ store::Error::Damaged(_)) => report.bad(sentence(&error.to_string()), RESTORE),
        Err(error) => problem(report, &store_problem(&error)),
    }
}

fn findings(report: &mut Report, found: &Checkup, has_keys: bool, is_noted: bool) {
    for damage in &found.damage {
        report.bad(format!("The database is damaged: {damage}."), RESTORE);
    }
    match (&found.damage, found.looked_at_pages) {
        (damage, true) if damage.is_empty() => report.good("The integrity check finds no damage."),
        (_, false) => report.unchecked("the files of PostgreSQL (its own tool pg_amcheck can check them)"),
        _ => {}
    }
    match &found.audit {
        _ if !has_keys => {
            report.unchecked("the audit log and the keys of all people, because that needs the master key")
        }
        Ok(entries) if is_noted => {
            report.good(format!(
                "The audit log is intact ({entries} entries), up to the last entry that this machine has noted."
            ));
        }
        Ok(entries) => {
            report.good(format!("The audit log is intact ({entries} entries)."));
            report.unchecked(
                "whether entries are missing at the end of the audit log (this machine has no note of the last entry, audit.note)",
            );
        }
        Err(store::Error::WrongMasterKey) => {
            report.unchecked("the audit log, because that needs the master key it was written with");
        }
        Err(error) => report.bad(
            error.to_string(),
            "The database was changed by something other than this program. Compare it with a backup.",
        ),
    }
    match &found.locked_out {
        // What is wrong with the master key was said above; without it nothing is known of theirs.
        _ if !has_keys => {}
        Ok(users) if users.is_empty() => {
            report.good(format!("The keys of all people can be opened (people: {}).", found.people))
        }
        Ok(users) => {
            let ids: Vec<String> = users.iter().map(ToString::to_string).collect();
            report.bad(
                format!("The keys of {} people cannot be opened: {}.", users.len(), ids.join(", ")),
                "Put back the master key that was in use before (a file master.key.retired-…), or restore a backup.",
            );
        }
        Err(error) => problem(report, &store_problem(error)),
    }
    for setting in &found.forgetful {
        report.notable(
            format!("The PostgreSQL server runs with {setting}."),
            "With this setting a crash can lose messages that were already confirmed. Switch it on in postgresql.conf.",
        );
    }
    if let Some(newest) = found.newest.filter(|newest| *newest > SystemClock.now()) {
        report.bad(
            format!("The newest entry of the database is dated in the future ({}).", moment_in_zone(newest)),
            "Set the clock of this machine: it was ahead earlier, or it is behind now.",
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
