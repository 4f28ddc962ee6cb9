//! The directory, the server and the settings.

use super::{disk, report::Report};
use crate::{
    config::{Config, MASKED, Origin, Server},
    data::DataDirectory,
    lock::{Attempt, Lock, Purpose},
};
use std::{
    fs,
    net::SocketAddr,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
};

pub fn directory(report: &mut Report, data: &DataDirectory) {
    let path = data.path();
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            report.notable(
                format!("{} does not exist yet.", path.display()),
                "It is created at the first start.",
            );
            return;
        }
        Err(error) => {
            let remedy = "Name a directory that belongs to you: --data DIR";
            return report.bad(format!("{} cannot be read: {error}.", path.display()), remedy);
        }
    };
    if !found.is_dir() {
        return report
            .bad(format!("{} is not a directory.", path.display()), "Name another directory: --data DIR");
    }
    match found.permissions().mode() & 0o777 {
        mode if mode & 0o077 == 0 => {
            report.good(format!("{} is readable by its owner only (mode {mode:o}).", path.display()))
        }
        mode => report.bad(
            format!("Other users of this machine can read {} (mode {mode:o}).", path.display()),
            format!("Run: chmod 700 {}", path.display()),
        ),
    }
    ownership(report, path, found.uid());
    writable(report, data);
    disk::disk(report, path);
}

/// Everything in it is written by the user who runs the program.
fn ownership(report: &mut Report, path: &Path, owner: u32) {
    let Some(ours) = fs::metadata("/proc/self").ok().map(|own| own.uid()) else { return };
    if ours == 0 && owner != 0 {
        report.notable(
            format!("{} belongs to user {owner}, but you run this command as root.", path.display()),
            "Run it as that user. They cannot read files that root creates there.",
        );
    } else if ours != owner {
        report.bad(
            format!("{} belongs to user {owner}, not to you ({ours}).", path.display()),
            format!("Run this command as that user, or run: chown -R {ours} {}", path.display()),
        );
    }
}

/// Opened for writing, but not written to.
fn writable(report: &mut Report, data: &DataDirectory) {
    let path = data.lock();
    if !path.exists() {
        return;
    }
    if let Err(error) = fs::OpenOptions::new().append(true).open(&path) {
        report.bad(
            format!("{} cannot be written to: {error}.", data.path().display()),
            "Mount its disk for writing and make the directory yours, or name another directory: --data DIR",
        );
    }
}

pub fn server(report: &mut Report, data: &DataDirectory, is_running: bool) {
    if !data.lock().exists() {
        return report.good("No server is running.");
    }
    match (Lock::attempt(data, Purpose::Command), is_running) {
        (Ok(Attempt::Held(pid)), true) => report.good(format!("A server is running{}.", shown(pid))),
        (Ok(Attempt::Held(pid)), false) => report.bad(
            format!(
                "Another majordomo{} uses this data directory but does not answer on its control socket.",
                shown(pid)
            ),
            "If it is still starting, wait. Otherwise stop it and start it again.",
        ),
        (Ok(Attempt::Taken(_)), false) => report.good("No server is running."),
        (Ok(Attempt::Taken(_)), true) => report.bad(
            "A server answers on the control socket, but does not hold the lock of this data directory.",
            "The file `lock` may have been deleted. Stop the server and start it again.",
        ),
        (Err(error), _) => report.failure(&error),
    }
}

/// Port 0 is any port.
fn is_meant(wanted: SocketAddr, taken: SocketAddr) -> bool {
    wanted.ip() == taken.ip() && (wanted.port() == 0 || wanted.port() == taken.port())
}

fn shown(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

pub fn settings(report: &mut Report, config: &Config) {
    match &config.file {
        Some(path) => report.good(format!("The settings were read from {}.", path.display())),
        None => report.good("There is no majordomo.toml, and none is needed."),
    }
    for setting in config.shown() {
        report.good(format!("{} = {} ({})", setting.name, setting.value, setting.origin));
    }
    key_in_file(report, config);
}

/// A key in the file of the settings is as safe as the file.
fn key_in_file(report: &mut Report, config: &Config) {
    let Some(path) = &config.file else { return };
    let secrets = config
        .shown()
        .into_iter()
        .filter(|setting| matches!(&setting.origin, Origin::File { .. }) && setting.value.contains(MASKED));
    let names: Vec<String> = secrets.map(|setting| setting.name).collect();
    let Ok(found) = fs::metadata(path) else { return };
    let mode = found.permissions().mode() & 0o777;
    if names.is_empty() || mode & 0o077 == 0 {
        return;
    }
    let text =
        format!("{} holds {} and can be read by others (mode {mode:o})", path.display(), names.join(", "));
    let remedy = format!(
        "Run: chmod 600 {} — or put the key into an environment variable and name that variable with api_key_env.",
        path.display()
    );
    let is_closed = path
        .parent()
        .and_then(|folder| fs::metadata(folder).ok())
        .is_some_and(|folder| folder.permissions().mode() & 0o077 == 0);
    match is_closed {
        true => report.notable(format!("{text} as soon as others can open its folder."), remedy),
        false => report.bad(format!("{text}."), remedy),
    }
}

/// Who can reach it, and whether others can listen: at the address of the server that runs, else at that of the settings.
pub fn exposure(report: &mut Report, configured: &Server, is_running: bool, listens: Option<SocketAddr>) {
    let mut server = configured.clone();
    match listens {
        Some(address) => {
            report.good(format!("The running server listens on http://{address}."));
            server.bind.value = address;
        }
        None if is_running => {
            report.unchecked("on which address the running server listens (its file `listening` is missing)")
        }
        None => {}
    }
    if listens.is_some_and(|address| !is_meant(configured.bind.value, address)) {
        report.notable(
            format!(
                "The settings name another address: {} ({}).",
                configured.bind.value, configured.bind.origin
            ),
            "The server was started with --bind, or the settings were changed since. Restart it to use the settings.",
        );
    }
    let server = &server;
    if let Err(error) = server.check_exposure() {
        return report.failure(&error);
    }
    let is_local = server.bind.value.ip().to_canonical().is_loopback();
    match &server.public_url {
        Some(url) if url.value.starts_with("http://") => report.notable(
            format!("People use {}, which is not encrypted.", url.value),
            "Give the reverse proxy a certificate and set server.public_url = \"https://…\" (see docs/deploy.md).",
        ),
        Some(url) if !is_local => report.notable(
            format!("People use {}, but {} can also be reached directly, without the proxy.", url.value, server.bind.value),
            "If the proxy is on this machine, set server.bind to 127.0.0.1. Otherwise let the firewall admit only the proxy.",
        ),
        Some(url) => report.good(format!("People use {}, through a proxy on this machine.", url.value)),
        None if is_local => {
            report.good("Only this machine can reach the server. docs/deploy.md shows how to open it to others.")
        }
        None => report.notable(
            format!("Other machines can reach {} without encryption.", server.bind.value),
            "Put a reverse proxy with TLS in front of it (see docs/deploy.md).",
        ),
    }
}
