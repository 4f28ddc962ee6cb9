//! The master key and the database behind it.

use super::report::Report;
use crate::{
    assemble::open_store,
    config::{Config, Database},
    control::{Client, Request},
    data::DataDirectory,
    lock::{Attempt, Lock, Purpose},
};
use secrecy::ExposeSecret as _;
use store::{MasterKey, Store, Tx};

pub fn master_key(report: &mut Report, config: &Config, data: &DataDirectory) {
    if let Some(key) = &config.store.master_key {
        return match MasterKey::parse(key.expose_secret()) {
            Ok(_) => report.good("the master key is in MAJORDOMO_MASTER_KEY"),
            Err(error) => report.bad(format!("MAJORDOMO_MASTER_KEY: {error}"), "correct or unset it"),
        };
    }
    let path = config.store.master_key_file(data);
    match MasterKey::load(&path) {
        Ok(Some(_)) => {
            report.good(format!("the master key {} is there, for its owner alone", path.display()))
        }
        Ok(None) if is_fresh(config, data) => {
            report.notable(
                "there is no master key yet",
                "it is made at the first start; then keep a copy elsewhere",
            );
        }
        Ok(None) => report.bad(
            format!("the master key {} is missing", path.display()),
            "put it back: without it the database cannot be read, and no backup of the database contains it",
        ),
        Err(error) => report.bad(error.to_string(), "the program does not start with it as it is"),
    }
}

pub async fn database(report: &mut Report, config: &Config, data: &DataDirectory, is_running: bool) {
    if is_running {
        return through_server(report, data).await;
    }
    if is_fresh(config, data) {
        return report.notable("there is no database yet", "it is made at the first start");
    }
    let lock = match Lock::attempt(data, Purpose::Command) {
        Ok(Attempt::Taken(lock)) => lock,
        // Said already, with its remedy.
        Ok(Attempt::Held(_)) | Err(_) => return,
    };
    match open_store(config, data).await {
        Ok(store) => {
            inside(report, &store).await;
            store.close().await;
        }
        Err(error) => report.bad(error.to_string(), error.advice().unwrap_or_default()),
    }
    drop(lock);
}

/// A running server has the database open; it is asked instead of disturbed.
async fn through_server(report: &mut Report, data: &DataDirectory) {
    match Client::new(data.socket(), None).ask(Request::get("/readyz")).await {
        Ok(_) => report.good("the server says that its database works"),
        Err(error) => report.bad(
            format!("the server is not ready: {error}"),
            "look at its log (majordomo serve -v), check the disk and the database's server",
        ),
    }
}

async fn inside(report: &mut Report, store: &Store) {
    match look_inside(store).await {
        Ok((version, problems)) => {
            report.good(format!("{} opens, schema version {version}", store.kind()));
            for problem in &problems {
                report.bad(
                    format!("the database is damaged: {problem}"),
                    "restore a backup of the data directory",
                );
            }
            if problems.is_empty() {
                report.good("the integrity check finds nothing");
            }
        }
        Err(error) => {
            report.bad(format!("the database does not answer: {error}"), "restore a backup if it stays so")
        }
    }
}

/// The schema's version, and what a quick look through all pages finds. PostgreSQL checks its own pages.
async fn look_inside(store: &Store) -> store::Result<(u64, Vec<String>)> {
    let is_sqlite = store.kind() == "sqlite";
    store
        .read(async move |tx: &mut Tx| {
            let version: u64 =
                tx.one("SELECT CAST(MAX(version) AS BIGINT) FROM schema_version", Vec::new()).await?;
            let found: Vec<String> =
                if is_sqlite { tx.all("PRAGMA quick_check(20)", Vec::new()).await? } else { Vec::new() };
            Ok((version, found.into_iter().filter(|line| line != "ok").collect()))
        })
        .await
}

fn is_fresh(config: &Config, data: &DataDirectory) -> bool {
    match config.store.database(data) {
        Database::Sqlite(path) => std::fs::metadata(path).map_or(true, |found| found.len() == 0),
        // Only asking it could tell, and asking it begins it.
        Database::Postgres(_) => false,
    }
}
