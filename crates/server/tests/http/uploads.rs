//! Files: what is taken, what is refused, and how they are given back.

use crate::support::{Answer, House, Options, shape};
use domain::UserRole;
use serde_json::json;
use testkit::model::Reply;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01";
const KIND: &str = "multipart/form-data; boundary=xyz";

fn form(disposition: &str, kind: Option<&str>, content: &[u8]) -> Vec<u8> {
    let kind = kind.map(|kind| format!("Content-Type: {kind}\r\n")).unwrap_or_default();
    let head = format!("--xyz\r\nContent-Disposition: {disposition}\r\n{kind}\r\n");
    [head.as_bytes(), content, b"\r\n--xyz--\r\n"].concat()
}

fn file(name: &str, kind: &str, content: &[u8]) -> Vec<u8> {
    form(&format!("form-data; name=\"file\"; filename=\"{name}\""), Some(kind), content)
}

async fn send(house: &House, body: Vec<u8>) -> Answer {
    house.call("POST", "/v1/uploads").body(KIND, body).send().await
}

async fn rows(house: &House, table: &str) -> u64 {
    let sql = format!("SELECT COUNT(*) FROM {table}");
    house.engine.store().read(move |tx: &mut store::Tx| tx.one(&sql, Vec::new())).await.unwrap()
}

#[tokio::test]
async fn a_file_is_taken_and_given_back_as_an_attachment() {
    let house = House::new().await;
    let upload = send(&house, file("Größe.png", "image/png", PNG)).await.expect(201);
    assert_eq!(
        shape(&upload),
        json!({ "id": "<upload>", "name": "Größe.png", "mime_type": "image/png", "size": 24 })
    );
    let path = format!("/v1/uploads/{}", upload["id"].as_str().unwrap());
    let back = house.call("GET", &path).send().await;
    assert_eq!((back.status, back.bytes.as_ref()), (200, PNG));
    assert_eq!(back.header("content-type"), "image/png");
    assert_eq!(back.header("content-length"), "24");
    let disposition = "attachment; filename=\"Gr__e.png\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.png";
    assert_eq!(back.header("content-disposition"), disposition);
    assert_eq!(back.header("x-content-type-options"), "nosniff");
    assert_eq!(back.header("content-security-policy"), "default-src 'none'; sandbox; frame-ancestors 'none'");
    assert_eq!(back.header("cross-origin-resource-policy"), "same-origin");
}

/// What was read is said at once, and with the message that brings it.
#[tokio::test]
async fn a_file_says_what_was_read_of_it() {
    let house = House::new().await;
    let pdf = include_bytes!("../../../documents/tests/files/made/german-libreoffice.pdf");
    let upload = send(&house, file("kettle.pdf", "application/pdf", pdf)).await.expect(201);
    let text = &upload["text"];
    assert_eq!((&text["kind"], &text["noun"], &text["part"]), (&json!("pdf"), &json!("PDF"), &json!("page")));
    let (parts, chars) = (text["parts"].as_u64().unwrap(), text["chars"].as_u64().unwrap());
    assert!(parts >= 1 && chars > 1_000 && text.get("problem").is_none(), "{upload}");
    house.model.script(Reply::text("A kettle."));
    let session = house.session().await;
    let body = json!({ "content": "Look", "attachments": [{ "upload_id": upload["id"] }] });
    house.call("POST", &format!("/v1/sessions/{session}/messages")).json(&body).send().await;
    let path = format!("/v1/sessions/{session}/messages");
    let messages = house.call("GET", &path).send().await.expect(200);
    let part = &messages["items"][0]["parts"][1];
    assert_eq!(
        (&part["type"], &part["name"], &part["upload_id"]),
        (&json!("file"), &json!("kettle.pdf"), &upload["id"])
    );
    assert_eq!((&part["read_chars"], &part["read_parts"]), (&json!(chars), &json!(parts)), "{part}");
}

