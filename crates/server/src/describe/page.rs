//! `/docs`: the OpenAPI document as a page that can be read without JavaScript and loads nothing.

mod curl;
mod html;

use self::html::{anchor, escape, pretty};
use super::document::document;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::{collections::BTreeMap, fmt::Write as _, sync::LazyLock};

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
        Page { html: render(document()), policy }
    });
    &PAGE
}

/// One operation with where it is.
struct Entry<'a> {
    method: String,
    path: &'a str,
    operation: &'a Value,
}

/// By tag, in the order of their names.
fn entries(document: &Value) -> BTreeMap<&str, Vec<Entry<'_>>> {
    let mut entries = BTreeMap::<&str, Vec<Entry<'_>>>::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let tag = operation["tags"][0].as_str().unwrap_or_default();
            let entry = Entry { method: method.to_ascii_uppercase(), path, operation };
            entries.entry(tag).or_default().push(entry);
        }
    }
    entries
}

fn render(document: &Value) -> String {
    let entries = entries(document);
    let title = document["info"]["title"].as_str().unwrap_or_default();
    let version = document["info"]["version"].as_str().unwrap_or_default();
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} API</title><style>{STYLE}</style></head><body>"
    );
    contents(&mut page, &entries);
    let about = html::inline(document["info"]["description"].as_str().unwrap_or_default());
    write(
        &mut page,
        format_args!(
            "<main><h1>{title} API</h1><p class=\"soft\">Version {version} · \
             <a href=\"openapi.json\">openapi.json</a></p><p>{about}</p>"
        ),
    );
    write(&mut page, format_args!("<pre>{}</pre>", escape(curl::PREFACE)));
    for (tag, entries) in &entries {
        write(&mut page, format_args!("<h2 id=\"{tag}\">{tag}</h2>"));
        for entry in entries {
            route(&mut page, entry);
        }
    }
    problems(&mut page, &document["x-problems"]);
    page.push_str("</main></body></html>");
    page
}

fn contents(page: &mut String, entries: &BTreeMap<&str, Vec<Entry<'_>>>) {
    page.push_str("<nav aria-label=\"Contents\">");
    for (tag, entries) in entries {
        write(page, format_args!("<h2><a href=\"#{tag}\">{tag}</a></h2><ul>"));
        for Entry { method, path, .. } in entries {
            let anchor = anchor(method, path);
            write(page, format_args!("<li><a href=\"#{anchor}\">{method} {}</a></li>", escape(path)));
        }
        page.push_str("</ul>");
    }
    page.push_str("<h2><a href=\"#problems\">problems</a></h2></nav>");
}

fn route(page: &mut String, entry: &Entry<'_>) {
    let Entry { method, path, operation } = entry;
    let text = |name: &str| operation[name].as_str().unwrap_or_default();
    write(
        page,
        format_args!(
            "<section class=\"route\" id=\"{}\"><h3><span class=\"method\">{method}</span> {}</h3>\
             <p>{}</p><p class=\"soft\">{} For {}.</p>",
            anchor(method, path),
            escape(path),
            html::inline(text("summary")),
            html::inline(text("description")),
            html::inline(text("x-access")),
        ),
    );
    parameters(page, &operation["parameters"]);
    write(page, format_args!("<pre>{}</pre>", escape(&curl::line(method, path, operation))));
    answers(page, &operation["responses"]);
    page.push_str("</section>");
}

fn parameters(page: &mut String, parameters: &Value) {
    let parameters: Vec<&Value> = parameters.as_array().into_iter().flatten().collect();
    if parameters.is_empty() {
        return;
    }
    page.push_str("<table><thead><tr><th>parameter</th><th>in</th><th>what</th></tr></thead><tbody>");
    for parameter in parameters {
        let text = |name: &str| parameter[name].as_str().unwrap_or_default();
        let what = match text("description") {
            "" => html::kind(&parameter["schema"]),
            description => html::inline(description),
        };
        let (name, place) = (escape(text("name")), escape(text("in")));
        write(page, format_args!("<tr><td><code>{name}</code></td><td>{place}</td><td>{what}</td></tr>"));
    }
    page.push_str("</tbody></table>");
}

fn answers(page: &mut String, responses: &Value) {
    let mut refusals = String::new();
    for (status, response) in responses.as_object().into_iter().flatten() {
        let words = html::inline(response["description"].as_str().unwrap_or_default());
        if !status.starts_with('2') {
            write(&mut refusals, format_args!("<tr><td>{status}</td><td>{words}</td></tr>"));
            continue;
        }
        let content = response["content"].as_object().and_then(|content| content.iter().next());
        let kind = content.map_or("no body", |(kind, _)| kind);
        write(page, format_args!("<details><summary>{status} · {kind}</summary>"));
        if let Some(example) = content.and_then(|(_, content)| content.get("example")) {
            write(page, format_args!("<pre>{}</pre>", escape(&pretty(example))));
        }
        write(page, format_args!("<p>{words}</p></details>"));
    }
    write(
        page,
        format_args!(
            "<details><summary>problems</summary><table><tbody>{refusals}</tbody></table></details>"
        ),
    );
}

fn problems(page: &mut String, problems: &Value) {
    page.push_str(
        "<h2 id=\"problems\">problems</h2><p>Every error is <code>application/problem+json</code>: \
         <code>type</code>, <code>title</code>, <code>status</code>, <code>detail</code>, <code>code</code>.</p>\
         <table><thead><tr><th>code</th><th>status</th><th>what to do</th></tr></thead><tbody>",
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
    page.push_str("</tbody></table>");
}

/// Writing into a string cannot fail.
fn write(page: &mut String, words: std::fmt::Arguments<'_>) {
    page.write_fmt(words).unwrap_or_default();
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
