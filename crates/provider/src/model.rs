//! One model that can be asked.

use crate::{
    ErrorKind, ModelRequest, ModelStream, Price, ProviderError, RequestCount, Tokens, Wire, accepts::Accepts,
    anthropic, demo, http::endpoint::Endpoint, openai, stream::unwritable, token_estimate::Gauge,
};
use domain::Parameters;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A model as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelInfo {
    /// `provider/model`, or `demo`.
    pub id: String,
    pub provider: String,
    /// Tokens of prompt and answer together.
    pub window: u64,
    pub max_output: Option<u64>,
    /// Micro-USD per million tokens; all zero = free; absent = unknown.
    pub price: Option<Price>,
    /// Of `tools`, `images`, `reasoning`: what is known to work.
    pub abilities: Vec<String>,
    /// Agents without a model of their own use it.
    pub default: bool,
}

/// A model that can be asked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Model {
    info: Arc<ModelInfo>,
    way: Way,
    gauge: Arc<Gauge>,
}

#[derive(Clone, Debug)]
enum Way {
    Demo,
    Http(Arc<Http>),
}

#[derive(Debug)]
struct Http {
    endpoint: Arc<Endpoint>,
    /// As the provider calls it.
    name: String,
    accepts: Accepts,
}

/// Room for an answer where the provider chooses its length.
const USUAL_REPLY: u64 = 4_096;

impl Model {
    pub(crate) fn demo() -> Self {
        Self { info: Arc::new(demo::info()), way: Way::Demo, gauge: Arc::default() }
    }

    pub(crate) fn http(info: ModelInfo, endpoint: Arc<Endpoint>, name: String, accepts: Accepts) -> Self {
        let way = Way::Http(Arc::new(Http { endpoint, name, accepts }));
        Self { info: Arc::new(info), way, gauge: Arc::default() }
    }

    /// Counts as all others do that stand for the same model.
    pub(crate) fn counting(self, gauge: Arc<Gauge>) -> Self {
        Self { gauge, ..self }
    }

    pub fn id(&self) -> &str {
        &self.info.id
    }

    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// Tokens of prompt and answer together.
    pub fn window(&self) -> u64 {
        self.info.window
    }

    /// May pictures be sent to it?
    pub fn sees(&self) -> bool {
        self.info.abilities.iter().any(|ability| ability == "images")
    }

    /// Micro-USD; `Some(0)` when it is free, `None` when the price is not known.
    pub fn cost(&self, tokens: Tokens) -> Option<u64> {
        self.info.price.map(|price| price.cost(tokens))
    }

    /// Tokens that a text will take, rather too many than too few. Every count of tokens is made with this.
    pub fn estimate(&self, text: &str) -> u64 {
        self.gauge.count(text)
    }

    /// A prompt that was estimated at `expected` tokens had `counted`, says the provider: the next estimate knows.
    pub fn counted(&self, expected: u64, counted: u64) {
        self.gauge.learn(expected, counted);
    }

    /// Tokens of the window that an answer with these parameters needs.
    pub fn reply_tokens(&self, parameters: &Parameters) -> u64 {
        match &self.way {
            Way::Http(http) if http.endpoint.wire() == Wire::Anthropic => {
                anthropic::reply_tokens(parameters, &http.accepts)
            }
            _ => parameters.max_tokens.unwrap_or(USUAL_REPLY),
        }
    }

    /// The body of a request, exactly as it would be sent first; none for a model that is not sent anything.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn body(&self, request: &ModelRequest) -> Result<Option<String>, ProviderError> {
        let Way::Http(http) = &self.way else { return Ok(None) };
        let bytes = match http.endpoint.wire() {
            Wire::OpenAi => openai::body(&http.name, request, &http.accepts),
            Wire::Anthropic => {
                anthropic::AnthropicRequest::new(&http.name, request, &http.accepts, anthropic::Native::Kept)
                    .to_bytes()
            }
        };
        let bytes = bytes.map_err(|error| unwritable(&error))?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Asks, and returns as soon as the provider has begun to answer. `sent` counts the requests that go out for it.
    pub async fn stream(
        &self,
        mut request: ModelRequest,
        sent: &RequestCount,
    ) -> Result<ModelStream, ProviderError> {
        loop {
            let fewer = request.with_fewer_pictures();
            match (self.ask(request, sent).await, fewer) {
                // A picture that is refused once is refused in every later prompt. The conversation goes on without it
                // rather than never.
                (Err(error), Some(fewer)) if error.kind == ErrorKind::Refused => {
                    tracing::info!("the provider refuses a prompt with pictures; asking with fewer");
                    request = fewer;
                }
                (outcome, _) => return outcome,
            }
        }
    }

    async fn ask(&self, request: ModelRequest, sent: &RequestCount) -> Result<ModelStream, ProviderError> {
        match &self.way {
            Way::Demo => {
                sent.add();
                Ok(ModelStream::demo(demo::script(&request)))
            }
            Way::Http(http) => match http.endpoint.wire() {
                Wire::OpenAi => http.openai(request, sent).await,
                Wire::Anthropic => http.anthropic(request, sent).await,
            },
        }
    }
}

impl Http {
    async fn openai(&self, request: ModelRequest, sent: &RequestCount) -> Result<ModelStream, ProviderError> {
        let body = openai::body(&self.name, &request, &self.accepts).map_err(|error| unwritable(&error))?;
        drop(request);
        let response = self.endpoint.post(body, sent).await?;
        Ok(ModelStream::openai(response, Arc::clone(&self.endpoint), sent.clone()))
    }

    async fn anthropic(
        &self,
        request: ModelRequest,
        sent: &RequestCount,
    ) -> Result<ModelStream, ProviderError> {
        let kept = self.ask_anthropic(&request, anthropic::Native::Kept, sent).await;
        match kept {
            // What a vendor has signed it may no longer want to see: the history was shortened, a result has expired.
            // The conversation goes on without it rather than never.
            Err(error) if error.kind == ErrorKind::Refused && request.has_native() => {
                tracing::info!("the provider refuses its own blocks; asking without them");
                self.ask_anthropic(&request, anthropic::Native::LeftOut, sent).await
            }
            outcome => outcome,
        }
    }

    async fn ask_anthropic(
        &self,
        request: &ModelRequest,
        native: anthropic::Native,
        sent: &RequestCount,
    ) -> Result<ModelStream, ProviderError> {
        let body = anthropic::AnthropicRequest::new(&self.name, request, &self.accepts, native);
        let bytes = body.to_bytes().map_err(|error| unwritable(&error))?;
        let response = self.endpoint.post(bytes, sent).await?;
        Ok(ModelStream::anthropic(response, Arc::clone(&self.endpoint), sent.clone(), body))
    }
}
