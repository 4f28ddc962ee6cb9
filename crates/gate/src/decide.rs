//! The decision itself: what it depends on, and what becomes of a call.

use crate::{
    Site, Why, approval_covers::approval_covers, argument_digest, argument_policy, rules, rules::Rights,
    shown_label,
};
use domain::{
    AgentId, Approval, ApprovalStatus, ArgumentKind, CallId, Label, Permission, Rule, RuleId, SessionId,
    Sink, ToolRule, UserId, canonical_tool,
};
use serde_json::Value;

/// Requests of one turn that may wait for a person at the same time.
/// THREAT[gate-15] A person who is asked a thousand things says yes to the thousand and first without reading it.
pub const ASKED_AT_ONCE: usize = 8;

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It runs, and uses up these rules.
    Run { spends: Vec<RuleId> },
    /// A person is asked first, for these reasons. `Approval`s of other calls for the very same thing are shared.
    Ask { why: Vec<Why>, scopes: Scopes },
    /// It does not run.
    Deny(Why),
    /// It cannot run as it was made; the model may correct it.
    Refuse(String),
}

/// How long an approval may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scopes {
    OnceOnly,
    /// At most for the conversation: for one host or service, if the call tells nothing to any other.
    Session,
    Every,
}

/// A call as the model made it.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    pub call: CallId,
    pub name: &'a str,
    pub arguments: &'a Value,
}

impl Wanted<'_> {
    /// What the tool is asked to do, where it does several things.
    pub fn action(&self) -> Option<&str> {
        self.arguments.get("action").and_then(Value::as_str)
    }
}

/// What the gate knows of a tool: what its author declared, nothing that a model said.
#[derive(Clone, Copy, Debug)]
pub struct ToolFacts {
    pub sink: Sink,
    pub kinds: &'static [(&'static str, ArgumentKind)],
    /// `true`: the server itself does it, so every agent has it.
    pub house: bool,
    /// `true`: what the call leads to happens later, when its person may be away.
    pub acts_later: bool,
}

impl ToolFacts {
    /// What the server itself does for every agent.
    pub const HOUSE: Self = Self { sink: Sink::Nowhere, kinds: &[], house: true, acts_later: false };
}

/// One agent whose rights a call needs: the agent that makes it, or one that this agent works for.
#[derive(Clone, Debug)]
pub struct Party {
    pub agent: AgentId,
    /// `true`: the agent has the tool, and may use it for the action of the call.
    pub granted: bool,
    /// What the tool itself requires for this call, with this agent's settings of the tool.
    pub permission: Permission,
    /// The rules in the agent's settings for its tools. They can only make a tool stricter.
    pub words: Vec<ToolRule>,
}

/// Everything a decision depends on.
#[derive(Clone, Debug)]
pub struct Circumstances<'a> {
    pub wanted: Wanted<'a>,
    /// `None`: there is no tool of that name.
    pub tool: Option<ToolFacts>,
    /// Whether the arguments are what the tool takes.
    pub checked: Result<(), String>,
    pub user: UserId,
    /// The agent itself first, then those on whose behalf it works.
    pub parties: &'a [Party],
    /// The session itself first, then those it is part of.
    pub sessions: &'a [SessionId],
    pub rules: &'a [Rule],
    /// The worst of what the model was shown for this step and of what the call will have before it.
    pub label: Label,
    /// Only where the tool tells no more than an address.
    pub site: Option<&'a Site>,
    /// `true`: a person can be asked.
    pub attended: bool,
    /// The request that this call waited for, once it is answered.
    pub answer: Option<&'a Approval>,
    /// The approvals that this turn has asked for before.
    pub asked: &'a [Approval],
}

