//! Bodies that are no JSON, and requests of the wrong kind, for every route.

use super::{findings::Findings, takers, visitor::Visitor};
use std::collections::BTreeSet;

/// No object in JSON, each for another reason.
fn torture() -> Vec<Vec<u8>> {
    let text = [
        "",
        " ",
        "\n",
        "null",
        "true",
        "[]",
        "\"\"",
        "0",
        "-",
        "{",
        "}",
        "{]",
        "[}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{'a':1}",
        "{a:1}",
        "{\"a\":\"\n\"}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":5.}",
        "{\"a\":1e}",
        "{\"a\":0x1}",
        "{\"a\":Infinity}",
        "{\"a\":1e400}",
        "{\"a\":tru}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"\\udc00\":1}",
        "{} {}",
        "{}x",
        "{}\u{0}",
        "/* */{}",
        "\u{feff}{}",
        "{\"a\":\"",
        "{\"a\":[1,2",
        "name=x",
    ];
    let mut bodies: Vec<Vec<u8>> = text.map(|text| text.as_bytes().to_vec()).into();
    let raw: [&[u8]; 7] = [
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
        b"{\"a\":\"\xc3\x28\"}",
        b"{\"\xff\":1}",
        b"{\"a\":\"\xed\xa0\x80\"}",
        b"{\"a\":\"\xf4\x90\x80\x80\"}",
        b"{\"a\":\"\xc0\x80\"}",
    ];
    bodies.extend(raw.map(<[u8]>::to_vec));
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        bodies.push(format!("{{\"a\":{}", open.repeat(10_000)).into_bytes());
        bodies.push(format!("{{\"a\":{}1{}}}", open.repeat(5_000), close.repeat(5_000)).into_bytes());
    }
    bodies
}

#[tokio::test]
async fn what_is_no_object_in_json_is_refused_everywhere() {
    let visitor = Visitor::new().await;
    let mut findings = Findings::default();
    for taker in takers() {
        for body in torture() {
            let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
            let (status, detail) = visitor.send(&taker, body).await;
            let says_why = detail.contains("The body") || detail.contains("unknown field");
            findings.expect(status == 400 && says_why, || {
                format!("{} {}: {shown:?}: {status} {detail}", taker.method, taker.path)
            });
        }
    }
    findings.none_of(1_000);
}

#[tokio::test]
async fn bodies_of_another_kind_are_refused_everywhere() {
    let visitor = Visitor::new().await;
    let mut findings = Findings::default();
    for taker in takers() {
        let path = visitor.path(&taker.path);
        let call = || visitor.call(&taker.method, &path, taker.takes_key);
        let body = visitor.base(&taker).to_string();
        for kind in [
            "text/plain",
            "text/json",
            "application/xml",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/json, text/plain",
            "application/json; charset=utf-16",
            "",
        ] {
            let answer = call().body(kind, body.clone()).send().await;
            findings.expect(answer.status == 415, || format!("{} {kind}: {}", taker.path, answer.status));
        }
        for coding in ["gzip", "br", "deflate, gzip", "x-none"] {
            let coded = call().body("application/json", body.clone()).header("content-encoding", coding);
            let answer = coded.send().await;
            findings.expect(answer.status == 415, || format!("{} {coding}: {}", taker.path, answer.status));
        }
    }
    findings.none_of(200);
}

#[tokio::test]
async fn every_address_says_which_methods_it_takes() {
    let visitor = Visitor::new().await;
    let mut findings = Findings::default();
    for (path, methods) in server::openapi()["paths"].as_object().unwrap() {
        // What only the control socket has is nowhere to be found from here.
        if path == "/v1/master-key/rotate" {
            continue;
        }
        let mut known: BTreeSet<String> =
            methods.as_object().unwrap().keys().map(|name| name.to_uppercase()).collect();
        if known.contains("GET") {
            known.insert("HEAD".to_owned());
        }
        let others = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];
        for method in others.iter().filter(|method| !known.contains(**method)) {
            let answer = visitor.call(method, &visitor.path(path), true).send().await;
            let allowed: BTreeSet<String> =
                answer.header("allow").split(',').map(|name| name.trim().to_owned()).collect();
            findings.expect(answer.status == 405 && allowed == known, || {
                format!("{method} {path}: {} {allowed:?}", answer.status)
            });
        }
    }
    findings.none_of(300);
}
