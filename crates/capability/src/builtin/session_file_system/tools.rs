//! The six tools.

use super::reads_only;
use crate::{Grep, Port, Tool, ToolContext, ToolError, arguments};
use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use domain::{ArgumentKind, EffectClass, FileInfo, ToolSpec};
use serde_json::{Value, json};

/// A zero byte among the first of a file says that it is not text.
const LOOKED_AT: usize = 8 << 10;
/// Entries of a folder that the model is shown.
const ENTRIES: usize = 100;
const MATCHES: usize = 100;
const PATH: &[(&str, ArgumentKind)] = &[("path", ArgumentKind::Path)];
const ENCODINGS: [&str; 2] = ["text", "base64"];

fn path_schema(words: &str) -> Value {
    json!({ "type": "string", "description": words })
}

fn schema(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn spec(name: &str, description: &str, parameters: Value) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters }
}

fn check_writable(context: &ToolContext) -> Result<(), ToolError> {
    match reads_only(&context.settings) {
        true => Err(ToolError::failed("this agent may only read the files")),
        false => Ok(()),
    }
}

/// The content in a form that JSON can hold, and the name of that form.
fn encoded(content: Vec<u8>) -> (String, &'static str) {
    let binary = content.iter().take(LOOKED_AT).any(|byte| *byte == 0);
    match (binary, String::from_utf8(content)) {
        (false, Ok(text)) => (text, "text"),
        (true, Ok(text)) => (BASE64.encode(text), "base64"),
        (_, Err(error)) => (BASE64.encode(error.into_bytes()), "base64"),
    }
}

pub(super) struct ReadFile;

#[async_trait]
impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        let properties = json!({ "path": path_schema("The file, for instance /notes/today.md.") });
        spec(
            "read_file",
            "Read a file. Text comes as it is, anything else in base64.",
            schema(&properties, &["path"]),
        )
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn argument_kinds(&self) -> &'static [(&'static str, ArgumentKind)] {
        PATH
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Files]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let path = arguments::path(&arguments, "path", None)?;
        let found = context.ports.files()?.read(&path).await?;
        let (content, encoding) = encoded(found.content);
        let size = found.info.size_bytes;
        Ok(json!({ "path": path, "content": content, "encoding": encoding, "size_bytes": size }))
    }
}

pub(super) struct WriteFile;

#[async_trait]
impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        let properties = json!({
            "path": path_schema("The file; the folders that it is in are made as needed."),
            "content": { "type": "string", "description": "All of its content." },
            "encoding": {
                "type": "string",
                "enum": ENCODINGS,
                "description": "text (default), or base64 for bytes that are no text."
            }
        });
        spec(
            "write_file",
            "Write a whole file. What was in it before is replaced.",
            schema(&properties, &["path", "content"]),
        )
    }

    fn class(&self) -> EffectClass {
        EffectClass::Txn
    }

    fn argument_kinds(&self) -> &'static [(&'static str, ArgumentKind)] {
        PATH
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Files]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        check_writable(context)?;
        let path = arguments::path(&arguments, "path", None)?;
        let content = arguments::any_text(&arguments, "content")?;
        let content = match arguments::choice(&arguments, "encoding", &ENCODINGS)? {
            "base64" => BASE64.decode(content).map_err(|_| {
                ToolError::failed("parameter `content` is not valid base64 (RFC 4648, padded)")
            })?,
            _ => content.as_bytes().to_vec(),
        };
        let written = context.ports.files()?.write(&path, content).await?;
        Ok(json!({ "path": path, "size_bytes": written.info.size_bytes, "created": written.created }))
    }
}

pub(super) struct ListDirectory;

#[async_trait]
impl Tool for ListDirectory {
    fn spec(&self) -> ToolSpec {
        let properties = json!({ "path": path_schema("The folder; / by default.") });
        spec("list_directory", "List what is in a folder.", schema(&properties, &[]))
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn argument_kinds(&self) -> &'static [(&'static str, ArgumentKind)] {
        PATH
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Files]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let path = arguments::path(&arguments, "path", Some("/"))?;
        let listing = context.ports.files()?.list(&path, ENTRIES).await?;
        let entries: Vec<Value> = listing.entries.iter().map(entry).collect();
        let mut result = json!({ "path": path, "entries": entries, "count": listing.total });
        if entries.len() < listing.total {
            result["truncated"] = json!(true);
        }
        Ok(result)
    }
}

fn entry(info: &FileInfo) -> Value {
    json!({
        "path": info.path,
        "name": info.name,
        "is_directory": info.is_directory,
        "is_readonly": info.is_readonly,
        "size_bytes": info.size_bytes,
    })
}

pub(super) struct GrepFiles;

#[async_trait]
impl Tool for GrepFiles {
    fn spec(&self) -> ToolSpec {
        let properties = json!({
            "pattern": { "type": "string", "description": "A regular expression, tried on each line." },
            "path_pattern": {
                "type": "string",
                "description": "Only in files whose path fits, for instance *.md or /notes/**."
            }
        });
        spec("grep_files", "Find lines in all text files.", schema(&properties, &["pattern"]))
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Files]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let pattern = arguments::any_text(&arguments, "pattern")?.to_owned();
        let path_pattern = arguments::optional_text(&arguments, "path_pattern")?.map(str::to_owned);
        let grep = Grep { pattern: pattern.clone(), path_pattern, most: MATCHES };
        let found = context.ports.files()?.grep(grep).await?;
        let mut result =
            json!({ "pattern": pattern, "matches": found.matches, "match_count": found.matches.len() });
        if found.truncated {
            result["truncated"] = json!(true);
        }
        if found.skipped > 0 {
            result["skipped_files"] = json!(found.skipped);
        }
        Ok(result)
    }
}

pub(super) struct DeleteFile;

#[async_trait]
impl Tool for DeleteFile {
    fn spec(&self) -> ToolSpec {
        let properties = json!({
            "path": path_schema("The file or folder."),
            "recursive": {
                "type": "boolean",
                "description": "Delete a folder with everything in it; false by default."
            }
        });
        spec("delete_file", "Delete a file or a folder, for good.", schema(&properties, &["path"]))
    }

    fn class(&self) -> EffectClass {
        EffectClass::Txn
    }

    fn argument_kinds(&self) -> &'static [(&'static str, ArgumentKind)] {
        PATH
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Files]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        check_writable(context)?;
        let path = arguments::path(&arguments, "path", None)?;
        let recursive = arguments::flag(&arguments, "recursive")?;
        context.ports.files()?.delete(&path, recursive).await?;
        Ok(json!({ "path": path, "deleted": true }))
    }
}

pub(super) struct StatFile;

#[async_trait]
impl Tool for StatFile {
    fn spec(&self) -> ToolSpec {
        let properties = json!({ "path": path_schema("The file or folder.") });
        spec(
            "stat_file",
            "Tell whether a file or folder exists, and its size and dates.",
            schema(&properties, &["path"]),
        )
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn argument_kinds(&self) -> &'static [(&'static str, ArgumentKind)] {
        PATH
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Files]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let path = arguments::path(&arguments, "path", None)?;
        let Some(info) = context.ports.files()?.stat(&path).await? else {
            return Ok(json!({ "path": path, "exists": false }));
        };
        let mut known = entry(&info);
        known["exists"] = json!(true);
        known["created_at"] = json!(info.created_at);
        known["updated_at"] = json!(info.updated_at);
        Ok(known)
    }
}
