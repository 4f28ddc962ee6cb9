//! HERO-78: each searcher against a server that answers in the form of the real one.

#![expect(clippy::disallowed_methods, reason = "the server of a test ends with it")]

use super::*;
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// Answers one request after the other with the next of these, and keeps what it was asked.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn answering(answers: &[(u16, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (noted, answers) = (
            asked.clone(),
            answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect::<Vec<_>>(),
        );
        tokio::spawn(async move {
            for (status, body) in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = whole_request(&mut stream).await;
                noted.lock().unwrap().push(request);
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn whole_request(stream: &mut tokio::net::TcpStream) -> String {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut buffer).await.unwrap();
        request.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        if let Some(head) = text.find("\r\n\r\n") {
            let length = text
                .split("content-length: ")
                .nth(1)
                .and_then(|rest| rest.split("\r\n").next())
                .map_or(0, |n| n.parse().unwrap());
            if request.len() >= head + 4 + length {
                return String::from_utf8(request).unwrap();
            }
        }
        assert!(read > 0, "the request broke off: {text}");
    }
}

fn searcher(backend: SearchBackend, url: &str) -> Searcher {
    Searcher::new(backend, Some(url), Some("the-secret-key".into()), None).unwrap()
}

async fn search(backend: SearchBackend, server: &Server, query: &str) -> Result<SearchResults, SearchError> {
    searcher(backend, &server.url).search(&Egress::system(), query, 5, &mut SearchTally::default()).await
}

fn shown(found: &SearchResults) -> Vec<(&str, &str, &str)> {
    found.hits.iter().map(|hit| (hit.title.as_str(), hit.url.as_str(), hit.snippet.as_str())).collect()
}

#[tokio::test]
async fn brave() {
    let answer = r#"{"type":"search","web":{"type":"search","results":[
        {"title":"Boots &amp; more","url":"https://one.example/","description":"The <strong>best</strong> boots"},
        {"title":"Two","url":"https://two.example/a?b=c","description":"Others"}]}}"#;
    let server = Server::answering(&[(200, answer)]).await;
    let found = search(SearchBackend::Brave, &server, "best boots & socks").await.unwrap();
    assert_eq!(
        shown(&found),
        [
            ("Boots & more", "https://one.example/", "The best boots"),
            ("Two", "https://two.example/a?b=c", "Others")
        ]
    );
    let asked = server.asked().remove(0);
    assert!(asked.starts_with("GET /res/v1/web/search?q=best+boots+%26+socks&count=5 HTTP/1.1"), "{asked}");
    assert!(asked.contains("x-subscription-token: the-secret-key"), "{asked}");
}

#[tokio::test]
async fn searxng() {
    let answer = r#"{"query":"boots","results":[{"url":"https://one.example/","title":"One","content":"words","engine":"x"},{"title":"no address"}]}"#;
    let server = Server::answering(&[(200, answer), (403, "no")]).await;
    let found = search(SearchBackend::Searxng, &server, "boots").await.unwrap();
    assert_eq!(shown(&found)[0], ("One", "https://one.example/", "words"));
    assert!(server.asked()[0].starts_with("GET /search?q=boots&format=json HTTP/1.1"));
    let Err(SearchError::Failed(words)) = search(SearchBackend::Searxng, &server, "boots").await else {
        panic!()
    };
    assert!(words.contains("settings.yml"), "{words}");
}

#[tokio::test]
async fn duckduckgo() {
    let page = r#"<html><div class="result results_links"><h2 class="result__title">
        <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fone.example%2Fa%3Fb%3Dc&amp;rut=123">The <b>One</b></a></h2>
        <a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">Words of <b>one</b> &amp; others</a></div>
        <div class="result result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?ad_provider=x">Buy!</a>
        <a class="result__snippet" href="x">an advertisement</a></div>
        <a rel="nofollow" class="result__a" href="https://two.example/">Two</a></html>"#;
    let server = Server::answering(&[(200, page), (202, "<div class=\"anomaly-modal\">")]).await;
    let found = search(SearchBackend::DuckDuckGo, &server, "boots").await.unwrap();
    assert_eq!(
        shown(&found),
        [
            ("The One", "https://one.example/a?b=c", "Words of one & others"),
            ("Two", "https://two.example/", "")
        ]
    );
    assert!(server.asked()[0].starts_with("GET /html/?q=boots HTTP/1.1"));
    let Err(SearchError::Failed(words)) = search(SearchBackend::DuckDuckGo, &server, "boots").await else {
        panic!()
    };
    assert!(words.contains("that a person is searching"), "{words}");
}

