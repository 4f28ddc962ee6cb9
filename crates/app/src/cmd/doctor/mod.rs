//! `majordomo doctor`: checks everything and says what to do about what is wrong.
//!
//! It changes nothing: no directory, key or database is made by looking.

mod backups;
mod checks;
mod database;
mod disk;
mod machine;
mod models;
mod nodes;
mod report;

use self::report::Report;
use crate::{
    config::Config,
    control::{Client, is_answering},
    data::DataDirectory,
    descriptors,
    error::{Error, Result},
    listening,
    terminal::Look,
};
use std::io::{Write as _, stdout};

pub async fn run(data: DataDirectory, loaded: Result<Config>, json: bool) -> Result<()> {
    let report = examine(&data, loaded).await;
    let text = if json { format!("{}\n", report.to_json()) } else { report.to_text(Look::detect()) };
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::Output)?;
    if report.is_healthy() { Ok(()) } else { Err(Error::Shown) }
}

async fn examine(data: &DataDirectory, loaded: Result<Config>) -> Report {
    let mut report = Report::default();
    report.section("program");
    report.good(format!("majordomo {}", env!("CARGO_PKG_VERSION")));
    machine::clock(&mut report);
    machine::sandbox(&mut report);
    report.section("data directory");
    checks::directory(&mut report, data);
    let is_running = is_answering(&Client::new(data.socket(), None)).await;
    checks::server(&mut report, data, is_running);
    report.section("settings");
    let config = match loaded {
        Ok(config) => config,
        Err(error) => {
            report.failure(&error);
            report.unchecked("the database, its backups and the models, because the settings that name them cannot be read");
            return report;
        }
    };
    checks::settings(&mut report, &config);
    let listens = is_running.then(|| listening::said(data)).flatten();
    checks::exposure(&mut report, &config.server, is_running, listens);
    let wanted = config.connections.capacity();
    machine::open_files(&mut report, wanted, descriptors::most(wanted.descriptors()));
    report.section("database");
    let keys = database::master_key(&mut report, &config, data);
    database::database(&mut report, &config, data, keys.as_ref(), is_running).await;
    report.section("backups");
    backups::backups(&mut report, &config, data);
    report.section("models");
    let stored = database::models(&mut report, &config, data, keys.as_ref()).await;
    models::models(&mut report, &config, stored).await;
    report
}
