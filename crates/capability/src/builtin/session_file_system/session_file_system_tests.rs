use super::*;
use crate::{
    FileError, Files, FoundFile, Grep, Listing, Match, Matches, Ports, ToolContext, ToolError, WrittenFile,
    fixture::{NOW, context},
};
use async_trait::async_trait;
use domain::{FileInfo, FilePath, FileRefusal};
use std::{collections::BTreeMap, sync::Mutex};

/// Files without a store: just enough to see what the tools make of them.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<FilePath, Vec<u8>>>);

fn info(path: &FilePath, size: usize) -> FileInfo {
    FileInfo {
        path: path.clone(),
        name: path.name().to_owned(),
        is_directory: false,
        is_readonly: false,
        size_bytes: size as u64,
        label: domain::Label::TRUSTED_PRIVATE,
        created_at: NOW,
        updated_at: NOW,
    }
}

#[async_trait]
impl Files for Memory {
    async fn stat(&self, path: &FilePath) -> Result<Option<FileInfo>, FileError> {
        Ok(self.0.lock().unwrap().get(path).map(|content| info(path, content.len())))
    }

    async fn read(&self, path: &FilePath) -> Result<FoundFile, FileError> {
        let content = self.0.lock().unwrap().get(path).cloned();
        let content = content.ok_or_else(|| FileRefusal::Missing(path.clone()))?;
        Ok(FoundFile { info: info(path, content.len()), content })
    }

    async fn list(&self, _folder: &FilePath, most: usize) -> Result<Listing, FileError> {
        let all = self.0.lock().unwrap();
        let entries = all.iter().map(|(path, content)| info(path, content.len())).take(most).collect();
        Ok(Listing { entries, total: all.len() })
    }

    async fn grep(&self, grep: Grep) -> Result<Matches, FileError> {
        if grep.pattern == "(" {
            return Err(FileError::Pattern("the pattern cannot be read".to_owned()));
        }
        let path = self.0.lock().unwrap().keys().next().cloned().unwrap();
        let found = Match { path, line_number: 1, line: "x".to_owned() };
        Ok(Matches { matches: vec![found], truncated: true, skipped: 2 })
    }

    async fn write(&self, path: &FilePath, content: Vec<u8>) -> Result<WrittenFile, FileError> {
        if content == b"break" {
            return Err(FileError::Broken("the disk is on fire".to_owned()));
        }
        let info = info(path, content.len());
        let created = self.0.lock().unwrap().insert(path.clone(), content).is_none();
        Ok(WrittenFile { info, created })
    }

    async fn delete(&self, path: &FilePath, _recursive: bool) -> Result<u64, FileError> {
        let removed = self.0.lock().unwrap().remove(path);
        removed.map(|_| 1).ok_or_else(|| FileRefusal::Missing(path.clone()).into())
    }
}

fn with_files() -> ToolContext {
    ToolContext { ports: Ports::default().with_files(Arc::new(Memory::default())), ..context() }
}

async fn call(context: &ToolContext, name: &str, arguments: Value) -> Result<Value, ToolError> {
    let tools = SessionFileSystem.tools();
    let tool = tools.iter().find(|tool| tool.spec().name == name).unwrap();
    tool.run(context, arguments).await
}

#[tokio::test]
async fn a_file_is_written_and_read() {
    let files = with_files();
    let write = json!({ "path": "/a/b.txt", "content": "hello" });
    let made = call(&files, "write_file", write.clone()).await.unwrap();
    assert_eq!(made, json!({ "path": "/a/b.txt", "size_bytes": 5, "created": true }));
    let again = call(&files, "write_file", write).await.unwrap();
    assert_eq!(again["created"], false, "it was there");
    let read = call(&files, "read_file", json!({ "path": "/a/b.txt" })).await.unwrap();
    assert_eq!(read, json!({ "path": "/a/b.txt", "content": "hello", "encoding": "text", "size_bytes": 5 }));
    let listed = call(&files, "list_directory", json!({})).await.unwrap();
    assert_eq!((&listed["path"], &listed["count"]), (&json!("/"), &json!(1)));
    let gone = call(&files, "delete_file", json!({ "path": "/a/b.txt" })).await.unwrap();
    assert_eq!(gone, json!({ "path": "/a/b.txt", "deleted": true }));
}

