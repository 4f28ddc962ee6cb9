//! Models that talk to the scripted server, and an ear for their answers.

use domain::Parameters;
use provider::{
    Completion, Model, ModelEvent, ModelRequest, ModelStream, Models, ModelsSettings, Origin, Prices,
    PromptMessage, ProviderError, ProviderSettings, RequestCount, Wire,
};
use secrecy::SecretString;
use std::time::Duration;
use testkit::model::ModelServer;

/// Looks like a key and must never be seen anywhere but in the header.
pub const KEY: &str = "sk-test-0123456789-never-shown";

/// Runs each test once for every wire.
macro_rules! on_each_wire {
    ($($name:ident),* $(,)?) => {
        mod openai {
            $(#[tokio::test] async fn $name() { super::$name(provider::Wire::OpenAi).await })*
        }

        mod anthropic {
            $(#[tokio::test] async fn $name() { super::$name(provider::Wire::Anthropic).await })*
        }
    };
}
pub(crate) use on_each_wire;

pub fn settings(wire: Wire, base_url: &str) -> ModelsSettings {
    let provider = ProviderSettings {
        name: "local".into(),
        wire,
        base_url: base_url.into(),
        api_key: Some(SecretString::from(KEY)),
        models: Vec::new(),
        free: None,
        prices: Prices::default(),
        images: std::collections::BTreeMap::new(),
        origin: Origin::File,
        source: "the test".into(),
    };
    ModelsSettings { providers: vec![provider], stall: Duration::from_secs(20), ..ModelsSettings::default() }
}

/// The address of a server, as the settings for this wire take it.
pub fn address(server: &ModelServer, wire: Wire) -> String {
    match wire {
        Wire::OpenAi => server.url(),
        Wire::Anthropic => server.root_url(),
    }
}

pub fn model(server: &ModelServer, wire: Wire) -> Model {
    Models::new(settings(wire, &address(server, wire))).resolve(Some("local/m1")).unwrap()
}

/// A model whose patience is short enough for a test that waits for its end.
pub fn impatient(server: &ModelServer, wire: Wire) -> Model {
    let settings =
        ModelsSettings { stall: Duration::from_millis(150), ..settings(wire, &address(server, wire)) };
    Models::new(settings).resolve(Some("local/m1")).unwrap()
}

pub fn hello() -> ModelRequest {
    ModelRequest {
        messages: vec![PromptMessage::user("hello")],
        tools: Vec::new(),
        parameters: Parameters::default(),
    }
}

/// Everything of one answer.
#[derive(Debug)]
pub struct Heard {
    pub text: String,
    pub thinking: String,
    pub outcome: Result<Completion, ProviderError>,
}

impl Heard {
    #[track_caller]
    pub fn completion(&self) -> &Completion {
        self.outcome.as_ref().unwrap()
    }

    #[track_caller]
    pub fn error(&self) -> &ProviderError {
        self.outcome.as_ref().unwrap_err()
    }
}

pub async fn listen(mut stream: ModelStream) -> Heard {
    let (mut text, mut thinking) = (String::new(), String::new());
    let outcome = loop {
        match stream.next().await.expect("a stream ends with its outcome") {
            Ok(ModelEvent::Text(piece)) => text.push_str(&piece),
            Ok(ModelEvent::Thinking(piece)) => thinking.push_str(&piece),
            Ok(ModelEvent::Paused) => assert!(stream.go_on(u64::MAX), "an answer that pauses goes on"),
            Ok(ModelEvent::Done(completion)) => break Ok(completion),
            Err(error) => break Err(error),
        }
    };
    assert!(stream.next().await.is_none(), "nothing follows the outcome");
    Heard { text, thinking, outcome }
}

/// Asks and hears the whole answer, whether it fails at once or later.
pub async fn ask(model: &Model) -> Heard {
    match model.stream(hello(), &RequestCount::default()).await {
        Ok(stream) => listen(stream).await,
        Err(error) => Heard { text: String::new(), thinking: String::new(), outcome: Err(error) },
    }
}
