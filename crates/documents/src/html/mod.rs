//! Pages as words: the readable part of a page, as Markdown or as plain text.
//!
//! **Invariant:** whatever a page is, what the libraries are given of it is small, shallow and well-formed ([`slim`]): they
//! go down into it by recursion, and some of what they do takes time in the square of its depth. THREAT[html-01]
//! Even so a page costs many times its size while it is converted: those who convert some at once count them.

mod slim;
mod text;

use dom_query::Document;
use dom_smoothie::{Config, Readability};

/// More than this many elements are not looked at for a readable part.
const MOST_ELEMENTS: usize = 20_000;
/// A readable part that is shorter is probably a mistake.
const SHORTEST_PART: usize = 250;
const TITLE_CHARS: usize = 300;

/// Of a page, this much is looked at.
pub const MOST_BYTES: usize = slim::MOST_BYTES;

/// The page as Markdown; only its readable part where there is one, unless the whole is wanted.
pub fn markdown(html: &str, whole: bool) -> String {
    let page = slim::slim(html);
    let part = if whole { None } else { readable(&page) };
    let heading = part.as_ref().map(|part| format!("# {}\n\n", part.title)).filter(|line| line != "# \n\n");
    let heading = heading.unwrap_or_default();
    let body = part.map_or(page, |part| part.html);
    let words = Document::from(body).md(Some(&["head", "nav", "form", "button"])).to_string();
    slim::plain(if words.starts_with("# ") { words } else { format!("{heading}{words}") })
}

/// The page as plain text, a line per block.
pub fn text(html: &str, whole: bool) -> String {
    let page = slim::slim(html);
    let part = if whole { None } else { readable(&page) };
    let heading = part.as_ref().map(|part| part.title.clone()).filter(|title| !title.is_empty());
    let body = part.map_or(page, |part| slim::again(&part.html));
    let words = text::text(&body);
    slim::plain(match heading {
        Some(title) if !words.starts_with(&title) => format!("{title}\n\n{words}"),
        _ => words,
    })
}

/// A piece of HTML as words on one line.
pub fn plain_text(html: &str) -> String {
    slim::plain(text::text(&slim::slim(html)).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The first heading of a page, or else its title.
pub fn heading(html: &str) -> Option<String> {
    let lower = html.to_ascii_lowercase();
    ["h1", "h2", "title"].into_iter().find_map(|name| {
        let start = lower.find(&format!("<{name}"))?;
        let from = start + lower.get(start..)?.find('>')? + 1;
        let end = from + lower.get(from..)?.find(&format!("</{name}"))?;
        let end = html.floor_char_boundary(end.min(from + 2_000));
        let words = plain_text(html.get(from..end)?);
        Some(words.chars().take(TITLE_CHARS).collect::<String>()).filter(|words| !words.is_empty())
    })
}

struct Part {
    title: String,
    html: String,
}

fn readable(page: &str) -> Option<Part> {
    let config = Config { max_elements_to_parse: MOST_ELEMENTS, disable_json_ld: true, ..Config::default() };
    let mut reader = Readability::new(page, None, Some(config)).ok()?;
    let article = reader.parse().ok()?;
    let long = article.text_content.trim().chars().nth(SHORTEST_PART).is_some();
    let title = article.title.trim().chars().take(TITLE_CHARS).collect();
    long.then(|| Part { title, html: article.content.to_string() })
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;

#[cfg(test)]
mod weight_tests;
