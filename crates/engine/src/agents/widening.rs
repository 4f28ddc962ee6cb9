//! Whether an agent may do more after a change than it could before, and who may widen what agents may do.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use capability::{Registry, Resolved, Settings, permits};
use domain::{Agent, Budget, Permission, ToolRule};
use people::{Credential, Principal};
use std::sync::Arc;

const EVERY_TOOL: &str = "*";

/// What a change gives an agent that it had not, in words; nothing when it only takes away, or is about something else.
pub(crate) fn widened(before: &Agent, after: &Agent, registry: &Registry) -> Option<String> {
    let resolve = |agent: &Agent, allowed: &[String]| {
        registry.resolve(&agent.capabilities, allowed).unwrap_or_default()
    };
    let had = resolve(before, &before.allowed_tools);
    let could = resolve(before, &[EVERY_TOOL.to_owned()]);
    let has = resolve(after, &after.allowed_tools);
    more_tools(&had, &could, &has)
        .or_else(|| wider_settings(&could, &has))
        .or_else(|| looser_words(&before.tool_rules, &after.tool_rules))
        .or_else(|| more_money(before.budget, after.budget))
}

/// A tool that asks, or one that was kept from it although it could have had it.
fn more_tools(had: &Resolved, could: &Resolved, has: &Resolved) -> Option<String> {
    let harmless = |name: &str, permission| permission == Permission::Allow && could.tool(name).is_none();
    let new = has.tools.iter().find(|tool| {
        let name = tool.spec.name.as_str();
        !had.grants_all(name, has) && !harmless(name, tool.permission)
    })?;
    Some(format!("the tool {}", new.spec.name))
}

fn wider_settings(could: &Resolved, has: &Resolved) -> Option<String> {
    let before = |capability: &str| {
        let known = could.tools.iter().any(|tool| tool.capability == capability);
        if known { could.settings(capability) } else { Arc::<Settings>::default() }
    };
    let wider = has
        .tools
        .iter()
        .find(|tool| permits::widens(&before(&tool.capability), &has.settings(&tool.capability)))?;
    Some(format!("the settings of {}", wider.capability))
}

fn looser_words(before: &[ToolRule], after: &[ToolRule]) -> Option<String> {
    let kept = |word: &ToolRule| {
        let same = |now: &&ToolRule| now.tool == word.tool && now.arguments == word.arguments;
        word.action == Permission::Allow || after.iter().filter(same).any(|now| now.action >= word.action)
    };
    if let Some(lost) = before.iter().find(|word| !kept(word)) {
        return Some(format!("the permission of {}, which was {}", lost.tool, lost.action.as_str()));
    }
    // An exception from what was said before.
    let name = |word: &ToolRule| word.tool.split('.').next().unwrap_or_default().to_owned();
    let excepts = |new: &ToolRule, known: &ToolRule| {
        new.action < known.action
            && (known.tool == EVERY_TOOL || new.tool == EVERY_TOOL || name(new) == name(known))
    };
    let added = |word: &&ToolRule| !before.contains(word);
    let excepted = after.iter().filter(added).find(|new| before.iter().any(|known| excepts(new, known)))?;
    Some(format!("the permission of {}, which is now {}", excepted.tool, excepted.action.as_str()))
}

fn more_money(before: Budget, after: Budget) -> Option<String> {
    let more = |before: Option<u64>, after: Option<u64>| match (before, after) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(before), Some(after)) => after > before,
    };
    let more = more(before.per_turn_microusd, after.per_turn_microusd)
        || more(before.per_day_microusd, after.per_day_microusd);
    more.then(|| "its budget".to_owned())
}

impl Engine {
    /// THREAT[gate-16] Rights are widened by a person who has just proved who they are, never by a key or a page that was
    /// left open.
    pub(crate) fn check_widening(&self, who: &Principal) -> Result<()> {
        let detail = match who.credential {
            Credential::Operator | Credential::Login { .. } => return Ok(who.check_confirmed(self.now())?),
            Credential::Key { .. } => {
                "API keys cannot give more rights. Sign in, or use the terminal of the server."
            }
            Credential::Agent(_) => "Agents cannot give more rights. A person has to sign in and do it.",
        };
        Err(Error::forbidden("scope_insufficient", detail))
    }
}

#[cfg(test)]
#[path = "widening_tests.rs"]
mod tests;
