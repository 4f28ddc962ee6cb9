use super::*;
use crate::{
    Http, HttpAnswer, HttpBody, HttpEnd, HttpError, HttpHead, HttpMethod, HttpRequest, Ports, Tool,
    ToolError, fixture,
};
use async_trait::async_trait;
use domain::{Permission, Sink};
use std::sync::Mutex;

/// A web of one page.
#[derive(Default)]
struct Web {
    head: HttpHead,
    bytes: Vec<u8>,
    end: Option<HttpEnd>,
    error: Option<HttpError>,
    asked: Mutex<Vec<HttpRequest>>,
}

struct Page(HttpHead, HttpBody);

#[async_trait]
impl HttpAnswer for Page {
    fn head(&self) -> &HttpHead {
        &self.0
    }

    async fn body(self: Box<Self>) -> HttpBody {
        self.1
    }
}

#[async_trait]
impl Http for Web {
    async fn fetch(&self, request: HttpRequest) -> Result<Box<dyn HttpAnswer>, HttpError> {
        self.asked.lock().unwrap().push(request);
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let end = self.end.clone().unwrap_or(HttpEnd::Complete);
        Ok(Box::new(Page(self.head.clone(), HttpBody { bytes: self.bytes.clone(), end })))
    }
}

fn page(content_type: Option<&str>, bytes: &[u8]) -> Web {
    let media_type = content_type.map(|value| value.split(';').next().unwrap().to_owned());
    let head = HttpHead {
        status: 200,
        url: "https://example.com/a/boots.html".to_owned(),
        content_type: content_type.map(str::to_owned),
        media_type,
        last_modified: Some("Sat, 14 Nov 2026 08:00:00 GMT".to_owned()),
        file_name: Some("boots.html".to_owned()),
        size: Some(bytes.len() as u64),
    };
    Web { head, bytes: bytes.to_vec(), ..Web::default() }
}

async fn fetch(web: &Arc<Web>, settings: Value, arguments: Value) -> Result<Value, ToolError> {
    let mut context = fixture::context();
    context.settings = Arc::new(settings.as_object().cloned().unwrap_or_default());
    context.ports = Ports::default().with_http(web.clone());
    tool::Fetch.run(&context, arguments).await
}

async fn fetched(web: Web, arguments: Value) -> Value {
    fetch(&Arc::new(web), json!({}), arguments).await.unwrap()
}

const URL: &str = "https://example.com/a/boots.html";

/// EVERRUNS-26
#[tokio::test]
async fn a_page_comes_in_three_forms() {
    let html = b"<html><body><h1>Boots</h1><p>Some <b>good</b> ones.</p></body></html>";
    let web = || page(Some("text/html; charset=utf-8"), html);
    let raw = fetched(web(), json!({ "url": URL })).await;
    assert_eq!(
        raw,
        json!({
            "url": URL, "status_code": 200, "content_type": "text/html; charset=utf-8", "size": html.len(), "filename": "boots.html",
            "last_modified": "Sat, 14 Nov 2026 08:00:00 GMT", "format": "raw", "content": String::from_utf8_lossy(html), "truncated": false,
        })
    );
    let markdown = fetched(web(), json!({ "url": URL, "as_markdown": true, "as_text": true })).await;
    assert_eq!(
        (&markdown["format"], &markdown["content"]),
        (&json!("markdown"), &json!("# Boots\n\nSome **good** ones."))
    );
    let text = fetched(web(), json!({ "url": URL, "as_text": true })).await;
    assert_eq!((&text["format"], &text["content"]), (&json!("text"), &json!("Boots\n\nSome good ones.")));
    let json =
        fetched(page(Some("application/json"), b"{\"a\":1}"), json!({ "url": URL, "as_markdown": true }))
            .await;
    assert_eq!((&json["format"], &json["content"]), (&json!("raw"), &json!("{\"a\":1}")));
}

