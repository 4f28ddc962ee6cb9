//! `/docs`: the OpenAPI document as a page that can be read without JavaScript and loads nothing.

mod curl;
mod fields;
mod html;

use self::html::{anchor, escape, pretty};
use super::{chapters::rank, packed::unpacked};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::{fmt::Write as _, sync::LazyLock};

const STYLE: &str = include_str!("page.css");

pub(crate) struct Page {
    pub(crate) html: String,
    /// Its `Content-Security-Policy`: nothing but its own style.
    pub(crate) policy: String,
}

/// The page never changes while the program runs.
pub(crate) fn page() -> &'static Page {
    static PAGE: LazyLock<Page> = LazyLock::new(|| {
        let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        // The document is large in memory, and gone when the page is made.
        let document = serde_json::from_str(&unpacked()).unwrap_or_default();
        Page { html: render(&document), policy }
    });
    &PAGE
}

/// One operation with where it is.
struct Entry<'a> {
    method: String,
    path: &'a str,
    operation: &'a Value,
}

/// The operations of one tag.
struct Chapter<'a> {
    name: &'a str,
    about: &'a str,
    entries: Vec<Entry<'a>>,
}

/// In the order of the document's tags; in each, by path.
fn chapters(document: &Value) -> Vec<Chapter<'_>> {
    let tags = document["tags"].as_array().into_iter().flatten();
    tags.map(|tag| Chapter {
        name: tag["name"].as_str().unwrap_or_default(),
        about: tag["description"].as_str().unwrap_or_default(),
        entries: entries(document, &tag["name"]),
    })
    .collect()
}

fn entries<'a>(document: &'a Value, tag: &Value) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            if operation["tags"][0] == *tag {
                entries.push(Entry { method: method.to_ascii_uppercase(), path, operation });
            }
        }
    }
    let order =
        |method: &str| ["GET", "POST", "PUT", "PATCH", "DELETE"].iter().position(|known| *known == method);
    entries.sort_by_key(|entry| (rank(entry.path), entry.path, order(&entry.method)));
    entries
}

fn render(document: &Value) -> String {
    let chapters = chapters(document);
    let title = document["info"]["title"].as_str().unwrap_or_default();
    let version = document["info"]["version"].as_str().unwrap_or_default();
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} API</title><style>{STYLE}</style></head><body>"
    );
    contents(&mut page, &chapters);
    let about = html::inline(document["info"]["description"].as_str().unwrap_or_default());
    write(
        &mut page,
        format_args!(
            "<main><h1>{title} API</h1><p class=\"soft\">Version {version} · \
             <a href=\"openapi.json\">openapi.json</a> <a class=\"jump\" href=\"#contents\">· contents</a></p>\
             <p>{about}</p>"
        ),
    );
    write(&mut page, format_args!("<pre>{}</pre>", escape(curl::PREFACE)));
    for Chapter { name, about, entries } in &chapters {
        let (name, about) = (escape(name), html::inline(about));
        write(&mut page, format_args!("<h2 id=\"{name}\">{name}</h2><p class=\"soft\">{about}</p>"));
        for entry in entries {
            route(&mut page, entry, document);
        }
    }
    problems(&mut page, &document["x-problems"]);
    page.push_str("</main></body></html>");
    page
}

