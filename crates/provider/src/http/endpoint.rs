//! One provider's server: its address, its key, its connections.
//!
//! Proxies: the usual variables (`HTTPS_PROXY`, `NO_PROXY`, …) are honoured for addresses on the internet and ignored for
//! loopback and private ones, which no proxy outside could reach. Redirects are never followed: they would carry the key
//! to another host, and a prompt that is sent on as GET is lost.

use crate::{
    ErrorKind, ProviderError, ProviderSettings, RequestCount, Wire, anthropic,
    http::{
        address::{is_private, shown},
        cause::{describe, is_parse_error},
        http_error::refused,
        retry_after::retry_after,
    },
    scrubbing::scrub::scrub,
    stream::seconds,
};
use reqwest::{
    Client, Method, Request, Response, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, USER_AGENT},
    redirect::Policy,
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use secrecy::{ExposeSecret, SecretString};
use std::{
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};
use tokio::time::timeout;

const CONNECT: Duration = Duration::from_secs(10);
/// Idle connections are closed before most servers close theirs, so that few requests meet a dead one.
const IDLE: Duration = Duration::from_secs(30);
const MAX_ERROR_BODY: usize = 64 * 1024;
const ERROR_BODY_WAIT: Duration = Duration::from_secs(5);
const AGENT: &str = concat!("majordomo/", env!("CARGO_PKG_VERSION"));

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const VERSION: HeaderName = HeaderName::from_static("anthropic-version");

pub(crate) struct Endpoint {
    wire: Wire,
    base: Url,
    key: Option<SecretString>,
    private: bool,
    stall: Duration,
    client: OnceLock<Result<Client, ProviderError>>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("base", &self.shown_url()).finish_non_exhaustive()
    }
}

