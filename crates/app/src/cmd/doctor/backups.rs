//! Are there backups, and are they good?

use super::report::Report;
use crate::{config::Config, data::DataDirectory};
use capability::{Clock as _, SystemClock};
use domain::Timestamp;
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};
use store::backup;

pub fn backups(report: &mut Report, config: &Config, data: &DataDirectory) {
    let folder = config.backup.folder(data);
    let Some(newest) = newest(&folder) else {
        let remedy = match config.backup.every.value {
            Some(_) => {
                "A running server makes the first one after ten minutes. To make one now: majordomo backup FILE"
            }
            None => {
                "backup.every is `never`, so the server makes none. Make your own, for instance with a timer: majordomo backup FILE"
            }
        };
        return report.notable(format!("There is no backup in {} yet.", folder.display()), remedy);
    };
    report.unchecked(
        "whether the newest backup can be restored, and the older backups (only the checksums of the newest one were compared)",
    );
    match backup::check_digests(&newest) {
        Ok(manifest) => age(report, config, &newest, manifest.made_at, SystemClock.now()),
        Err(error) => {
            let remedy = "Check the disk, delete that file and make a new backup: majordomo backup FILE";
            report.bad(error.to_string(), remedy);
        }
    }
}

fn age(report: &mut Report, config: &Config, path: &Path, made_at: Timestamp, now: Timestamp) {
    let hours = now.as_millis().saturating_sub(made_at.as_millis()) / 3_600_000;
    let text = format!("The newest backup {} is {hours} hours old and intact.", path.display());
    let Some(every) = config.backup.every.value else { return report.good(text) };
    let every = i64::try_from(every.as_secs()).unwrap_or(i64::MAX) / 3_600;
    // One may be late; two are a sign.
    if hours > every.saturating_mul(2).saturating_add(1) {
        let remedy = "Backups are made while the server runs; its log says why one failed. To make one now: majordomo backup FILE";
        return report.notable(text, remedy);
    }
    report.good(text);
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let paths = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let backups = paths.filter(|path| path.extension().is_some_and(|extension| extension == "backup"));
    let changed = |path: &PathBuf| {
        fs::metadata(path).and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    backups.max_by_key(changed)
}
