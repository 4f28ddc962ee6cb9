//! The files of the repository that people write.

use super::source;
use anyhow::{Context, Result};
use std::{fs, path::Path};

/// Neither built, nor installed, nor kept by version control for itself.
const SKIPPED: [&str; 4] = ["target", "node_modules", ".git", "out"];
const EXTENSIONS: [&str; 12] =
    ["rs", "md", "toml", "sh", "sql", "yml", "yaml", "json", "ts", "mjs", "css", "txt"];
const BARE_NAMES: [&str; 2] = ["Makefile", "run"];

pub struct File {
    /// Relative to the root, with `/` between the parts.
    pub path: String,
    pub text: String,
    /// Of a Rust file: the text with comments and the contents of strings blanked out, line for line.
    pub code: Option<String>,
}

impl File {
    pub fn new(path: &str, text: String) -> Self {
        let code = path.ends_with(".rs").then(|| source::blank(&text));
        Self { path: path.to_owned(), text, code }
    }

    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

pub fn read(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    walk(root, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn walk(directory: &Path, prefix: &str, files: &mut Vec<File>) -> Result<()> {
    let entries = fs::read_dir(directory).with_context(|| format!("{prefix} cannot be listed"))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
            walk(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() && is_written_by_people(&name) {
            let bytes = fs::read(entry.path()).with_context(|| format!("{path} cannot be read"))?;
            files.push(File::new(&path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(())
}

fn is_written_by_people(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    BARE_NAMES.contains(&name) || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}
