//! `[search]`: the service that searches the web for agents, if there is one.

use super::{
    Lookup,
    raw::{Raw, wrong},
    setting::{Setting, ShownSetting},
};
use crate::error::Result;
use engine::{SearchBackend, Searcher};
use secrecy::SecretString;

pub const SECTION: &str = "search";
pub const KEYS: &[&str] = &["backend", "url", "api_key", "api_key_env", "model"];

/// The usual variables of those that need a key.
const OWN_KEYS: [(SearchBackend, &str); 2] =
    [(SearchBackend::Anthropic, "ANTHROPIC_API_KEY"), (SearchBackend::Brave, "BRAVE_API_KEY")];

/// Who searches unless the owner says otherwise.
const USUAL: SearchBackend = SearchBackend::DuckDuckGo;
/// No search at all.
const NONE: &str = "none";

#[derive(Clone, Debug)]
pub struct Search {
    pub searcher: Option<Searcher>,
    shown: Vec<ShownSetting>,
}

impl Search {
    pub(super) fn read(raw: &mut Raw, lookup: Lookup<'_>) -> Result<Self> {
        let mut text = |key: &str| {
            raw.text(SECTION, key).map(|found| found.filter(|text| !text.value.trim().is_empty()))
        };
        let (backend, url, model) = (text("backend")?, text("url")?, text("model")?);
        let (key, variable) = (text("api_key")?, text("api_key_env")?);
        let Some(backend) = backend else {
            // One that takes no account, so that agents can search from the first day.
            let usual = Searcher::new(USUAL, None, None, None).ok();
            let shown = Setting::default(()).shown("search.backend", USUAL.as_str());
            return Ok(Self { searcher: usual, shown: vec![shown] });
        };
        if backend.value.trim() == NONE {
            return Ok(Self { searcher: None, shown: vec![backend.shown("search.backend", NONE)] });
        }
        let known = SearchBackend::ALL.map(SearchBackend::as_str).join(", ");
        let chosen = SearchBackend::parse(backend.value.trim()).ok_or_else(|| {
            let problem = format!("must be one of {known} or {NONE}, not `{}`", backend.value);
            wrong(&backend.origin, SECTION, "backend", &problem)
        })?;
        let mut shown = vec![backend.shown("search.backend", &backend.value)];
        shown.extend(url.iter().map(|url| url.shown("search.url", &url.value)));
        shown.extend(model.iter().map(|model| model.shown("search.model", &model.value)));
        shown.extend(key.iter().map(|key| key.shown("search.api_key", "•••")));
        shown.extend(variable.iter().map(|name| name.shown("search.api_key_env", &name.value)));
        if let (Some(_), Some(variable)) = (&key, &variable) {
            let problem = "contradicts api_key; write the key itself or the name of the variable that holds it, not both";
            return Err(wrong(&variable.origin, SECTION, "api_key_env", problem));
        }
        // Only to the vendor's own address: a key never goes to a server it was not meant for.
        let own = OWN_KEYS
            .iter()
            .find(|(of, _)| *of == chosen && url.is_none())
            .map(|(_, name)| (*name).to_owned());
        let named = variable.map(|variable| variable.value.trim().to_owned()).or(own);
        let found = key.map(|key| key.value).or_else(|| named.and_then(|name| lookup(&name)));
        let secret = found.filter(|key| !key.trim().is_empty()).map(SecretString::from);
        let address = url.as_ref().map(|url| url.value.trim());
        let searcher = Searcher::new(chosen, address, secret, model.map(|model| model.value));
        let searcher = searcher.map_err(|problem| wrong(&backend.origin, SECTION, "backend", &problem))?;
        Ok(Self { searcher: Some(searcher), shown })
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        self.shown.clone()
    }
}
