//! Where spans are delivered: an address that the operator set, reached with the same care as a provider.

use crate::{
    ErrorKind, ProviderError,
    http::{address::is_private, endpoint},
};
use reqwest::{Client, Url, header::CONTENT_TYPE};
use std::time::Duration;

/// A collector that takes longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Takes bodies in JSON, one at a time.
pub struct Collector {
    url: Url,
    client: Client,
}

impl Collector {
    pub fn new(url: &str) -> Result<Self, ProviderError> {
        let wrong = || {
            ProviderError::new(
                ErrorKind::Configuration,
                "the collector's address is not an http or https address",
            )
        };
        let url = Url::parse(url).map_err(|_| wrong())?;
        let client = endpoint::build_client(&url, is_private(&url))?;
        Ok(Self { url, client })
    }

    pub async fn deliver(&self, body: Vec<u8>) -> Result<(), ProviderError> {
        let unreachable = |what: String| ProviderError::new(ErrorKind::Unreachable, what);
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json").body(body);
        let answer = tokio::time::timeout(PATIENCE, request.send()).await;
        let answer = answer.map_err(|_| unreachable("the collector did not answer in time".to_owned()))?;
        let answer = answer.map_err(|error| unreachable(crate::http::cause::describe(&error)))?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status => Err(unreachable(format!("the collector answered {}", status.as_u16()))),
        }
    }
}
