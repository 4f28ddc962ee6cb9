//! The data directory: everything that belongs to one household, readable by its owner only.

use crate::error::{Result, advised};
use domain::NodeId;
use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDirectory {
    path: PathBuf,
    /// It is where this platform keeps such things, so commands need not name it.
    is_usual: bool,
}

impl DataDirectory {
    pub fn locate(given: Option<&Path>) -> Result<Self> {
        let usual =
            directories::ProjectDirs::from("", "", "majordomo").map(|dirs| dirs.data_dir().to_owned());
        let path = match (given, &usual) {
            (Some(given), _) if given.as_os_str().is_empty() => {
                return Err(advised(
                    "The name of the data directory is empty.",
                    "Name a directory: --data DIR",
                ));
            }
            (Some(given), _) => std::path::absolute(given).map_err(|error| {
                advised(
                    format!("{} is not a directory: {error}.", given.display()),
                    "Name another directory: --data DIR",
                )
            })?,
            (None, Some(usual)) => usual.clone(),
            (None, None) => {
                return Err(advised(
                    "The home directory of this account is not known.",
                    "Name the data directory: --data DIR",
                ));
            }
        };
        let is_usual = usual.as_deref() == Some(path.as_path());
        Ok(Self { path, is_usual })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn is_usual(&self) -> bool {
        self.is_usual
    }

    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    pub fn lock(&self) -> PathBuf {
        self.file("lock")
    }

    pub fn socket(&self) -> PathBuf {
        self.file("control.sock")
    }

    /// Makes the directory if it is not there, for its owner alone.
    pub fn create(&self) -> Result<()> {
        let failed = |error: io::Error| {
            advised(
                format!("The data directory {} cannot be created: {error}.", self.path.display()),
                "Name a directory that you can write to: --data DIR",
            )
        };
        if self.path.is_dir() {
            return Ok(());
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.path).map_err(failed)?;
        // The umask may have taken away more than asked; the owner must be able to work in it.
        fs::set_permissions(&self.path, fs::Permissions::from_mode(0o700)).map_err(failed)
    }

    /// Who we are among the nodes of this store; kept, so that a restarted program knows its own leases.
    /// Called under the lock only.
    pub fn node(&self) -> Result<NodeId> {
        let path = self.file("node");
        let kept = fs::read_to_string(&path).ok();
        if let Some(node) = kept.and_then(|text| text.lines().next()?.trim().parse().ok()) {
            return Ok(node);
        }
        let node = NodeId::from_uuid(Uuid::now_v7());
        self.write_node(&format!("{node}\n"))?;
        Ok(node)
    }

    /// The process that was this node last, and which lock it held, where both are known.
    pub fn node_process(&self) -> Option<(String, String)> {
        let text = fs::read_to_string(self.file("node")).ok()?;
        let mut lines = text.lines().skip(1).map(str::to_owned);
        Some((lines.next()?, lines.next()?))
    }

    /// This process is the node from now on.
    pub fn note_process(&self, node: NodeId, boot: &str, lock: &str) -> Result<()> {
        self.write_node(&format!("{node}\n{boot}\n{lock}\n"))
    }

    /// In one go: a process that is killed here leaves what was there before.
    fn write_node(&self, text: &str) -> Result<()> {
        let (path, new) = (self.file("node"), self.file("node.new"));
        let write = || {
            let mut file =
                fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().map_err(|error: io::Error| {
            advised(
                format!("{} cannot be written: {error}.", path.display()),
                "Check the permissions and the free space of the data directory.",
            )
        })
    }
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
