//! One model that can be asked.

use crate::{
    ErrorKind, ModelRequest, ModelStream, Price, ProviderError, Tokens, demo, endpoint::Endpoint, openai,
    price,
};
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
    /// Of `tools`, `images`: what is known to work.
    pub abilities: Vec<String>,
}

/// A model that can be asked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Model {
    info: Arc<ModelInfo>,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Demo,
    OpenAi { endpoint: Arc<Endpoint>, name: String, completion_limit: bool },
}

impl Model {
    pub(crate) fn demo() -> Self {
        Self { info: Arc::new(demo::info()), way: Way::Demo }
    }

    pub(crate) fn openai(
        info: ModelInfo,
        endpoint: Arc<Endpoint>,
        name: String,
        completion_limit: bool,
    ) -> Self {
        Self { info: Arc::new(info), way: Way::OpenAi { endpoint, name, completion_limit } }
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

    /// Tokens that a text will take, rather too many than too few.
    pub fn estimate(&self, text: &str) -> u64 {
        price::estimate(text)
    }

    /// Asks, and returns as soon as the provider has begun to answer.
    pub async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ProviderError> {
        match &self.way {
            Way::Demo => Ok(ModelStream::demo(demo::script(&request))),
            Way::OpenAi { endpoint, name, completion_limit } => {
                let body = openai::body(name, &request, *completion_limit).map_err(|error| {
                    let detail = format!("the prompt cannot be written as JSON ({error})");
                    ProviderError::new(ErrorKind::Refused, detail)
                })?;
                drop(request);
                let response = endpoint.post("chat/completions", body).await?;
                Ok(ModelStream::http(response, endpoint.stall(), endpoint.key().cloned()))
            }
        }
    }
}
