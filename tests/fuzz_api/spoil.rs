//! Ways to do a request wrong.

use crate::{
    document::Operation,
    hostile,
    request::{Framing, Request},
};
use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use serde_json::Value;

const METHODS: [&str; 12] = [
    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get",
    "X-ODD",
];
const KINDS: [&str; 10] = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "multipart/form-data; boundary=\"",
    "application/json; charset=utf-16",
    "application/json, text/plain",
    "application/xml",
    "*/*",
    "",
];
const QUERIES: [&str; 12] = [
    "",
    "0",
    "-1",
    "1e3",
    "x",
    "%00",
    "%ff%fe",
    "true",
    "99999999999999999999",
    "1&limit=2",
    "%",
    "%E2%80%AE",
];
const CURSORS: [&str; 9] = [
    "x",
    "-1",
    "1.2.3",
    "99999999999999999999",
    "5.5",
    "",
    "18446744073709551615.18446744073709551615",
    "0.0",
    "%",
];
const SEGMENTS: [&str; 12] =
    ["%00", "..%2f..", "%ff", "x%20y", "%F0%9F%98%80", "%", "agent_1", "/", "null", "*", "%E2%80%AE", "-1"];
const CREDENTIALS: [&str; 9] = [
    "",
    "Bearer",
    "Bearer ",
    "Bearer x",
    "Basic Og==",
    "Basic !!!",
    "Digest x",
    "bearer \u{fc}",
    "Bearer x, Bearer y",
];
const HOSTS: [&str; 7] =
    ["evil.example", "localhost:1", "[::1", "", "127.0.0.1:99999", "localhost@evil.example", "null"];

impl Request {
    /// One way to do it wrong, sometimes two.
    pub fn spoil(&mut self, operation: &Operation, valid: Option<&Value>, dice: &mut StdRng) {
        for _ in 0..dice.random_range(1..=2) {
            let trick = match (dice.random_range(0..22), valid) {
                (0..=7, Some(valid)) => {
                    let (trick, body) = hostile::body(valid, dice);
                    self.body = body;
                    trick
                }
                (0..=1, None) => {
                    self.body = hostile::text(dice).into_bytes();
                    "body where none belongs"
                }
                (2..=6 | 8, _) => self.spoil_query(operation, dice),
                (9, _) => self.change_method(dice),
                (10, _) => self.choose("Content-Type", &KINDS, "content type", dice),
                (11 | 12, _) => self.spoil_path(dice),
                (13, _) => self.spoil_credentials(dice),
                (14, _) => self.choose(
                    "Content-Encoding",
                    &["gzip", "br", "deflate, gzip", "identity", "x"],
                    "encoding",
                    dice,
                ),
                (15, _) => self.spoil_idempotency_key(dice),
                (16, _) => self.choose("Last-Event-ID", &CURSORS, "cursor", dice),
                (17, _) => {
                    self.framing = Framing::Chunks(*[1, 7, 4_096].choose(dice).unwrap_or(&1));
                    "chunks"
                }
                (18, _) => {
                    self.framing = Framing::Cut(dice.random_range(1..5_000));
                    "cut body"
                }
                (19, _) => self.spoil_headers(dice),
                _ => {
                    self.is_elsewhere = true;
                    let name = if dice.random_bool(0.5) { "Host" } else { "Origin" };
                    self.choose(name, &HOSTS, "host or origin", dice)
                }
            };
            self.tricks.push(trick);
        }
    }

    fn choose(
        &mut self,
        name: &str,
        values: &[&str],
        trick: &'static str,
        dice: &mut StdRng,
    ) -> &'static str {
        self.set(name, values.choose(dice).unwrap_or(&""));
        trick
    }

    fn change_method(&mut self, dice: &mut StdRng) -> &'static str {
        let method = *METHODS.choose(dice).unwrap_or(&"GET");
        self.is_elsewhere |= method != self.method;
        self.method = method.to_owned();
        "method"
    }

    fn spoil_query(&mut self, operation: &Operation, dice: &mut StdRng) -> &'static str {
        let known = operation.parameters("query");
        let name = match known.choose(dice) {
            Some(parameter) if dice.random_bool(0.8) => parameter["name"].as_str().unwrap_or_default(),
            _ => ["limit", "unknown", "token", "access_token", "%00", ""].choose(dice).unwrap_or(&"limit"),
        };
        let value = match dice.random_range(0..12) {
            0 => "x".repeat(9_000),
            1 | 2 => CURSORS.choose(dice).unwrap_or(&"").to_string(),
            _ => QUERIES.choose(dice).unwrap_or(&"").to_string(),
        };
        let joint = if self.target.contains('?') { '&' } else { '?' };
        self.target.push_str(&format!("{joint}{name}={value}"));
        "query"
    }

    fn spoil_path(&mut self, dice: &mut StdRng) -> &'static str {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let mut segments: Vec<&str> = path.split('/').collect();
        let long = "z".repeat(5_000);
        let piece = if dice.random_bool(0.1) { &long } else { *SEGMENTS.choose(dice).unwrap_or(&"%00") };
        let place = dice.random_range(1..=segments.len());
        match segments.get_mut(place) {
            Some(segment) => *segment = piece,
            None => segments.push(piece),
        }
        self.target = format!("{}?{query}", segments.join("/"));
        self.is_elsewhere = true;
        "path"
    }

    fn spoil_credentials(&mut self, dice: &mut StdRng) -> &'static str {
        match dice.random_range(0..5) {
            0 => self.headers.retain(|(name, _)| name != "Authorization" && name != "Cookie"),
            1 => self.headers.push(("Authorization".to_owned(), "Bearer x".to_owned())),
            2 => self.set("Cookie", &format!("sid=x; sid={}; \u{fc}=;;", "y".repeat(300))),
            _ => self.set("Authorization", CREDENTIALS.choose(dice).unwrap_or(&"")),
        }
        "credentials"
    }

    fn spoil_idempotency_key(&mut self, dice: &mut StdRng) -> &'static str {
        let long = "k".repeat(400);
        let keys = ["same", "same", "same", "", "schlüssel", "a b", &long];
        self.choose("Idempotency-Key", &keys, "idempotency key", dice)
    }

    fn spoil_headers(&mut self, dice: &mut StdRng) -> &'static str {
        let long = "h".repeat(20_000);
        let odd = [
            ("Accept", "image/png"),
            ("Accept-Language", "\u{fc}\u{fc}"),
            ("Expect", "100-continue"),
            ("Expect", "the-unexpected"),
            ("If-None-Match", "*"),
            ("Range", "bytes=9-1,-5,x"),
            ("Upgrade", "h2c"),
            ("Connection", "Upgrade, close, X-Request-Id"),
            ("X-Forwarded-For", "127.0.0.1, evil"),
            ("X-Majordomo-User", "owner"),
            ("User-Agent", &long),
            ("Trailer", "Content-Length"),
            ("Last-Event-ID", "1\t2"),
        ];
        let (name, value) = odd.choose(dice).unwrap_or(&("Accept", "x"));
        self.set(name, value);
        "header"
    }
}
