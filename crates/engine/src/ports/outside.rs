//! What tools reach beyond the database: the web, the search service, and programs in the sandbox.

use crate::ports::web_search::Searcher;
use capability::{Equipment, Programs};
use sandbox::{
    egress::{Egress, Policy},
    process::{Cage, Report},
};
use secrecy::SecretString;
use std::{fmt, path::Path, sync::Arc};

/// Nothing, unless `app` puts something in when it assembles the program.
#[derive(Clone, Default)]
pub struct Outside {
    pub egress: Option<Egress>,
    /// Hosts at home that the owner allows, and where this program itself listens. Lists of agents narrow it.
    pub policy: Policy,
    pub cage: Option<Arc<Cage>>,
    pub searcher: Option<Searcher>,
    /// What no result of a tool may hold, besides the keys of providers.
    pub secrets: Vec<SecretString>,
}

impl Outside {
    /// What built-ins are told that there is. Without a cage, the report says what is missing.
    pub fn equipment(&self, missing: Option<&Report>) -> Equipment {
        let programs = match (&self.cage, missing) {
            (Some(_), _) => Ok(installed()),
            (None, Some(report)) => Err(report.to_string()),
            (None, None) => Equipment::default().programs,
        };
        Equipment { programs, web_search: self.searcher.is_some() }
    }
}

/// Only what lies where a cage can see it.
fn installed() -> Programs {
    let there = |name: &str| {
        ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|at| Path::new(at).join(name).exists())
    };
    Programs { python: there("python3"), uv: there("uv"), javascript: there("node") }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outside")
            .field("egress", &self.egress.is_some())
            .field("policy", &self.policy)
            .field("cage", &self.cage.is_some())
            .field("searcher", &self.searcher)
            .finish_non_exhaustive()
    }
}
