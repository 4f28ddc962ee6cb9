//! Which layers this machine has.

use crate::{
    Error,
    process::{Exit, Layer, ProcessOutcome, Report},
};
use landlock::{ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The first version that can close user namespaces behind itself.
const OLDEST: (u32, u32) = (0, 8);
/// Where programs are when the settings do not say.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

pub(super) fn layers(program: &Path) -> (Report, Option<PathBuf>) {
    let path = std::env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into());
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let found = folders.map(|folder| folder.join("bwrap")).find(|file| file.is_file());
    let layers = vec![
        bubblewrap(found.as_deref()),
        namespaces(),
        seccomp(),
        own_program(program),
        landlock(),
        memory(),
    ];
    (Report { layers }, found)
}

fn layer(name: &'static str, mandatory: bool, found: Result<String, String>) -> Layer {
    let present = found.is_ok();
    let (Ok(detail) | Err(detail)) = found;
    Layer { name, mandatory, present, detail }
}

fn bubblewrap(found: Option<&Path>) -> Layer {
    const INSTALL: &str =
        "Install the package bubblewrap, 0.8 or newer: apt-get install bubblewrap, or dnf install bubblewrap";
    let version = || {
        let path = found.ok_or_else(|| INSTALL.to_owned())?;
        let said =
            Command::new(path).arg("--version").env_clear().output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        match version_in(&said) {
            Some(version) if version >= OLDEST => Ok(said),
            _ => Err(format!("{said} is too old; {INSTALL}")),
        }
    };
    layer("bubblewrap", true, version())
}

fn version_in(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.split_whitespace().last()?.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

fn namespaces() -> Layer {
    let read = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let most = read("/proc/sys/user/max_user_namespaces");
    let closed = read("/proc/sys/kernel/unprivileged_userns_clone").is_some_and(|value| value == "0");
    let found = match (most.as_deref(), closed) {
        (None, _) => {
            Err("This Linux kernel has no user namespaces. Use a kernel with CONFIG_USER_NS.".to_owned())
        }
        (Some("0"), _) => Err("They are switched off. Run: sysctl user.max_user_namespaces=15000".to_owned()),
        (_, true) => Err("They are switched off. Run: sysctl kernel.unprivileged_userns_clone=1".to_owned()),
        (Some(most), _) => Ok(format!("at most {most}")),
    };
    layer("user namespaces", true, found)
}

fn seccomp() -> Layer {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = match (status.contains("\nSeccomp:"), super::seccomp::filters()) {
        (true, Ok(filters)) => {
            Ok(format!("{} instructions", filters.iter().map(Vec::len).sum::<usize>() / 8))
        }
        (false, _) => {
            Err("This Linux kernel has no system call filters. Use a kernel with CONFIG_SECCOMP_FILTER."
                .to_owned())
        }
        (_, Err(error)) => Err(format!("No filter can be made for this machine: {error}.")),
    };
    layer("system call filter", true, found)
}

fn own_program(program: &Path) -> Layer {
    let found = std::fs::File::open(program).map(|_| "readable".to_owned());
    layer(
        "this program",
        true,
        found.map_err(|error| format!("{} cannot be read: {error}", program.display())),
    )
}

fn landlock() -> Layer {
    let made = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create);
    let found = made.map(|_| "a second protection of files".to_owned());
    layer(
        "Landlock",
        false,
        found.map_err(|_| {
            "it needs Linux 5.13 or newer and lsm=landlock; files are protected without it, too".to_owned()
        }),
    )
}

/// Without a group of its own in the kernel a run's memory is watched from outside.
fn memory() -> Layer {
    let listed = Path::new("/proc/self/task").join(std::process::id().to_string()).join("children").exists();
    let detail = "The memory watch needs a Linux kernel with CONFIG_PROC_CHILDREN.";
    layer("memory watch", true, if listed { Ok("every 50 ms".to_owned()) } else { Err(detail.to_owned()) })
}

/// What the trial run said.
pub(super) fn trial(outcome: Result<ProcessOutcome, Error>) -> Layer {
    let found = match outcome {
        Ok(outcome) if outcome.exit == Exit::Code(0) => Ok(format!("took {} ms", outcome.took.as_millis())),
        Ok(outcome) => Err(format!("it ended with {:?}: {}", outcome.exit, outcome.errors.text().trim())),
        Err(error) => Err(format!(
            "{error}; on Ubuntu an AppArmor profile for bwrap may be needed (package apparmor-profiles)"
        )),
    };
    layer("trial run", true, found)
}
