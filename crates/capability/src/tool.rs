//! Something that runs: a name, a JSON Schema, an effect class.

use crate::{Clock, Errand, Port, Ports, Settings, ToolError, Values};
use async_trait::async_trait;
use domain::{
    ArgumentKind, CallId, Danger, EffectClass, Label, Permission, SessionId, Sink, ToolSpec, TurnId, UserId,
    Workplace,
};
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

#[async_trait]
pub trait Tool: Send + Sync {
    fn spec(&self) -> ToolSpec;

    /// What arguments are checked against before a call runs: what the model is told, unless the tool itself has better
    /// words for what is wrong than a schema.
    fn checked_schema(&self) -> Value {
        self.spec().parameters
    }

    /// What may happen with a started call after a crash. The default is the careful one: never again.
    fn class(&self) -> EffectClass {
        EffectClass::Effect
    }

    /// Whether an agent may run it without asking a person.
    fn permission(&self) -> Permission {
        Permission::Allow
    }

    /// How much harm it can do, for the person who is asked. The default follows from the class.
    fn danger(&self) -> Danger {
        match self.class() {
            EffectClass::Read => Danger::Safe,
            EffectClass::Txn | EffectClass::Idem => Danger::Moderate,
            EffectClass::Effect => Danger::Dangerous,
        }
    }

    /// Where what it is given ends up. The default follows from the class; a tool that only reads, but asks the world
    /// outside, says so here.
    fn sink(&self) -> Sink {
        match self.class() {
            EffectClass::Read => Sink::Nowhere,
            EffectClass::Txn => Sink::Inside,
            EffectClass::Idem | EffectClass::Effect => Sink::Outside,
        }
    }

    /// Where a call does its work, for the person who is asked about it. The default follows from its first port, because a
    /// tool reaches the world through its ports only; one without ports that sends nothing out works on the server.
    fn workplace(&self, _arguments: &Value) -> Option<Workplace> {
        match self.ports().first() {
            Some(port) => Some(port.workplace()),
            None => (!self.sink().is_way_out()).then_some(Workplace::Server),
        }
    }

    /// Hosts that a call may reach from the sandbox with these settings, for the person who is asked about it.
    fn hosts(&self, _settings: &Settings) -> Vec<String> {
        Vec::new()
    }

    /// What its results hold besides what it was given and what its ports have seen: words of others, things that are not
    /// for everybody. The default is the careful one for a tool that could have asked the world; one that only looks has
    /// nothing to look at but its arguments, the clock and its ports, and some of those say themselves where things are from.
    fn reads(&self) -> Label {
        match self.class() {
            EffectClass::Read | EffectClass::Txn if self.ports().iter().all(|port| port.says_origin()) => {
                Label::TRUSTED_PUBLIC
            }
            _ => Label::WORST,
        }
    }

    /// Does it reach what is known of the person beyond the conversation? Then no call of it runs where that person does not speak
    /// themself. The default follows from its ports.
    fn reads_beyond(&self) -> bool {
        self.ports().iter().any(|port| port.reads_beyond())
    }

    /// What the gate is told of one call, where that depends on what the agent sets or on the arguments.
    fn terms(&self, _settings: &Settings, _arguments: &Value) -> Terms {
        Terms { permission: self.permission(), sink: self.sink(), acts_later: false }
    }

    /// Is it there under a name that agents write in their text, for another tool that models are told of?
    fn is_alias(&self) -> bool {
        false
    }

    /// Arguments for which the gate knows rules, by their names.
    fn argument_kinds(&self) -> &'static [(&'static str, ArgumentKind)] {
        &[]
    }

    /// What it needs of the world; its context has these and no others.
    fn ports(&self) -> &'static [Port] {
        &[]
    }

    /// Does each call of it say everything anew, so that of several only the newest counts? Of those before it the model
    /// is then told no more than that they were.
    fn supersedes(&self) -> bool {
        false
    }

    /// Is a text that it gives told as it is, and not as JSON? So are its errors.
    fn is_plain(&self) -> bool {
        false
    }

    /// What a call asks of another agent. A tool that gives something here is never run: its call waits until the other
    /// agent has answered, or its time is over.
    fn errand(&self, _settings: &Settings, _arguments: &Value) -> Option<Result<Errand, ToolError>> {
        None
    }

    /// Runs one call. The arguments have been checked against the schema when the engine calls; a tool still
    /// answers with [`ToolError::Failed`], never a panic, when they are not what it expects.
    ///
    /// # Errors
    /// [`ToolError::Failed`] for what the model can understand and correct, [`ToolError::Internal`] otherwise.
    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError>;
}

/// What the gate is told of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    pub permission: Permission,
    pub sink: Sink,
    /// `true`: what the call leads to happens later, when its person may be away.
    pub acts_later: bool,
}

/// Who is calling, and the ports through which a tool reaches the world.
#[derive(Clone)]
pub struct ToolContext {
    pub session_id: SessionId,
    pub turn_id: TurnId,
    pub call_id: CallId,
    /// On whose behalf: set by the server, never taken from what a model wrote.
    pub user_id: UserId,
    /// The person's IANA time zone.
    pub time_zone: String,
    /// The same each time this call runs, also after a crash; for targets that honour such a key.
    pub idempotency_key: String,
    pub clock: Arc<dyn Clock>,
    /// Fires when the call should stop: the turn was stopped, or the program is shutting down.
    pub cancelled: CancellationToken,
    /// What the agent sets about the capability that the tool belongs to.
    pub settings: Arc<Settings>,
    /// What placeholders stand for, but for the time.
    pub values: Values,
    /// What the tool declared in [`Tool::ports`].
    pub ports: Ports,
}
