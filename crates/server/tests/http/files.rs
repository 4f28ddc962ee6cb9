//! The files of a session, over HTTP.

use crate::support::{Answer, House};
use domain::UserRole;
use serde_json::{Value, json};

struct Files {
    house: House,
    session: String,
}

impl Files {
    async fn new() -> Self {
        let house = House::new().await;
        let session = house.session().await;
        Self { house, session }
    }

    fn path(&self, rest: &str) -> String {
        format!("/v1/sessions/{}/files{rest}", self.session)
    }

    async fn get(&self, rest: &str) -> Answer {
        self.house.call("GET", &self.path(rest)).send().await
    }

    async fn put(&self, rest: &str, content: &[u8]) -> Answer {
        let call = self.house.call("PUT", &self.path(rest));
        call.body("application/octet-stream", content.to_vec()).send().await
    }

    async fn delete(&self, rest: &str) -> Answer {
        self.house.call("DELETE", &self.path(rest)).send().await
    }

    async fn grep(&self, question: Value) -> Answer {
        self.house.call("POST", &self.path(":grep")).json(&question).send().await
    }
}

fn code(answer: &Answer) -> (u16, String) {
    (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_file_is_written_read_listed_and_deleted() {
    let files = Files::new().await;
    let made = files.put("/notes/today%20%26%20more.md", "héllo".as_bytes()).await.expect(201);
    assert_eq!(made["path"], "/notes/today & more.md");
    assert_eq!((&made["size_bytes"], &made["is_readonly"]), (&json!(6), &json!(false)));
    files.put("/notes/today%20%26%20more.md", b"again").await.expect(200);
    let read = files.get("/notes/today%20%26%20more.md").await;
    assert_eq!((read.status, read.bytes.as_ref()), (200, b"again".as_ref()));
    assert_eq!(read.header("content-type"), "text/plain; charset=utf-8");
    let disposition = read.header("content-disposition");
    assert!(disposition.starts_with("attachment; filename=\"today _ more.md\""), "{disposition}");
    assert!(read.header("content-security-policy").contains("sandbox"));
    let listed = files.get("").await.expect(200);
    assert_eq!((&listed["total"], &listed["items"][0]["is_directory"]), (&json!(1), &json!(true)));
    let listed = files.get("?path=/notes&limit=1").await.expect(200);
    assert_eq!(listed["items"][0]["name"], "today & more.md");
    assert_eq!(code(&files.delete("/notes").await), (409, "directory_not_empty".to_owned()));
    assert_eq!(files.delete("/notes?recursive=true").await.status, 204);
    assert_eq!(files.get("").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn only_new_replaces_nothing() {
    let files = Files::new().await;
    files.put("/notes/x?only_new=true", b"first").await.expect(201);
    let again = files.put("/notes/x?only_new=true", b"second").await;
    assert_eq!(code(&again), (409, "file_exists".to_owned()));
    assert_eq!(again.json()["detail"], "There is already a file or folder /notes/x.");
    assert_eq!(code(&files.put("/notes?only_new=true", b"x").await), (409, "file_exists".to_owned()));
    assert_eq!(files.get("/notes/x").await.bytes.as_ref(), b"first");
    let at_once = (0..8).map(|_| files.put("/drop?only_new=true", b"x"));
    let made = futures_util::future::join_all(at_once).await;
    assert_eq!(made.iter().filter(|answer| answer.status == 201).count(), 1);
    // The control: without it the file is replaced.
    files.put("/notes/x", b"third").await.expect(200);
    assert_eq!(files.get("/notes/x").await.bytes.as_ref(), b"third");
    assert_eq!(files.put("/y?only_new=yes", b"x").await.status, 400);
}

#[tokio::test]
async fn what_is_there_is_told() {
    let files = Files::new().await;
    let none = files.get(":stat?path=/none").await.expect(200);
    assert_eq!(none, json!({ "path": "/none", "exists": false, "file": null }));
    files.put("/x", b"abc").await.expect(201);
    let some = files.get(":stat?path=/x").await.expect(200);
    assert_eq!((&some["exists"], &some["file"]["size_bytes"]), (&json!(true), &json!(3)));
    assert_eq!(files.get(":stat").await.expect(200)["file"]["is_directory"], true);
}

/// THREAT[content-06]: nothing that somebody wrote is shown as a page of ours.
#[tokio::test]
async fn no_file_is_a_page() {
    let files = Files::new().await;
    let cases: [(&str, &[u8], &str); 4] = [
        ("/page.html", b"<script>alert(1)</script>", "text/plain; charset=utf-8"),
        ("/picture.svg", b"<svg onload='alert(1)'/>", "text/plain; charset=utf-8"),
        ("/bytes", b"\x00\x01\xff", "application/octet-stream"),
        ("/empty", b"", "text/plain; charset=utf-8"),
    ];
    for (path, content, kind) in cases {
        files.put(path, content).await.expect(201);
        let read = files.get(path).await;
        assert_eq!(read.header("content-type"), kind, "{path}");
        assert_eq!(read.header("x-content-type-options"), "nosniff");
        assert!(read.header("content-disposition").starts_with("attachment"), "{path}");
        assert_eq!(read.bytes, content, "byte for byte");
    }
}

/// EVERRUNS-09: what leads elsewhere is no path, in whatever spelling.
#[tokio::test]
async fn bad_paths_are_refused() {
    let files = Files::new().await;
    let bad = [
        "/..%2fx",
        "/a/%2e%2e/b",
        "/a%2f%2fb",
        "/a//b",
        "/%00",
        "/a%0ab",
        "/a%5cb",
        "/%252e%252e/x",
        "/a%ff",
        "/%ef%bc%8e%ef%bc%8e/x",
        "/x%e2%80%aey",
    ];
    for path in bad {
        for answer in [files.put(path, b"").await, files.get(path).await, files.delete(path).await] {
            assert_eq!(code(&answer), (400, "bad_file_path".to_owned()), "{path}");
        }
    }
    for path in ["?path=", "?path=a", "?path=/../x", ":stat?path=//"] {
        assert_eq!(code(&files.get(path).await), (400, "bad_file_path".to_owned()), "{path}");
    }
    let long = format!("/{}", "x".repeat(256));
    assert_eq!(code(&files.put(&long, b"").await), (400, "bad_file_path".to_owned()));
    assert_eq!(files.get("").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn what_cannot_be_done_is_said() {
    let files = Files::new().await;
    files.put("/a/b", b"x").await.expect(201);
    assert_eq!(code(&files.put("/a", b"").await), (409, "is_directory".to_owned()));
    assert_eq!(code(&files.put("/a/b/c", b"").await), (409, "not_a_directory".to_owned()));
    assert_eq!(code(&files.get("/a").await), (409, "is_directory".to_owned()));
    assert_eq!(code(&files.get("/none").await), (404, "not_found".to_owned()));
    assert_eq!(code(&files.get("?path=/a/b").await), (409, "not_a_directory".to_owned()));
    assert_eq!(code(&files.get("?path=/none").await), (404, "not_found".to_owned()));
    assert_eq!(code(&files.delete("/none").await), (404, "not_found".to_owned()));
    assert_eq!(code(&files.delete("/a?recursive=maybe").await), (400, "bad_query".to_owned()));
    assert_eq!(code(&files.get("?cursor=x").await), (400, "bad_cursor".to_owned()));
    let large = vec![0; (16 << 20) + 1];
    assert_eq!(code(&files.put("/large", &large).await), (413, "too_large".to_owned()));
    let packed = files.house.call("PUT", &files.path("/x")).header("content-encoding", "gzip").send().await;
    assert_eq!(code(&packed), (415, "unsupported_media_type".to_owned()));
}

#[tokio::test]
async fn a_read_only_file_is_kept() {
    let files = Files::new().await;
    assert_eq!(files.put("/x?read_only=true", b"first").await.expect(201)["is_readonly"], true);
    assert_eq!(code(&files.put("/x", b"second").await), (409, "file_read_only".to_owned()));
    assert_eq!(code(&files.delete("/x").await), (409, "file_read_only".to_owned()));
    assert_eq!(files.get("/x").await.bytes, b"first".as_ref());
    files.put("/x?read_only=false", b"second").await.expect(200);
    assert_eq!(files.delete("/x").await.status, 204);
}

#[tokio::test]
async fn lines_are_found() {
    let files = Files::new().await;
    files.put("/a.md", b"one\ntwo").await.expect(201);
    files.put("/b.txt", b"two").await.expect(201);
    let found = files.grep(json!({ "pattern": "^tw", "path_pattern": "*.md" })).await.expect(200);
    assert_eq!(found["matches"], json!([{ "path": "/a.md", "line_number": 2, "line": "two" }]));
    assert_eq!((&found["match_count"], &found["truncated"]), (&json!(1), &json!(false)));
    for pattern in ["(", "(a{1000}){1000}", "", &"x".repeat(1_001)] {
        let refused = files.grep(json!({ "pattern": pattern })).await;
        assert_eq!(code(&refused), (400, "bad_pattern".to_owned()), "{pattern:.20}");
    }
}

/// EVERRUNS-09: somebody else's session has no files for me, and mine none for them.
#[tokio::test]
async fn files_are_their_owners_alone() {
    let files = Files::new().await;
    files.put("/secret", b"under the mat").await.expect(201);
    let other = files.house.resident("other", UserRole::Admin).await;
    for (method, rest) in [
        ("GET", ""),
        ("GET", "/secret"),
        ("PUT", "/secret"),
        ("DELETE", "/secret"),
        ("GET", ":stat?path=/secret"),
    ] {
        let answer = other.call(method, &files.path(rest)).send().await;
        assert_eq!(code(&answer), (404, "not_found".to_owned()), "{method} {rest}");
    }
    let grep = other.call("POST", &files.path(":grep")).json(&json!({ "pattern": "mat" })).send().await;
    assert_eq!(code(&grep), (404, "not_found".to_owned()));
    assert_eq!(files.get("/secret").await.bytes, b"under the mat".as_ref());
}
