//! Asking the model, as every floor does.

use anyhow::Result;
use axum::body::Body;
use hyper::{Request, Response, Uri, body::Incoming};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};

#[derive(Clone)]
pub struct Upstream {
    client: Client<HttpConnector, Body>,
    uri: Uri,
}

impl Upstream {
    pub fn new(base: &str) -> Result<Self> {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, uri: format!("{base}/chat/completions").parse()? })
    }

    pub async fn ask(&self, body: Body) -> Result<Response<Incoming>> {
        let request =
            Request::post(self.uri.clone()).header("content-type", "application/json").body(body)?;
        Ok(self.client.request(request).await?)
    }
}
