//! Lists, all of one shape.

use crate::{json::Json, problem::Problem, request::extract::number};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Page, Paged};

const DEFAULT_LIMIT: u32 = 20;
const MAXIMUM: u32 = 100;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
pub(crate) struct List<T> {
    pub(crate) items: Vec<T>,
    pub(crate) total: u64,
    /// `true`: there are more than `total`. A list of sessions counts up to 1,000.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) total_is_more: bool,
    pub(crate) next_cursor: Option<String>,
}

impl<T> List<T> {
    /// A list that is never cut into pages.
    pub(crate) fn whole(items: Vec<T>) -> Json<Self> {
        let total = items.len() as u64;
        Json(Self { items, total, total_is_more: false, next_cursor: None })
    }
}

impl<T> From<Paged<T>> for List<T> {
    fn from(paged: Paged<T>) -> Self {
        let Paged { items, total, total_is_more, next_cursor } = paged;
        Self { items, total, total_is_more, next_cursor }
    }
}

/// The query of a list that has no filters.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    #[schemars(with = "Option<u32>", range(min = 1, max = 100))]
    limit: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

impl PageQuery {
    pub(crate) fn page(self) -> Result<Page, Problem> {
        page(self.limit.as_deref(), self.cursor)
    }
}

pub(crate) fn page(limit_text: Option<&str>, cursor: Option<String>) -> Result<Page, Problem> {
    Ok(Page { limit: limit(limit_text, DEFAULT_LIMIT, MAXIMUM)?, cursor })
}

/// `limit` of a list with the usual bounds.
pub(crate) fn usual_limit(text: Option<&str>) -> Result<u32, Problem> {
    limit(text, DEFAULT_LIMIT, MAXIMUM)
}

pub(crate) fn limit(text: Option<&str>, default: u32, maximum: u32) -> Result<u32, Problem> {
    let refuse = || Problem::bad_request("bad_limit", format!("limit must be 1 to {maximum}."));
    let Some(limit) = number("limit", text).map_err(|_| refuse())? else { return Ok(default) };
    u32::try_from(limit).ok().filter(|limit| (1..=maximum).contains(limit)).ok_or_else(refuse)
}
