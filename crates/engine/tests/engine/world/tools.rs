//! Tools that count their runs, wait where a test wants them to, and fail on demand.

use super::PATIENCE;
use async_trait::async_trait;
use capability::{Capability, CapabilityInfo, Tool, ToolContext, ToolError};
use domain::{EffectClass, Label, Permission, Sink, ToolSpec};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::sync::{Semaphore, watch};

/// One start of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub tool: &'static str,
    pub arguments: Value,
    pub key: String,
    /// It came to its end.
    pub done: bool,
    /// Nothing of it is running any more, whether it came to its end or not.
    pub gone: bool,
}

/// The capability `workshop`: `touch` has an effect, `put` honours a key, `look` only looks. The arguments say what a
/// call does: `gate` (a name) waits until the test opens that gate, `fail`, `break` and `panic` go wrong, `length` makes
/// the result that long, `say` is given back.
#[derive(Clone, Default)]
pub struct Tools {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    runs: Mutex<Vec<Run>>,
    gates: Mutex<HashMap<String, Arc<Semaphore>>>,
    changed: watch::Sender<usize>,
}

impl Tools {
    pub fn runs(&self, tool: &str) -> Vec<Run> {
        self.shared.runs.lock().unwrap().iter().filter(|run| run.tool == tool).cloned().collect()
    }

    /// Waits until tools have been started this often, all together.
    pub async fn started(&self, count: usize) {
        self.reach("starts", count, |runs| runs.len()).await;
    }

    pub async fn finished(&self, count: usize) {
        self.reach("ends", count, |runs| runs.iter().filter(|run| run.done).count()).await;
    }

    async fn reach(&self, what: &str, count: usize, counted: impl Fn(&[Run]) -> usize) {
        let mut changed = self.shared.changed.subscribe();
        let enough = changed.wait_for(|_| counted(&self.shared.runs.lock().unwrap()) >= count);
        let came = tokio::time::timeout(PATIENCE, enough).await;
        assert!(came.is_ok(), "{count} {what} of tools did not come: {:?}", self.shared.runs.lock().unwrap());
    }

    /// Lets one call through the gate, now or when it comes.
    pub fn open(&self, gate: &str) {
        self.shared.gate(gate).add_permits(1);
    }
}

impl Shared {
    fn gate(&self, name: &str) -> Arc<Semaphore> {
        let mut gates = self.gates.lock().unwrap();
        gates.entry(name.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(0))).clone()
    }

    fn note(&self, change: impl FnOnce(&mut Vec<Run>)) {
        change(&mut self.runs.lock().unwrap());
        self.changed.send_modify(|version| *version += 1);
    }
}

impl Capability for Tools {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("workshop", "Workshop", "Tools for the tests.")
    }

    fn prompt(&self, _settings: &capability::Settings) -> Option<String> {
        Some("You have a workshop.".to_owned())
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tool = |name, class| {
            let shared = self.shared.clone();
            let permission = Permission::Allow;
            Arc::new(TestTool { name, class, permission, shared }) as Arc<dyn Tool>
        };
        vec![
            tool("touch", EffectClass::Effect),
            tool("put", EffectClass::Idem),
            tool("look", EffectClass::Read),
        ]
    }
}

/// The capability `doors`, with the same tools under names that ask: `knock` asks, `ring` asks every time, `force` never
/// runs, `peek` asks and only looks.
#[derive(Clone)]
pub struct Doors(pub Tools);

impl Capability for Doors {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("doors", "Doors", "Tools that ask.")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tool = |name, class, permission| {
            let shared = self.0.shared.clone();
            Arc::new(TestTool { name, class, permission, shared }) as Arc<dyn Tool>
        };
        vec![
            tool("knock", EffectClass::Effect, Permission::Ask),
            tool("ring", EffectClass::Effect, Permission::AskEveryTime),
            tool("force", EffectClass::Effect, Permission::Deny),
            tool("peek", EffectClass::Read, Permission::Ask),
        ]
    }
}

/// The capability `street`: `page` brings words of others from outside, and tells them what it was asked for.
#[derive(Clone)]
pub struct Street(pub Tools);

impl Capability for Street {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("street", "Street", "What is outside.")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let (permission, shared) = (Permission::Allow, self.0.shared.clone());
        vec![Arc::new(TestTool { name: "page", class: EffectClass::Read, permission, shared })]
    }
}

struct TestTool {
    name: &'static str,
    class: EffectClass,
    permission: Permission,
    shared: Arc<Shared>,
}

/// Notes the end of a run, also of one that is taken away.
struct Gone {
    shared: Arc<Shared>,
    place: usize,
}

impl Drop for Gone {
    fn drop(&mut self) {
        self.shared.note(|runs| runs[self.place].gone = true);
    }
}

#[async_trait]
impl Tool for TestTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: format!("A tool of class {}.", self.class.as_str()),
            parameters: json!({ "type": "object", "properties": { "say": { "type": "string" } } }),
        }
    }

    fn class(&self) -> EffectClass {
        self.class
    }

    fn permission(&self) -> Permission {
        self.permission
    }

    fn reads(&self) -> Label {
        if self.name == "page" { Label::UNTRUSTED_PUBLIC } else { Label::TRUSTED_PUBLIC }
    }

    fn sink(&self) -> Sink {
        if self.class == EffectClass::Read && self.name != "page" { Sink::Nowhere } else { Sink::Outside }
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let run = Run {
            tool: self.name,
            arguments: arguments.clone(),
            key: context.idempotency_key.clone(),
            done: false,
            gone: false,
        };
        let mut place = 0;
        self.shared.note(|runs| {
            place = runs.len();
            runs.push(run);
        });
        let _gone = Gone { shared: self.shared.clone(), place };
        if let Some(gate) = arguments.get("gate").and_then(Value::as_str) {
            self.shared.gate(gate).acquire().await.unwrap().forget();
        }
        let asked = |what: &str| arguments.get(what).is_some();
        assert!(!asked("panic"), "this tool was asked to panic");
        self.shared.note(|runs| runs[place].done = true);
        match &arguments {
            _ if asked("fail") => Err(ToolError::failed("it did not work")),
            _ if asked("break") => Err(ToolError::Internal("secret detail".to_owned())),
            _ => Ok(match arguments.get("length").and_then(Value::as_u64) {
                Some(length) => json!("x".repeat(usize::try_from(length).unwrap())),
                None => json!({ "said": arguments.get("say") }),
            }),
        }
    }
}
