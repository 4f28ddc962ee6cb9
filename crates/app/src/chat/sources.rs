//! What a web search found, on a terminal: a numbered list with the whole address of each page.

use crate::terminal::one_line;
use domain::{ResultStatus, canonical_tool};
use serde::Deserialize;

const TITLE: usize = 100;
const SNIPPET: usize = 200;
const ADDRESS: usize = 2_048;

/// The result of a search that went well.
#[derive(Debug, Deserialize)]
pub struct Sources {
    results: Vec<Source>,
}

#[derive(Debug, Deserialize)]
struct Source {
    title: String,
    url: String,
    #[serde(default)]
    snippet: String,
}

/// None when the call was no search, or failed.
pub fn of_search(name: &str, status: ResultStatus, content: &str) -> Option<Sources> {
    let searched = canonical_tool(name) == "web_search" && status == ResultStatus::Ok;
    searched.then(|| serde_json::from_str(content).ok())?
}

impl Sources {
    pub fn summary(&self) -> String {
        match self.results.len() {
            0 => "The search found nothing.".to_owned(),
            1 => "1 source".to_owned(),
            count => format!("{count} sources"),
        }
    }

    pub fn lines(&self) -> Vec<String> {
        let lines = |(number, source): (usize, &Source)| {
            let title = one_line(&source.title, TITLE);
            let mut lines = vec![
                format!("  {number}. {}", if title.is_empty() { "Untitled" } else { &title }),
                format!("     {}", one_line(&source.url, ADDRESS)),
            ];
            let snippet = one_line(&source.snippet, SNIPPET);
            if !snippet.is_empty() {
                lines.push(format!("     {snippet}"));
            }
            lines
        };
        (1..).zip(&self.results).flat_map(lines).collect()
    }
}
