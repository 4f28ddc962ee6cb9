//! One request and the head of its answer, over one connection that serves nothing else.

use super::{
    Limits, Target,
    connect::Connection,
    request::{Request, agent},
};
use crate::Error;
use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Response,
    body::Incoming,
    client::conn::http1,
    header::{ACCEPT, ACCEPT_ENCODING, CONNECTION, HOST, HeaderValue, USER_AGENT},
};
use hyper_util::rt::TokioIo;
use tokio::{task::JoinHandle, time::timeout};

/// The head, the body that is still to come, and the task that moves its bytes.
pub(crate) struct Exchange {
    pub response: Response<Incoming>,
    pub pump: Pump,
}

/// Ends with its holder, so that no task reads for a reader that left.
pub(crate) struct Pump(JoinHandle<()>);

impl Pump {
    /// Goes on until the connection ends.
    pub(crate) async fn finish(mut self) {
        drop((&mut self.0).await);
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(crate) async fn exchange(
    connection: Connection,
    target: &Target,
    request: &Request,
    limits: &Limits,
) -> Result<Exchange, Error> {
    let host = || target.host().to_owned();
    let protocol = |error: hyper::Error| Error::Protocol { host: host(), why: reason(&error) };
    let mut settings = http1::Builder::new();
    settings.max_headers(limits.headers).max_buf_size(limits.header_bytes.max(8_192));
    let (mut sender, driver) = settings.handshake(TokioIo::new(connection)).await.map_err(protocol)?;
    let pump = Pump(tokio::spawn(async move {
        // The reader of the body sees how it ended.
        drop(driver.await);
    }));
    let outgoing = outgoing(target, request)?;
    let response = timeout(limits.first_byte, sender.send_request(outgoing)).await;
    let silent = |_| Error::Silent { host: host(), seconds: limits.first_byte.as_secs_f32() };
    let response = response.map_err(silent)?.map_err(protocol)?;
    let size =
        response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>();
    if size > limits.header_bytes {
        return Err(Error::Protocol {
            host: host(),
            why: "the headers of its answer are too large".to_owned(),
        });
    }
    Ok(Exchange { response, pump })
}

fn outgoing(target: &Target, request: &Request) -> Result<hyper::Request<Full<Bytes>>, Error> {
    let url = target.url();
    let problem = |why: String| Error::Protocol { host: target.host().to_owned(), why };
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let authority =
        url.port().map_or_else(|| target.host().to_owned(), |port| format!("{}:{port}", target.host()));
    let mut outgoing = hyper::Request::builder()
        .method(request.method.clone())
        .uri(path)
        .body(Full::new(Bytes::from(request.body.clone())))
        .map_err(|error| problem(error.to_string()))?;
    let headers = outgoing.headers_mut();
    headers.insert(HOST, HeaderValue::from_str(&authority).map_err(|error| problem(error.to_string()))?);
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    headers.extend(request.headers.clone());
    headers.insert(USER_AGENT, agent());
    headers
        .insert(ACCEPT_ENCODING, HeaderValue::from_static(if request.packed { "gzip" } else { "identity" }));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(outgoing)
}

pub(crate) fn reason(error: &hyper::Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}
