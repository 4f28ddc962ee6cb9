//! Files on their way into a cage and back. The folder is known by its descriptor alone: it has no name out here.

use crate::{
    Error,
    process::{
        Change, File, LeftOut, Limits,
        path::{DEEPEST, is_name, parts},
    },
};
use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, chmodat, mkdirat, openat, statat},
    io::Errno,
};
use std::{
    collections::BTreeMap,
    io::{Read, Write},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const MOST_LEFT_OUT: usize = 100;
const MOST_ENTRIES: usize = 50_000;

/// Nothing untrusted runs yet, so nothing is in the way.
pub(super) fn fill(folder: &OwnedFd, files: &[File]) -> Result<(), Error> {
    for file in files {
        let problem = |why: String| Error::File { path: file.path.clone(), why };
        let names =
            parts(&file.path).ok_or_else(|| problem("its path leads outside of the folder".to_owned()))?;
        write(folder.as_fd(), &names, &file.bytes).map_err(|error| {
            let full = error.raw_os_error() == Some(Errno::NOSPC.raw_os_error());
            problem(if full {
                "the files are larger than the space for them".to_owned()
            } else {
                error.to_string()
            })
        })?;
    }
    Ok(())
}

fn write(folder: BorrowedFd<'_>, names: &[&str], bytes: &[u8]) -> std::io::Result<()> {
    let Some((name, above)) = names.split_last() else { return Ok(()) };
    let mut at = folder.try_clone_to_owned()?;
    for &part in above {
        match mkdirat(&at, part, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => at = openat(&at, part, FOLDER, Mode::empty())?,
            Err(error) => return Err(error.into()),
        }
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(&at, *name, flags, Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH)?;
    std::fs::File::from(file).write_all(bytes)
}

/// What has become of the files. Everybody who could still change them is dead.
pub(super) fn changes(folder: &OwnedFd, before: &[File], limits: &Limits) -> (Vec<Change>, Vec<LeftOut>) {
    let names = |file: &File| parts(&file.path).map(|names| names.join("/"));
    let mut search = Search {
        before: before.iter().filter_map(|file| Some((names(file)?, file.bytes.as_slice()))).collect(),
        changes: Vec::new(),
        left_out: Vec::new(),
        entries: 0,
        room: limits.disk,
        most: limits.changes,
    };
    search.folder(folder.as_fd(), "", 0);
    let deleted = std::mem::take(&mut search.before).into_keys().map(|path| Change::Deleted { path });
    search.changes.extend(deleted);
    (search.changes, search.left_out)
}

struct Search<'a> {
    /// Those that have not been met yet.
    before: BTreeMap<String, &'a [u8]>,
    changes: Vec<Change>,
    left_out: Vec<LeftOut>,
    entries: usize,
    room: u64,
    most: usize,
}

impl Search<'_> {
    fn folder(&mut self, folder: BorrowedFd<'_>, path: &str, depth: usize) {
        let Ok(entries) = Dir::read_from(folder) else { return self.pass_over(path, "it cannot be read") };
        for entry in entries {
            let Ok(entry) = entry else { return self.pass_over(path, "it cannot be read") };
            let raw = entry.file_name().to_bytes();
            if matches!(raw, b"." | b"..") {
                continue;
            }
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                self.before.clear();
                return self.leave_out(path, "there are too many files");
            }
            let lossy = String::from_utf8_lossy(raw);
            let below = if path.is_empty() { lossy.to_string() } else { format!("{path}/{lossy}") };
            match std::str::from_utf8(raw) {
                Ok(name) if is_name(name) => self.entry(folder, name, &below, depth),
                _ => self.leave_out(&below, "its name is not valid text"),
            }
        }
    }

    fn entry(&mut self, folder: BorrowedFd<'_>, name: &str, path: &str, depth: usize) {
        let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
            return self.pass_over(path, "it cannot be read");
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory if depth + 1 >= DEEPEST => {
                self.pass_over(path, "it is nested in too many folders")
            }
            FileType::Directory => match open(folder, name, FOLDER, Mode::RWXU) {
                Ok(below) => self.folder(below.as_fd(), path, depth + 1),
                Err(_) => self.pass_over(path, "it cannot be read"),
            },
            FileType::RegularFile => {
                self.file(folder, name, path, u64::try_from(stat.st_size).unwrap_or(u64::MAX))
            }
            // THREAT[cage-11]: a link would be followed by whoever reads the session's files later.
            _ => self.leave_out(path, "it is not a file"),
        }
    }

    fn file(&mut self, folder: BorrowedFd<'_>, name: &str, path: &str, size: u64) {
        if size > self.room {
            self.before.remove(path);
            return self.leave_out(path, "it is too large");
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut bytes = Vec::new();
        let read = open(folder, name, flags, Mode::RUSR | Mode::WUSR).map_err(std::io::Error::from).and_then(
            |file| std::fs::File::from(file).take(self.room.saturating_add(1)).read_to_end(&mut bytes),
        );
        let known = self.before.remove(path);
        if read.is_err() || bytes.len() as u64 > self.room {
            return self.leave_out(path, "it cannot be read");
        }
        if known == Some(bytes.as_slice()) {
            return;
        }
        if self.changes.len() >= self.most {
            return self.leave_out(path, "too many files have changed");
        }
        self.room = self.room.saturating_sub(bytes.len() as u64);
        self.changes.push(Change::Written { path: path.to_owned(), bytes });
    }

    /// Nothing is known of it and of what lies below: what was not seen was not deleted.
    fn pass_over(&mut self, path: &str, why: &'static str) {
        let below = |known: &str| match path {
            "" => true,
            path => known.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        };
        self.before.retain(|known, _| !below(known));
        self.leave_out(path, why);
    }

    fn leave_out(&mut self, path: &str, why: &'static str) {
        if self.left_out.len() < MOST_LEFT_OUT {
            self.left_out.push(LeftOut { path: path.to_owned(), why });
        }
    }
}

/// Opens what we own, also when its owner has locked themself out.
fn open(folder: BorrowedFd<'_>, name: &str, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            chmodat(folder, name, mode, AtFlags::empty())?;
            openat(folder, name, flags, Mode::empty())
        }
        outcome => outcome,
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
