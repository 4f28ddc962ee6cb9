//! What the attacker says: every case has its script, and a model that is asked finds the case in what it is told.

use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use testkit::model::{ModelServer, Recorded, Reply};

const MARK: &str = "case-";

/// One moment of a case: what the model was told, and how often it has spoken since it was set upon it.
pub struct Moment<'a> {
    pub request: &'a Recorded,
    pub step: usize,
}

type Script = Arc<dyn Fn(&Moment<'_>) -> Reply + Send + Sync>;

#[derive(Clone, Default)]
pub struct Director {
    scripts: Arc<Mutex<HashMap<String, Script>>>,
    cases: Arc<AtomicUsize>,
}

impl Director {
    pub fn direct(&self, model: &ModelServer) {
        let director = self.clone();
        model.respond(move |request| director.play(request));
    }

    /// A word that no other case has.
    pub fn mark(&self) -> String {
        format!("{MARK}{}", self.cases.fetch_add(1, Ordering::SeqCst))
    }

    /// Whoever reads this mark in its last instruction speaks this script.
    pub fn cast(&self, mark: &str, script: impl Fn(&Moment<'_>) -> Reply + Send + Sync + 'static) {
        self.scripts.lock().unwrap().insert(mark.to_owned(), Arc::new(script));
    }

    fn play(&self, request: &Recorded) -> Reply {
        let messages = request.messages();
        let told = |message: &Value| (message["role"] == "user").then(|| mark_in(&text(message))).flatten();
        let Some((at, mark)) =
            messages.iter().enumerate().rev().find_map(|(at, message)| Some((at, told(message)?)))
        else {
            return Reply::text("I have nothing to do.");
        };
        let step = messages[at..].iter().filter(|message| message["role"] == "assistant").count();
        let script = self.scripts.lock().unwrap().get(&mark).cloned();
        match script {
            Some(script) => script(&Moment { request, step }),
            None => Reply::text("I know nothing of this."),
        }
    }
}

/// The last mark: a name of digits, perhaps with a role behind it (`case-7/clerk`).
fn mark_in(text: &str) -> Option<String> {
    let rest = text.rsplit_once(MARK)?.1;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '/')).unwrap_or(rest.len());
    Some(format!("{MARK}{}", &rest[..end]))
}

fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