fn contents(page: &mut String, chapters: &[Chapter<'_>]) {
    page.push_str("<nav id=\"contents\" aria-label=\"Contents\">");
    for Chapter { name, entries, .. } in chapters {
        write(page, format_args!("<h2><a href=\"#{0}\">{0}</a></h2><ul>", escape(name)));
        for Entry { method, path, .. } in entries {
            let (anchor, path) = (anchor(method, path), escape(path.trim_start_matches("/v1")));
            let method = html::method(method);
            write(page, format_args!("<li><a href=\"#{anchor}\">{method} <span>{path}</span></a></li>"));
        }
        page.push_str("</ul>");
    }
    page.push_str("<h2><a href=\"#problems\">problems</a></h2></nav>");
}

fn route(page: &mut String, entry: &Entry<'_>, document: &Value) {
    let Entry { method, path, operation } = entry;
    let text = |name: &str| operation[name].as_str().unwrap_or_default();
    let anchor = anchor(method, path);
    write(
        page,
        format_args!(
            "<section class=\"route\" id=\"{anchor}\"><h3>{} <a href=\"#{anchor}\">{}</a></h3>\
             <p>{}.</p><p class=\"soft\">{}</p><p class=\"who\">For {}.</p>",
            html::method(method),
            escape(path),
            html::inline(text("summary").trim_end_matches(['.', '?'])),
            html::inline(text("description")),
            html::inline(text("x-access")),
        ),
    );
    parameters(page, &operation["parameters"]);
    fields::table(page, operation, document);
    write(page, format_args!("<pre>{}</pre>", escape(&curl::line(method, path, operation))));
    answers(page, &operation["responses"], &document["x-problems"]);
    page.push_str("</section>");
}

fn parameters(page: &mut String, parameters: &Value) {
    let parameters: Vec<&Value> = parameters.as_array().into_iter().flatten().collect();
    if parameters.is_empty() {
        return;
    }
    page.push_str(
        "<div class=\"wide\"><table><thead><tr><th>parameter</th><th>in</th><th>what</th></tr></thead><tbody>",
    );
    for parameter in parameters {
        let text = |name: &str| parameter[name].as_str().unwrap_or_default();
        let what = match text("description") {
            "" => html::kind(&parameter["schema"]),
            description => html::inline(description),
        };
        let (name, place) = (escape(text("name")), escape(text("in")));
        write(page, format_args!("<tr><td><code>{name}</code></td><td>{place}</td><td>{what}</td></tr>"));
    }
    page.push_str("</tbody></table></div>");
}

fn answers(page: &mut String, responses: &Value, problems: &Value) {
    let mut refusals = String::new();
    for (status, response) in responses.as_object().into_iter().flatten() {
        if status.starts_with(['4', '5']) {
            write(
                &mut refusals,
                format_args!("<tr><td>{status}</td><td>{}</td></tr>", codes(response, problems)),
            );
            continue;
        }
        let words = html::inline(response["description"].as_str().unwrap_or_default());
        let content = response["content"].as_object().and_then(|content| content.iter().next());
        let kind = content.map_or("no body", |(kind, _)| kind);
        write(page, format_args!("<details><summary>{status} · {kind}</summary><p>{words}</p>"));
        if let Some(example) = content.and_then(|(_, content)| content.get("example")) {
            write(page, format_args!("<pre>{}</pre>", escape(&pretty(example))));
        }
        page.push_str("</details>");
    }
    write(
        page,
        format_args!(
            "<details><summary>problems</summary><div class=\"wide\"><table><tbody>{refusals}</tbody></table></div>\
             </details>"
        ),
    );
}

/// The codes of one refusal, each with a way to what it means.
fn codes(response: &Value, problems: &Value) -> String {
    let names = &response["content"]["application/problem+json"]["schema"]["properties"]["code"]["enum"];
    let line = |name: &str| {
        let known = problems.as_array().into_iter().flatten().find(|problem| problem["code"] == name);
        let title = known.and_then(|problem| problem["title"].as_str()).unwrap_or_default();
        let name = escape(name);
        format!("<a href=\"#problem-{name}\"><code>{name}</code></a> {}<br>", escape(title))
    };
    names.as_array().into_iter().flatten().filter_map(Value::as_str).map(line).collect()
}

fn problems(page: &mut String, problems: &Value) {
    page.push_str(
        "<h2 id=\"problems\">problems</h2><p>Every error is <code>application/problem+json</code>: \
         <code>type</code>, <code>title</code>, <code>status</code>, <code>detail</code>, <code>code</code>.</p>\
         <div class=\"wide\"><table><thead><tr><th>code</th><th>status</th><th>what to do</th></tr></thead><tbody>",
    );
    for problem in problems.as_array().into_iter().flatten() {
        let text = |name: &str| escape(problem[name].as_str().unwrap_or_default());
        write(
            page,
            format_args!(
                "<tr id=\"problem-{0}\"><td><code>{0}</code></td><td>{1}</td><td>{2}. {3}</td></tr>",
                text("code"),
                problem["status"],
                text("title"),
                text("remedy"),
            ),
        );
    }
    page.push_str("</tbody></table></div>");
}

/// Writing into a string cannot fail.
fn write(page: &mut String, words: std::fmt::Arguments<'_>) {
    page.write_fmt(words).unwrap_or_default();
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