#[tokio::test]
async fn a_page_of_duckduckgo_that_cannot_be_read_is_not_taken_for_one_without_results() {
    let none = r#"<html><div class="no-results">No results found for <b>qqqq</b>.</div></html>"#;
    let changed =
        r#"<html><div class="hit"><a class="title" href="https://one.example/">One</a></div></html>"#;
    let ads = r#"<a class="result__a" href="https://duckduckgo.com/y.js?ad_provider=x">Buy!</a>"#;
    let server = Server::answering(&[(200, none), (200, ads), (200, changed), (200, "")]).await;
    for _ in 0..2 {
        assert_eq!(shown(&search(SearchBackend::DuckDuckGo, &server, "qqqq").await.unwrap()), []);
    }
    for _ in 0..2 {
        let Err(SearchError::Failed(words)) = search(SearchBackend::DuckDuckGo, &server, "boots").await
        else {
            panic!()
        };
        assert!(
            words.contains("its page has changed") && words.contains("[search] in majordomo.toml"),
            "{words}"
        );
    }
}

#[tokio::test]
async fn anthropic_goes_on_when_it_has_paused() {
    let first = r#"{"stop_reason":"pause_turn","content":[{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"boots"}},
        {"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","url":"https://one.example/","title":"One","encrypted_content":"abc"}]}]}"#;
    let second = r#"{"stop_reason":"end_turn","content":[{"type":"text","text":"Leather lasts. ",
        "citations":[{"type":"web_search_result_location","url":"https://one.example/","title":"One","cited_text":"leather boots last"}]}]}"#;
    let server = Server::answering(&[(200, first), (200, second)]).await;
    let found = search(SearchBackend::Anthropic, &server, "boots").await.unwrap();
    assert_eq!(shown(&found), [("One", "https://one.example/", "leather boots last")]);
    assert_eq!(found.answer.as_deref(), Some("Leather lasts."));
    let asked = server.asked();
    assert!(
        asked[0].starts_with("POST /v1/messages HTTP/1.1") && asked[0].contains("x-api-key: the-secret-key")
    );
    assert!(
        asked[0].contains("web_search_20250305")
            && asked[1].contains("Continue.")
            && asked[1].contains("encrypted_content")
    );
}

#[tokio::test]
async fn what_goes_wrong_is_told_without_the_key() {
    for (status, words) in
        [(401, "key is wrong"), (429, "too often"), (500, "status 500"), (200, "cannot be read")]
    {
        let server = Server::answering(&[(status, "the-secret-key is bad")]).await;
        let Err(SearchError::Failed(said)) = search(SearchBackend::Brave, &server, "boots").await else {
            panic!()
        };
        assert!(said.contains(words) && !said.contains("the-secret-key"), "{said}");
    }
    let error = r#"{"stop_reason":"end_turn","content":[{"type":"web_search_tool_result","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}]}"#;
    let server = Server::answering(&[(200, error)]).await;
    let Err(SearchError::Failed(said)) = search(SearchBackend::Anthropic, &server, "boots").await else {
        panic!()
    };
    assert!(said.contains("max_uses_exceeded"), "{said}");
}

/// THREAT[ssrf-08] The control is every other test here: the owner's own address is asked at home.
#[tokio::test]
async fn only_the_owners_own_address_may_be_at_home() {
    let server = Server::answering(&[(200, "{}")]).await;
    let mut usual = searcher(SearchBackend::Brave, &server.url);
    usual.is_chosen = false;
    let mut tally = SearchTally::default();
    let found = usual.search(&Egress::system(), "boots", 5, &mut tally).await;
    let Err(SearchError::Failed(said)) = found else { panic!() };
    assert!(said.contains("could not be reached"), "{said}");
    assert!(server.asked().is_empty());
}

#[test]
fn what_is_missing_is_said() {
    let wrong =
        |backend, url, key: Option<&str>| Searcher::new(backend, url, key.map(Into::into), None).unwrap_err();
    assert!(wrong(SearchBackend::Searxng, None, None).contains("url"));
    assert!(wrong(SearchBackend::Searxng, Some("ftp://x"), None).contains("not an http"));
    assert!(wrong(SearchBackend::Brave, None, None).contains("api_key_env"));
    assert!(Searcher::new(SearchBackend::DuckDuckGo, None, None, None).is_ok());
    assert!(!format!("{:?}", searcher(SearchBackend::Brave, "https://x.example")).contains("secret"));
}