#[tokio::test]
async fn a_file_is_its_owners_alone() {
    let house = House::new().await;
    let upload = send(&house, file("cat.png", "image/png", PNG)).await.expect(201);
    let id = upload["id"].as_str().unwrap();
    let (_, other) = house.person("Bea", UserRole::Member).await;
    house.call("GET", &format!("/v1/uploads/{id}")).key(&other).send().await.refused(404, "not_found");
    let agents = house.call("GET", "/v1/agents").key(&other).send().await.expect(200);
    let body = json!({ "agent_id": agents["items"][0]["id"] });
    let session = house.call("POST", "/v1/sessions").key(&other).json(&body).send().await.expect(201);
    let path = format!("/v1/sessions/{}/messages", session["id"].as_str().unwrap());
    let body = json!({ "content": "Look", "attachments": [{ "upload_id": id }] });
    house.call("POST", &path).key(&other).json(&body).send().await.refused(404, "not_found");
}

#[tokio::test]
async fn a_page_is_given_back_as_text() {
    let house = House::new().await;
    let page = b"<script>alert(document.cookie)</script>";
    let upload = send(&house, file("page.html", "text/html", page)).await.expect(201);
    assert_eq!(upload["mime_type"], "text/html");
    let path = format!("/v1/uploads/{}", upload["id"].as_str().unwrap());
    let back = house.call("GET", &path).send().await;
    assert_eq!(back.header("content-type"), "text/plain; charset=utf-8");
    assert!(back.header("content-disposition").starts_with("attachment;"));
}

#[tokio::test]
async fn what_poses_as_a_file_is_none() {
    let house = House::new().await;
    let posing = json!({ "file": { "name": "x", "path": "/etc/passwd", "mimetype": "text/plain" } });
    let json = posing.to_string();
    let upload = |kind: &str, body: Vec<u8>| house.call("POST", "/v1/uploads").body(kind, body).send();
    for (kind, body, status, code) in [
        ("application/json", json.clone().into_bytes(), 415, "unsupported_media_type"),
        ("application/x-www-form-urlencoded", b"file=/etc/passwd".to_vec(), 415, "unsupported_media_type"),
        ("application/octet-stream", PNG.to_vec(), 415, "unsupported_media_type"),
        (KIND, json.into_bytes(), 400, "bad_multipart"),
        (KIND, Vec::new(), 400, "bad_multipart"),
        ("multipart/form-data; boundary=other", file("x.png", "image/png", PNG), 400, "bad_multipart"),
        ("multipart/form-data", file("x.png", "image/png", PNG), 400, "bad_multipart"),
        (KIND, form("form-data; name=\"file\"", None, b"/etc/passwd"), 400, "no_file"),
        (KIND, form("form-data; name=\"file.path\"", Some("text/plain"), b"/etc/passwd"), 400, "no_file"),
        (KIND, file("x.png", "image/png", b"<script>"), 415, "type_mismatch"),
        (KIND, file("x.svg", "image/svg+xml", b"<svg/>"), 415, "unsupported_file"),
        (KIND, file("x", "application/octet-stream", b"\x7fELF\0"), 415, "unsupported_file"),
    ] {
        upload(kind, body).await.refused(status, code);
    }
    assert_eq!(house.call("POST", "/v1/uploads").send().await.status, 415);
    let parts =
        "--xyz\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\nx\r\n".repeat(10_000);
    upload(KIND, parts.into_bytes()).await.refused(400, "one_file");
    // The control: the same way with a real file.
    let taken = send(&house, file("../../etc/passwd", "text/plain", b"root")).await.expect(201);
    assert_eq!(taken["name"], "passwd");
    settled(house, 1).await;
}