/// EVERRUNS-10
#[tokio::test]
async fn pictures_and_heads_have_no_content() {
    let picture = fetched(page(Some("image/png"), b"\x89PNG"), json!({ "url": URL })).await;
    assert_eq!((&picture["size"], &picture["content_type"]), (&json!(4), &json!("image/png")));
    assert!(picture["error"].as_str().unwrap().contains("not text") && picture.get("content").is_none());
    let head = fetched(page(Some("text/html"), b"<p>"), json!({ "url": URL, "method": "HEAD" })).await;
    assert_eq!(head.get("content"), None);
    assert_eq!((&head["status_code"], &head["filename"]), (&json!(200), &json!("boots.html")));
    let untold = fetched(page(None, b"PK\0\x03"), json!({ "url": URL })).await;
    assert!(untold["error"].is_string(), "bytes without a type are looked at: {untold}");
}

/// EVERRUNS-10
#[tokio::test]
async fn what_came_in_time_is_told_and_what_is_missing_is_said() {
    for (end, suffix) in [
        (HttpEnd::TimedOut, "[..more content timed out...]"),
        (HttpEnd::TooLarge, "10 MB"),
        (HttpEnd::Broken("reset".to_owned()), "connection broke"),
    ] {
        let web = Web { end: Some(end), ..page(Some("text/plain"), b"first half") };
        let told = fetched(web, json!({ "url": URL })).await;
        let content = told["content"].as_str().unwrap();
        assert!(content.starts_with("first half\n\n") && content.contains(suffix), "{content}");
        assert_eq!(told["truncated"], json!(true));
    }
}

/// EVERRUNS-10
#[tokio::test]
async fn a_silent_server_is_told_in_the_words_of_the_contract() {
    for (seconds, words) in
        [(1, "server did not respond within 1 second"), (3, "server did not respond within 3 seconds")]
    {
        let error = Some(HttpError::Silent(std::time::Duration::from_secs(seconds)));
        let web = Arc::new(Web { error, ..Web::default() });
        let settings = json!({ "first_byte_seconds": seconds });
        assert_eq!(fetch(&web, settings, json!({ "url": URL })).await, Err(ToolError::failed(words)));
        let asked = web.asked.lock().unwrap();
        assert_eq!((asked[0].first_byte.as_secs(), asked[0].body.as_secs()), (seconds, 30));
    }
}

#[tokio::test]
async fn words_are_read_in_their_own_letters() {
    let latin =
        fetched(page(Some("text/plain; charset=ISO-8859-1"), b"gr\xfc\xdfe"), json!({ "url": URL })).await;
    assert_eq!(latin["content"], "grüße");
    let own = b"<html><head><meta charset=\"windows-1252\"></head><p>gr\xfc\xdfe</p>";
    let told = fetched(page(Some("text/html"), own), json!({ "url": URL, "as_text": true })).await;
    assert_eq!(told["content"], "grüße");
    let marked =
        fetched(page(Some("text/plain; charset=latin1"), b"\xef\xbb\xbfgr\xc3\xbc"), json!({ "url": URL }))
            .await;
    assert_eq!(marked["content"], "grü", "a mark at the beginning goes first");
    let broken = fetched(page(Some("text/plain"), b"a\xffb"), json!({ "url": URL })).await;
    assert_eq!(broken["content"], "a\u{fffd}b");
}

#[tokio::test]
async fn redirects_stay_with_those_that_were_meant() {
    let web = Arc::new(page(Some("text/plain"), b"x"));
    let settings = json!({ "hosts": ["*.wiki.example"], "denied_hosts": ["bad.wiki.example"] });
    fetch(&web, settings, json!({ "url": "https://www.boots.example/x" })).await.unwrap();
    let reach = web.asked.lock().unwrap()[0].reach.clone();
    assert_eq!(reach.hosts.unwrap(), ["*.wiki.example", "boots.example", "www.boots.example"]);
    assert_eq!(reach.denied_hosts, ["bad.wiki.example"]);
    assert_eq!(web.asked.lock().unwrap()[0].method, HttpMethod::Get);
    fetch(&web, json!({}), json!({ "url": "http://192.0.2.7:8080/x" })).await.unwrap();
    assert_eq!(web.asked.lock().unwrap()[1].reach.hosts.as_ref().unwrap(), &["192.0.2.7"]);
}

