//! What only words can say of a route, one file per noun.

mod abilities;
mod agents;
mod api_keys;
mod approvals;
mod files;
mod house;
mod keeping;
mod knowledge;
mod messages;
mod providers;
mod schedules;
mod sessions;
mod upkeep;
mod uploads;
mod users;

use super::shape::Shape;

/// The words for one route.
#[derive(Clone, Copy)]
pub(crate) struct About {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) detail: &'static str,
    /// The problems of this route that do not follow from its arguments.
    pub(crate) codes: &'static [&'static str],
    /// What the handler's types do not tell: a bare `Request` or `Response` says nothing.
    pub(crate) also: Option<fn(&mut Shape<'_>)>,
}

impl About {
    const fn new(method: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self { method, path, summary, detail: "", codes: &[], also: None }
    }

    const fn detail(mut self, detail: &'static str) -> Self {
        self.detail = detail;
        self
    }

    const fn codes(mut self, codes: &'static [&'static str]) -> Self {
        self.codes = codes;
        self
    }

    const fn also(mut self, also: fn(&mut Shape<'_>)) -> Self {
        self.also = Some(also);
        self
    }
}

const NOUNS: [&[About]; 15] = [
    house::ALL,
    agents::ALL,
    abilities::ALL,
    schedules::ALL,
    providers::ALL,
    sessions::ALL,
    keeping::ALL,
    knowledge::ALL,
    messages::ALL,
    approvals::ALL,
    files::ALL,
    users::ALL,
    api_keys::ALL,
    upkeep::ALL,
    uploads::ALL,
];

pub(crate) fn all() -> impl Iterator<Item = &'static About> {
    NOUNS.iter().flat_map(|noun| noun.iter())
}

pub(crate) fn find(method: &str, path: &str) -> Option<&'static About> {
    all().find(|about| about.method == method && about.path == path)
}