/// When everything that was under way is over, exactly these files are left.
async fn settled(house: House, files: u64) {
    house.stop.cancel();
    house.engine.shutdown(std::time::Duration::from_secs(10)).await;
    assert_eq!((rows(&house, "uploads").await, rows(&house, "upload_pieces").await), (files, files));
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_before_and_while_it_comes() {
    let mut options = Options::default();
    options.engine.files.upload_bytes = 100_000;
    let house = House::with(options).await;
    send(&house, file("a.txt", "text/plain", &[b'a'; 200_000])).await.refused(413, "too_large");
    send(&house, file("a.txt", "text/plain", &[b'a'; 100_001])).await.refused(413, "too_large");
    send(&house, file("a.txt", "text/plain", &[b'a'; 100_000])).await.expect(201);
    // Without a length, and without an end.
    let mut stream = raw(&house, "transfer-encoding: chunked").await;
    let opening = file("a.txt", "text/plain", b"");
    let opening = &opening[..opening.len() - b"\r\n--xyz--\r\n".len()];
    chunk(&mut stream, opening).await.unwrap();
    let piece = [b'a'; 16_384];
    let mut sent = 0;
    while sent < 100_000_000 && chunk(&mut stream, &piece).await.is_ok() {
        sent += piece.len();
    }
    assert!(sent < 50_000_000, "{sent} bytes were taken");
    let mut answer = Vec::new();
    // The connection may be reset while the answer is on its way; then that is the answer.
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413"), "{answer}");
    settled(house, 1).await;
}

#[tokio::test]
async fn half_a_file_leaves_nothing() {
    let house = House::new().await;
    let body = file("a.txt", "text/plain", &vec![b'a'; 600_000]);
    let mut stream = raw(&house, &format!("content-length: {}", body.len())).await;
    stream.write_all(&body[..500_000]).await.unwrap();
    // Two pieces are in the store, so the file was begun; then the line goes dead.
    while rows(&house, "upload_pieces").await == 0 {
        tokio::task::yield_now().await;
    }
    drop(stream);
    while rows(&house, "uploads").await > 0 {
        tokio::task::yield_now().await;
    }
    settled(house, 0).await;
}

async fn raw(house: &House, length: &str) -> TcpStream {
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let head = format!(
        "POST /v1/uploads HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: {KIND}\r\n{length}\r\n\r\n",
        house.address, house.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
    stream.write_all(bytes).await?;
    stream.write_all(b"\r\n").await
}

#[tokio::test]
async fn a_picture_goes_along_with_a_message() {
    let house = House::new().await;
    let agent = json!({ "name": "seer", "model": "test/scripted-vision" });
    let agent = house.call("POST", "/v1/agents").json(&agent).send().await.expect(201);
    let path = format!("/v1/sessions/{}/messages", house.session_with(agent["id"].as_str().unwrap()).await);
    let upload = send(&house, file("cat.png", "image/png", PNG)).await.expect(201);
    house.model.script(Reply::text("A cat."));
    let body = json!({ "content": "What is it?", "attachments": [{ "upload_id": upload["id"] }] });
    let sent = house.call("POST", &path).json(&body).send().await.expect(200);
    assert_eq!(sent["message"]["content"], "A cat.");
    let list = house.call("GET", &path).send().await.expect(200);
    let parts = json!([{ "type": "text" }, { "type": "image", "upload_id": upload["id"] }]);
    assert_eq!(list["items"][0]["parts"], parts);
    let blind = format!("/v1/sessions/{}/messages", house.session().await);
    let refused = house.call("POST", &blind).json(&body).send().await.refused(400, "model_cannot_see");
    assert!(refused.contains("test/scripted"), "{refused}");
}

#[tokio::test]
async fn a_file_or_a_session_that_is_sent_twice_with_one_key_is_made_once() {
    let house = House::new().await;
    let upload = |content: &[u8]| {
        let body = file("cat.png", "image/png", content);
        house.call("POST", "/v1/uploads").header("idempotency-key", "k").body(KIND, body).send()
    };
    let first = upload(PNG).await.expect(201);
    assert_eq!(upload(PNG).await.expect(201), first);
    upload(&[PNG, b"more"].concat()).await.refused(422, "idempotency_mismatch");
    let agents = house.call("GET", "/v1/agents").send().await.expect(200);
    let session = |name: &str| {
        let body = json!({ "agent_id": agents["items"][0]["id"], "name": name });
        house.call("POST", "/v1/sessions").header("idempotency-key", "k").json(&body).send()
    };
    let first = session("Soup").await.expect(201);
    assert_eq!(session("Soup").await.expect(201)["id"], first["id"]);
    session("Salad").await.refused(422, "idempotency_mismatch");
    // The control: without a key each is a new one.
    let body = json!({ "agent_id": agents["items"][0]["id"], "name": "Soup" });
    let other = house.call("POST", "/v1/sessions").json(&body).send().await.expect(201);
    assert_ne!(other["id"], first["id"]);
}

#[tokio::test]
async fn a_picture_that_no_model_would_take_is_refused() {
    let house = House::new().await;
    send(&house, file("half.png", "image/png", &PNG[..20])).await.refused(415, "bad_picture");
    let wide = [&PNG[..16], b"\0\0\x1f\x41\0\0\0\x01"].concat();
    send(&house, file("wide.png", "image/png", &wide)).await.refused(413, "too_large");
}