#[tokio::test]
async fn what_is_no_address_of_the_web_is_refused() {
    let web = Arc::new(page(Some("text/plain"), b"x"));
    for url in ["ftp://example.com", "example.com", "file:///etc/passwd", ""] {
        let answer = fetch(&web, json!({}), json!({ "url": url })).await;
        assert_eq!(
            answer,
            Err(ToolError::failed("parameter `url` must start with http:// or https://")),
            "{url}"
        );
    }
    for arguments in [
        json!({}),
        json!({ "url": 3 }),
        json!({ "url": URL, "method": "POST" }),
        json!({ "url": URL, "as_text": 1 }),
    ] {
        assert!(matches!(fetch(&web, json!({}), arguments).await, Err(ToolError::Failed(_))));
    }
    assert!(web.asked.lock().unwrap().is_empty(), "nobody was asked");
}

/// EVERRUNS-27
#[test]
fn listed_hosts_are_not_asked_about_and_denied_ones_never_fetched() {
    let settings =
        json!({ "hosts": ["example.com", "*.wiki.example"], "denied_hosts": ["bad.wiki.example"] });
    let settings = settings.as_object().unwrap().clone();
    for (url, permission) in [
        ("https://example.com/x", Permission::Allow),
        ("https://de.wiki.example/", Permission::Allow),
        ("https://bad.wiki.example/", Permission::Deny),
        ("https://www.example.com/", Permission::Ask),
        ("https://example.com.evil.net/", Permission::Ask),
        ("nonsense", Permission::Ask),
    ] {
        let terms = tool::Fetch.terms(&settings, &json!({ "url": url }));
        assert_eq!((terms.permission, terms.sink), (permission, Sink::Site), "{url}");
    }
    assert_eq!(tool::Fetch.terms(&Settings::new(), &json!({ "url": URL })).permission, Permission::Ask);
}

/// EVERRUNS-28, THREAT[html-02]
#[tokio::test]
async fn zeros_are_no_text_whatever_the_server_says() {
    let zeros = vec![0; 100_000];
    for (kind, form) in [("text/html", "as_markdown"), ("text/html", "as_text"), ("text/plain", "whole_page")]
    {
        let told = fetched(page(Some(kind), &zeros), json!({ "url": URL, form: true })).await;
        assert!(told["error"].as_str().unwrap().contains("not text"), "{kind} {form}: {told}");
        assert!(told.get("content").is_none());
    }
    // The controls: a zero far into a page is left out, and letters of two bytes have zeros that are none.
    let slip = format!("<p>{}\0end</p>", "word ".repeat(3_000));
    let told =
        fetched(page(Some("text/html"), slip.as_bytes()), json!({ "url": URL, "as_text": true })).await;
    assert!(told["content"].as_str().unwrap().ends_with("word end"), "{}", told["content"]);
    let wide: Vec<u8> = "<p>boots</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let told =
        fetched(page(Some("text/html; charset=utf-16le"), &wide), json!({ "url": URL, "as_text": true }))
            .await;
    assert_eq!(told["content"], "boots");
}

/// Every call waits for a place, and none is left out.
#[tokio::test(flavor = "multi_thread")]
async fn few_pages_are_converted_at_once() {
    let held = [crate::page_place::place().await, crate::page_place::place().await];
    let converting = tokio::spawn(fetched(
        page(Some("text/html"), b"<p>boots</p>"),
        json!({ "url": URL, "as_text": true }),
    ));
    let converting = async { converting.await.unwrap() };
    tokio::pin!(converting);
    let early = tokio::time::timeout(std::time::Duration::from_millis(200), &mut converting).await;
    assert!(early.is_err(), "both places are taken: {early:?}");
    drop(held);
    assert_eq!(converting.await["content"], "boots");
}

/// What was too dense is said to be cut.
#[tokio::test]
async fn a_dense_page_is_told_as_one() {
    let web = Web { end: Some(HttpEnd::TooDense), ..page(Some("text/plain"), b"boots") };
    let told = fetched(web, json!({ "url": URL })).await;
    assert_eq!(told["truncated"], true);
    assert!(told["content"].as_str().unwrap().contains("packed so that little becomes very much"), "{told}");
}