pub fn decide(c: &Circumstances<'_>) -> Verdict {
    let Some(tool) = c.tool.filter(|tool| tool.house || granted(c)) else {
        return Verdict::Deny(Why::NotGranted);
    };
    let Rights { permission, by, spends } = rules::effective(c, &tool);
    if permission == Permission::Deny {
        return Verdict::Deny(Why::Forbidden);
    }
    if let Err(problem) = &c.checked {
        return Verdict::Refuse(problem.clone());
    }
    if let Err(problem) = argument_policy::check(tool.kinds, c.wanted.arguments) {
        return Verdict::Deny(Why::Argument(problem));
    }
    let asks = match permission {
        Permission::Ask => Some(Why::Asks(by)),
        Permission::AskEveryTime => Some(Why::AsksEveryTime(by)),
        Permission::Allow | Permission::Deny => None,
    };
    let concerns: Vec<Why> =
        asks.into_iter().chain(acts_later(c, &tool)).chain(rule_of_two(c, &tool)).collect();
    match c.answer.map(|answer| (answer.status, answer)) {
        Some((ApprovalStatus::Denied, answer)) => Verdict::Deny(Why::Said(answer.reason.clone())),
        Some((ApprovalStatus::Expired, _)) => Verdict::Deny(Why::NobodyAnswered),
        _ if concerns.is_empty() => Verdict::Run { spends },
        Some((ApprovalStatus::Approved, answer))
            if approval_covers(c, answer) && shown_label::is_as_shown(c, &concerns, answer) =>
        {
            Verdict::Run { spends: Vec::new() }
        }
        _ => ask(c, permission, concerns),
    }
}

/// Everybody by whose leave it is made must have the tool: an agent that works for another never has more than that one.
fn granted(c: &Circumstances<'_>) -> bool {
    !c.parties.is_empty() && c.parties.iter().all(|party| party.granted)
}

/// What untrusted words want done later happens when no person looks, so a person is asked each time, whatever they allowed before.
/// THREAT[time-01]
fn acts_later(c: &Circumstances<'_>, tool: &ToolFacts) -> Option<Why> {
    (tool.acts_later && c.label.is_untrusted()).then_some(Why::ActsLater)
}

/// Untrusted words, private things, and a way out: two of them are ordinary work, all three need a person. What was
/// permitted in advance (a listed host, a tool that a rule allows) is permitted to be reached, and not to be told private
/// things on the word of a stranger.
fn rule_of_two(c: &Circumstances<'_>, tool: &ToolFacts) -> Option<Why> {
    let both = c.label.is_untrusted() && c.label.is_private();
    (both && is_way_out(c, tool)).then_some(Why::RuleOfTwo)
}

/// Three things are none (ADR 0067): an address that the person typed, one that the search service returned, and the site
/// or the service that the person allowed for this conversation when they were asked.
fn is_way_out(c: &Circumstances<'_>, tool: &ToolFacts) -> bool {
    match tool.sink {
        Sink::Nowhere | Sink::Inside => false,
        Sink::Site => {
            !c.site.is_some_and(|site| site.known || rules::allows_in_session(c, Some(site.host.as_str())))
        }
        Sink::Service => !rules::allows_in_session(c, None),
        Sink::Outside => true,
    }
}

fn ask(c: &Circumstances<'_>, permission: Permission, why: Vec<Why>) -> Verdict {
    if !c.attended {
        return Verdict::Deny(Why::NobodyToAsk);
    }
    let same = |asked: &&Approval| {
        canonical_tool(&asked.tool) == canonical_tool(c.wanted.name)
            && argument_digest::same(&asked.arguments, c.wanted.arguments)
    };
    if c.asked.iter().filter(same).any(|asked| asked.status == ApprovalStatus::Denied) {
        return Verdict::Deny(Why::SaidBefore);
    }
    let open = |asked: &&Approval| asked.status == ApprovalStatus::Pending;
    let shares = c.asked.iter().filter(open).any(|asked| same(&asked));
    if !shares && c.asked.iter().filter(open).count() >= ASKED_AT_ONCE {
        return Verdict::Deny(Why::TooManyAsked);
    }
    let sink = c.tool.map_or(Sink::Outside, |tool| tool.sink);
    let scopes = match permission {
        Permission::AskEveryTime => Scopes::OnceOnly,
        _ if matches!(*why, [Why::Asks(_)]) => Scopes::Every,
        // What the label made doubtful is judged anew each time, unless it is plain who learns of it.
        _ if matches!(sink, Sink::Site | Sink::Service) => Scopes::Session,
        _ => Scopes::OnceOnly,
    };
    Verdict::Ask { why, scopes }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "ways_out_tests.rs"]
mod ways_out_tests;