impl Endpoint {
    pub(crate) fn new(settings: &ProviderSettings, stall: Duration) -> Result<Self, ProviderError> {
        let wrong = |what: &str| {
            let detail = format!("base_url of provider {} {what}", settings.name);
            ProviderError::new(ErrorKind::Configuration, detail)
        };
        let base = Url::parse(settings.base_url.trim())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| wrong("is not an http or https address"))?;
        // THREAT[key leak]: an address is shown and logged; a password in it would be, too.
        if !base.username().is_empty() || base.password().is_some() {
            return Err(wrong("contains a user name or password; use api_key instead"));
        }
        Ok(Self {
            wire: settings.wire,
            private: is_private(&base),
            base: without_version(base, settings.wire),
            key: settings.api_key.clone().filter(|key| !key.expose_secret().trim().is_empty()),
            stall,
            client: OnceLock::new(),
        })
    }

    pub(crate) const fn wire(&self) -> Wire {
        self.wire
    }

    pub(crate) const fn is_private(&self) -> bool {
        self.private
    }

    pub(crate) const fn stall(&self) -> Duration {
        self.stall
    }

    pub(crate) const fn key(&self) -> Option<&SecretString> {
        self.key.as_ref()
    }

    pub(crate) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// The address without user name and password.
    pub(crate) fn shown_url(&self) -> String {
        shown(&self.base)
    }

    /// Sends a request, once, and waits for the head of a successful answer. THREAT[money-07]: a request whose connection breaks
    /// may have been read and paid for; the worker that sends it again holds the money back again.
    pub(crate) async fn post(&self, body: Vec<u8>, sent: &RequestCount) -> Result<Response, ProviderError> {
        let path = match self.wire {
            Wire::OpenAi => "chat/completions",
            Wire::Anthropic => "v1/messages",
        };
        let mut request = self.request(Method::POST, path)?;
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *request.body_mut() = Some(body.into());
        self.send(self.client()?, request, sent).await
    }

    /// The body of the answer to the question for models, no larger than `limit`.
    pub(crate) async fn models(&self, limit: usize) -> Result<Vec<u8>, ProviderError> {
        let request = match self.wire {
            Wire::OpenAi => self.request(Method::GET, "models")?,
            Wire::Anthropic => {
                let mut request = self.request(Method::GET, "v1/models")?;
                request.url_mut().set_query(Some("limit=1000"));
                request
            }
        };
        let response = self.send(self.client()?, request, &RequestCount::default()).await?;
        let body = read_body(response, limit).await;
        body.map_err(|error| ProviderError::new(ErrorKind::Truncated, describe(&error)))
    }

    fn client(&self) -> Result<&Client, ProviderError> {
        let client = self.client.get_or_init(|| build_client(&self.base, self.private));
        client.as_ref().map_err(Clone::clone)
    }

    fn request(&self, method: Method, path: &str) -> Result<Request, ProviderError> {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        let mut request = Request::new(method, url);
        request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(AGENT));
        if self.wire == Wire::Anthropic {
            request.headers_mut().insert(VERSION, HeaderValue::from_static(anthropic::VERSION));
        }
        let Some(key) = &self.key else { return Ok(request) };
        let (name, value) = match self.wire {
            Wire::OpenAi => (AUTHORIZATION, format!("Bearer {}", key.expose_secret().trim())),
            Wire::Anthropic => (API_KEY, key.expose_secret().trim().to_owned()),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| {
            let detail = "the API key contains characters that a key cannot have; paste it again";
            ProviderError::new(ErrorKind::Configuration, detail)
        })?;
        value.set_sensitive(true);
        request.headers_mut().insert(name, value);
        Ok(request)
    }

    async fn send(
        &self,
        client: &Client,
        request: Request,
        sent: &RequestCount,
    ) -> Result<Response, ProviderError> {
        sent.add();
        let response = match timeout(self.stall, client.execute(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                if error.is_connect() {
                    sent.take_back();
                }
                return Err(self.broken(&error));
            }
            Err(_) => {
                let detail = format!("{} did not answer for {}", self.shown_url(), seconds(self.stall));
                let error = ProviderError::new(ErrorKind::Stalled, detail);
                return Err(ProviderError { unanswered: true, ..error });
            }
        };
        if response.status().is_success() {
            return Ok(response);
        }
        Err(self.refusal(response).await)
    }

    fn broken(&self, error: &reqwest::Error) -> ProviderError {
        let (url, cause) = (self.shown_url(), scrub(&describe(error), self.key()));
        let (kind, detail) = match () {
            () if error.is_connect() => {
                (ErrorKind::Unreachable, format!("{url} cannot be reached ({cause})"))
            }
            () if is_parse_error(error) => {
                (ErrorKind::Protocol, format!("{url} does not answer with HTTP ({cause})"))
            }
            () => (ErrorKind::Unreachable, format!("{url} broke the connection ({cause})")),
        };
        ProviderError { unanswered: !error.is_connect(), ..ProviderError::new(kind, detail) }
    }

    async fn refusal(&self, response: Response) -> ProviderError {
        let status = response.status();
        let wait = retry_after(response.headers(), SystemTime::now());
        let target = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).map(str::to_owned);
        let body = timeout(ERROR_BODY_WAIT, read_body(response, MAX_ERROR_BODY)).await;
        let body = body.ok().and_then(Result::ok).unwrap_or_default();
        let mut error = refused(status.as_u16(), &String::from_utf8_lossy(&body));
        if let (true, Some(target)) = (status.is_redirection(), target) {
            let target = Url::parse(&target).map_or(target, |url| shown(&url));
            error.detail =
                format!("{} redirects to {target}; set base_url to that address", self.shown_url());
        }
        // A gateway that waited in vain has handed the request on.
        let unanswered = error.kind == ErrorKind::Stalled;
        ProviderError { detail: scrub(&error.detail, self.key()), retry_after: wait, unanswered, ..error }
    }
}

/// The SDK of this vendor takes the address without the version; people copy it with.
fn without_version(mut base: Url, wire: Wire) -> Url {
    let path = base.path().trim_end_matches('/').to_owned();
    if let (Wire::Anthropic, Some(path)) = (wire, path.strip_suffix("/v1")) {
        base.set_path(path);
    }
    base
}

/// The certificates that this machine trusts: a megabyte, which all providers share. Where there are none they are looked for
/// again.
fn system_roots() -> Arc<RootCertStore> {
    static KNOWN: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    if let Some(known) = KNOWN.get() {
        return known.clone();
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let roots = Arc::new(roots);
    if roots.is_empty() { roots } else { KNOWN.get_or_init(|| roots).clone() }
}

pub(crate) fn build_client(base: &Url, private: bool) -> Result<Client, ProviderError> {
    let problem = |error: &dyn std::fmt::Display| {
        ProviderError::new(
            ErrorKind::Configuration,
            format!("connections cannot be made on this machine ({error})"),
        )
    };
    let roots = if base.scheme() == "https" { system_roots() } else { Arc::new(RootCertStore::empty()) };
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| problem(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(Policy::none())
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE);
    let builder = if private { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| problem(&error))
}

/// Reads at most `limit` bytes and drops the rest together with the connection.
async fn read_body(mut response: Response, limit: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while body.len() < limit {
        let Some(bytes) = response.chunk().await? else { break };
        let room = limit.saturating_sub(body.len());
        body.extend(bytes.iter().take(room));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_providers_share_the_certificates_of_the_machine() {
        let (first, second) = (system_roots(), system_roots());
        assert!(first.is_empty() || Arc::ptr_eq(&first, &second));
    }
}
