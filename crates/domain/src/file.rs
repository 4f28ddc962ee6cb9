//! A session's files: where one may be, and what is known of it.

use crate::{Label, Timestamp, is_misleading};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{borrow::Cow, fmt, str::FromStr};

/// A whole path, in bytes.
const LONGEST: usize = 1_024;
/// One name in it, in bytes: no file system takes more.
const LONGEST_NAME: usize = 255;
const DEEPEST: usize = 32;

/// Where a file or a folder is among the files of its session: `/` or `/name/name`.
///
/// THREAT[files-01]: one spelling per place. Nothing that another program could read as a step upwards, an empty step or
/// the end of the text becomes a path, so a program that copies the files to a real folder stays inside of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FilePath(String);

/// Why a text is no path of a session's file, in words that say what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilePathError {
    #[error("A path must begin with `/`, for instance /notes/today.md.")]
    NotAbsolute,
    #[error(
        "A path must have at most {LONGEST} bytes, {DEEPEST} levels, and {LONGEST_NAME} bytes in one name."
    )]
    TooLong,
    #[error("A path must not have two `/` in a row.")]
    EmptyStep,
    #[error("A path must not contain `.` or `..`. Write the whole path.")]
    Dots,
    #[error("A name in a path must not have a backslash, a control character, or a space at its end.")]
    BadCharacter,
}

impl FilePath {
    pub fn root() -> Self {
        Self("/".to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Can a path have this character?
    pub fn may_hold(character: char) -> bool {
        character != '\\' && !is_misleading(character)
    }

    pub fn is_root(&self) -> bool {
        self.0 == "/"
    }

    /// The last name; empty for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder that it is in; none for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        match self.0.rsplit_once('/') {
            Some(("", _)) | None => Some(Self::root()),
            Some((folder, _)) => Some(Self(folder.to_owned())),
        }
    }

    /// The folders above it that are not the root, the outermost first.
    pub fn folders(&self) -> Vec<Self> {
        let mut above: Vec<Self> =
            std::iter::successors(self.parent(), Self::parent).filter(|folder| !folder.is_root()).collect();
        above.reverse();
        above
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for FilePath {
    type Err = FilePathError;

    /// A single `/` at the end, by which many mark a folder, is taken off; everything else must be as it is.
    fn from_str(text: &str) -> Result<Self, FilePathError> {
        if text == "/" {
            return Ok(Self::root());
        }
        let names = text.strip_prefix('/').ok_or(FilePathError::NotAbsolute)?;
        let names = names.strip_suffix('/').unwrap_or(names);
        if names.len() > LONGEST || names.split('/').count() > DEEPEST {
            return Err(FilePathError::TooLong);
        }
        names.split('/').try_for_each(check_name)?;
        Ok(Self(format!("/{names}")))
    }
}

fn check_name(name: &str) -> Result<(), FilePathError> {
    if name.is_empty() {
        return Err(FilePathError::EmptyStep);
    }
    if name.len() > LONGEST_NAME {
        return Err(FilePathError::TooLong);
    }
    let plain = name.to_ascii_lowercase().replace("%2e", ".");
    if plain.chars().all(is_dot) {
        return Err(FilePathError::Dots);
    }
    if name.ends_with(char::is_whitespace) || !name.chars().all(FilePath::may_hold) {
        return Err(FilePathError::BadCharacter);
    }
    Ok(())
}

/// A dot, or what some programs make a dot of.
fn is_dot(character: char) -> bool {
    matches!(character, '.' | '\u{2024}' | '\u{2025}' | '\u{2026}' | '\u{fe52}' | '\u{ff0e}' | '\u{ff61}')
}

impl Serialize for FilePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for FilePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for FilePath {
    fn schema_name() -> Cow<'static, str> {
        "FilePath".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^/", "maxLength": 1025, "examples": ["/notes/today.md"] })
    }
}

/// What is known of a file or a folder of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileInfo {
    pub path: FilePath,
    /// The last name of the path.
    pub name: String,
    pub is_directory: bool,
    /// It can be neither changed nor deleted.
    pub is_readonly: bool,
    /// In bytes; 0 for a folder.
    pub size_bytes: u64,
    /// Where what is in it comes from.
    #[serde(default = "of_a_person")]
    pub label: Label,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

const fn of_a_person() -> Label {
    Label::TRUSTED_PRIVATE
}

/// Why something was not done with a file. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileRefusal {
    #[error("There is no file or folder {0}.")]
    Missing(FilePath),
    #[error("{0} is a folder, not a file.")]
    IsDirectory(FilePath),
    #[error("{0} is a file, not a folder.")]
    NotDirectory(FilePath),
    #[error("The folder {0} is not empty. Use `recursive` to delete it with everything in it.")]
    NotEmpty(FilePath),
    #[error("There is already a file or folder {0}.")]
    Exists(FilePath),
    #[error("{0} is read-only, so it cannot be changed or deleted.")]
    ReadOnly(FilePath),
    #[error("The root folder cannot be changed or deleted.")]
    Root,
    #[error("This file is too large. The limit is {}.", crate::size_words(*.0))]
    TooLarge(u64),
    #[error("The files of this conversation are too large together. The limit is {}. Delete some first.", crate::size_words(*.0))]
    NoRoom(u64),
    #[error("A conversation can have at most {0} files and folders. Delete some first.")]
    TooMany(u64),
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