/// EVERRUNS-07: a zero byte in the first 8 KB decides.
#[tokio::test]
async fn what_is_not_text_comes_as_base64() {
    let files = with_files();
    let early = [vec![b'a'; 8_191], vec![0]].concat();
    let late = [vec![b'a'; 8_192], vec![0]].concat();
    let cases = [(early, "base64"), (late, "text"), (vec![0xff, 0xfe], "base64"), (vec![], "text")];
    for (content, encoding) in cases {
        let given = json!({ "path": "/x", "content": base64(&content), "encoding": "base64" });
        let made = call(&files, "write_file", given).await.unwrap();
        assert_eq!(made["size_bytes"], content.len());
        let read = call(&files, "read_file", json!({ "path": "/x" })).await.unwrap();
        assert_eq!(read["encoding"], encoding);
        let expected = match encoding {
            "text" => String::from_utf8(content).unwrap(),
            _ => base64(&content),
        };
        assert_eq!(read["content"], expected);
    }
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// EVERRUNS-08: nothing there is an answer, not an error.
#[tokio::test]
async fn a_missing_file_is_told_by_stat() {
    let files = with_files();
    let stat = call(&files, "stat_file", json!({ "path": "/none" })).await.unwrap();
    assert_eq!(stat, json!({ "path": "/none", "exists": false }));
    call(&files, "write_file", json!({ "path": "/x", "content": "abc" })).await.unwrap();
    let stat = call(&files, "stat_file", json!({ "path": "/x" })).await.unwrap();
    assert_eq!((&stat["exists"], &stat["size_bytes"], &stat["name"]), (&json!(true), &json!(3), &json!("x")));
    assert_eq!(stat["is_directory"], false);
    assert!(stat["created_at"].is_string());
}

#[tokio::test]
async fn failures_are_told_in_words() {
    let files = with_files();
    let cases = [
        ("read_file", json!({ "path": "/none" }), "There is no file or folder /none."),
        ("read_file", json!({}), "the required parameter `path` is missing"),
        ("read_file", json!({ "path": "a" }), "parameter `path`: A path must begin with `/`"),
        ("write_file", json!({ "path": "/a/../b", "content": "" }), "must not contain `.` or `..`"),
        ("write_file", json!({ "path": "/a" }), "the required parameter `content` is missing"),
        ("write_file", json!({ "path": "/a", "content": "?", "encoding": "base64" }), "not valid base64"),
        ("write_file", json!({ "path": "/a", "content": "", "encoding": "hex" }), "one of: text, base64"),
        ("delete_file", json!({ "path": "/none" }), "There is no file or folder /none."),
        ("delete_file", json!({ "path": "/a", "recursive": "yes" }), "must be of type boolean"),
        ("grep_files", json!({ "pattern": "(" }), "the pattern cannot be read"),
    ];
    for (tool, arguments, words) in cases {
        match call(&files, tool, arguments).await {
            Err(ToolError::Failed(told)) => assert!(told.contains(words), "{tool}: {told}"),
            other => panic!("{tool} gave {other:?}"),
        }
    }
    let broken = call(&files, "write_file", json!({ "path": "/a", "content": "break" })).await;
    assert_eq!(broken, Err(ToolError::Internal("the disk is on fire".to_owned())));
}

#[tokio::test]
async fn what_was_left_out_is_said() {
    let files = with_files();
    for number in 0..101 {
        let write = json!({ "path": format!("/{number:03}"), "content": "" });
        call(&files, "write_file", write).await.unwrap();
    }
    let listed = call(&files, "list_directory", json!({ "path": "/" })).await.unwrap();
    assert_eq!(listed["entries"].as_array().unwrap().len(), 100);
    assert_eq!((&listed["count"], &listed["truncated"]), (&json!(101), &json!(true)));
    let found = call(&files, "grep_files", json!({ "pattern": "x" })).await.unwrap();
    assert_eq!((&found["match_count"], &found["skipped_files"]), (&json!(1), &json!(2)));
    assert_eq!(found["truncated"], true);
    assert_eq!(found["matches"][0], json!({ "path": "/000", "line_number": 1, "line": "x" }));
}

#[tokio::test]
async fn an_agent_that_may_only_read_changes_nothing() {
    let settings = json!({ "read_only": true }).as_object().unwrap().clone();
    assert!(SessionFileSystem.prompt(&settings).unwrap().contains("neither write nor delete"));
    assert!(!SessionFileSystem.prompt(&Settings::new()).unwrap().contains("neither write nor delete"));
    let files = with_files();
    call(&files, "write_file", json!({ "path": "/x", "content": "abc" })).await.unwrap();
    let reader = ToolContext { settings: Arc::new(settings), ..files };
    for (tool, arguments) in
        [("write_file", json!({ "path": "/x", "content": "" })), ("delete_file", json!({ "path": "/x" }))]
    {
        let refused = call(&reader, tool, arguments).await;
        assert_eq!(refused, Err(ToolError::failed("this agent may only read the files")));
    }
    assert_eq!(call(&reader, "read_file", json!({ "path": "/x" })).await.unwrap()["content"], "abc");
}

#[tokio::test]
async fn a_tool_without_its_port_fails_inside() {
    let refused = call(&context(), "read_file", json!({ "path": "/x" })).await;
    assert!(matches!(refused, Err(ToolError::Internal(_))), "{refused:?}");
    assert!(SessionFileSystem.tools().iter().all(|tool| tool.ports() == [crate::Port::Files]));
}
