//! `[telemetry]`: where spans are sent, if anywhere.

use super::{
    raw::{Raw, wrong},
    setting::{Setting, ShownSetting},
};
use crate::error::Result;
use hyper::Uri;

pub const SECTION: &str = "telemetry";
pub const KEYS: &[&str] = &["otlp_endpoint"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telemetry {
    /// The base address of a collector that takes OTLP over HTTP.
    pub otlp_endpoint: Option<Setting<String>>,
}

impl Telemetry {
    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let otlp_endpoint = raw.text(SECTION, "otlp_endpoint")?.filter(|url| !url.value.trim().is_empty());
        if let Some(url) = &otlp_endpoint {
            check(&url.value).map_err(|problem| wrong(&url.origin, SECTION, "otlp_endpoint", problem))?;
        }
        Ok(Self { otlp_endpoint })
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let none = Setting::default(());
        vec![self.otlp_endpoint.as_ref().map_or_else(
            || none.shown("telemetry.otlp_endpoint", "none"),
            |url| url.shown("telemetry.otlp_endpoint", &url.value),
        )]
    }
}

fn check(url: &str) -> Result<(), &'static str> {
    const FORM: &str = "must be the address of a collector such as http://127.0.0.1:4318";
    let parsed: Uri = url.trim().parse().map_err(|_| FORM)?;
    let host = parsed.authority().map(|authority| authority.as_str()).unwrap_or_default();
    if !matches!(parsed.scheme_str(), Some("http" | "https")) || host.is_empty() {
        return Err(FORM);
    }
    // The address is shown and logged; a password in it would be, too.
    if host.contains('@') || parsed.query().is_some() || url.contains('#') {
        return Err("must have no user name, query or fragment");
    }
    Ok(())
}
