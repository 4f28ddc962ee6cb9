//! What people said about a tool: which words count for a call, and what they come to.

use crate::{AskedBy, Circumstances, Party, ToolFacts, Wanted, argument_digest, site, virtual_tools};
use domain::{
    ArgumentKind, Permission, Rule, RuleArguments, RuleId, RuleScope, Sink, Subject, canonical_tool,
};
use serde_json::Value;

const NAME_BYTES: usize = 64;
const ARGUMENT_BYTES: usize = 32 << 10;

/// What is known of a tool by its name.
#[derive(Clone, Copy, Debug)]
pub struct KnownTool {
    /// What it says of itself.
    pub permission: Permission,
    pub kinds: &'static [(&'static str, ArgumentKind)],
}

/// What a call may do by all that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    pub(crate) permission: Permission,
    /// Who said so.
    pub(crate) by: AskedBy,
    /// Rules that hold for one call, and are used up by this one.
    pub(crate) spends: Vec<RuleId>,
}

/// The strictest of what holds for each party: an agent that works for another never has more than that one.
pub(crate) fn effective(c: &Circumstances<'_>, tool: &ToolFacts) -> Rights {
    let mut rights = Rights { permission: Permission::Allow, by: AskedBy::Tool, spends: Vec::new() };
    for party in c.parties {
        let theirs = of_party(c, tool, party);
        if theirs.permission > rights.permission {
            (rights.permission, rights.by) = (theirs.permission, theirs.by);
        }
        rights.spends.extend(theirs.spends);
    }
    rights.spends.sort_unstable();
    rights.spends.dedup();
    rights
}

/// The tool's own word, then the house's, the agent's and the person's. Each may narrow what came before; an `ask` may be
/// turned into an `allow`, what is `ask_every_time` or `deny` never.
fn of_party(c: &Circumstances<'_>, tool: &ToolFacts, party: &Party) -> Rights {
    let mut spends = Vec::new();
    let (mut permission, mut by) = (party.permission, AskedBy::Tool);
    // A tool asks because of the address that a model makes up; this one was made by the person or by the search service.
    if permission == Permission::Ask && tool.sink == Sink::Site && c.site.is_some_and(|site| site.known) {
        permission = Permission::Allow;
    }
    let of_house = strongest(c, tool, party, |rule| rule.user_id.is_none());
    let of_person = strongest(c, tool, party, |rule| rule.user_id == Some(c.user));
    let words =
        agent_words(c, tool, party).map(|permission| RuleMatch { permission, once: None, without: None });
    let said = [(AskedBy::Server, of_house), (AskedBy::Agent, words), (AskedBy::Person, of_person)];
    for (who, said) in said.into_iter().filter_map(|(who, said)| Some((who, said?))) {
        let next = narrowed(permission, said.permission);
        let without = said.without.map_or(permission, |other| narrowed(permission, other));
        if next < without {
            spends.extend(said.once);
        }
        if next != permission {
            (permission, by) = (next, who);
        }
    }
    Rights { permission, by, spends }
}

/// Has the person said yes for this conversation, to this host or to the one service of the tool? Neither a rule of the
/// house or of an agent, nor a yes to certain arguments is meant so.
pub(crate) fn allows_in_session(c: &Circumstances<'_>, host: Option<&str>) -> bool {
    c.rules.iter().any(|rule| {
        let here = matches!(rule.subject, Subject::Session(session) if c.sessions.contains(&session));
        let place = match (&rule.arguments, host) {
            (Some(RuleArguments::Host(allowed)), Some(host)) => allowed == host,
            (None, None) => true,
            _ => false,
        };
        here && place
            && rule.user_id == Some(c.user)
            && rule.scope == RuleScope::Session
            && rule.action == Permission::Allow
            && names(&rule.tool, &c.wanted).is_some_and(|closeness| closeness > 0)
    })
}

fn narrowed(before: Permission, said: Permission) -> Permission {
    match before {
        Permission::Allow | Permission::Ask => said,
        Permission::AskEveryTime | Permission::Deny => before.max(said),
    }
}

/// The rule or word that counts, and whether this call uses it up.
struct RuleMatch {
    permission: Permission,
    once: Option<RuleId>,
    /// What counts when the one that is used up is gone.
    without: Option<Permission>,
}

/// The most specific rule that is meant, and of equally specific ones the strictest.
fn strongest(
    c: &Circumstances<'_>,
    tool: &ToolFacts,
    party: &Party,
    whose: impl Fn(&Rule) -> bool,
) -> Option<RuleMatch> {
    let host = c.site.map(|site| site.host.as_str());
    let rank = |rule: &Rule| {
        let who = concerns(c, party, rule.subject)?;
        let what = names(&rule.tool, &c.wanted)?;
        let with = fits(rule.arguments.as_ref(), tool.kinds, c.wanted.arguments, host)?;
        // One that is not used up is taken before one that is.
        Some((who, what, with, rule.action, rule.scope != RuleScope::Once))
    };
    let ranked = || c.rules.iter().filter(|rule| whose(rule)).filter_map(|rule| Some((rank(rule)?, rule)));
    let (_, rule) = ranked().max_by_key(|(rank, _)| *rank)?;
    let lasting = ranked().filter(|(_, rule)| rule.scope != RuleScope::Once);
    let without = lasting.max_by_key(|(rank, _)| *rank).map(|(_, rule)| rule.action);
    let once = (rule.scope == RuleScope::Once).then_some(rule.id);
    Some(RuleMatch { permission: rule.action, once, without })
}

/// What the agent's settings say. A person who writes or imports an agent permits nothing with it: an `allow` is an exception
/// from a wider word of the same agent, and no more.
fn agent_words(c: &Circumstances<'_>, tool: &ToolFacts, party: &Party) -> Option<Permission> {
    let host = c.site.map(|site| site.host.as_str());
    let rank = |word: &domain::ToolRule| {
        let what = names(&word.tool, &c.wanted)?;
        Some((what, fits(word.arguments.as_ref(), tool.kinds, c.wanted.arguments, host)?, word.action))
    };
    let ranked = party.words.iter().filter_map(|word| Some((rank(word)?, word.action)));
    let (_, action) = ranked.max_by_key(|(rank, _)| *rank)?;
    (action != Permission::Allow).then_some(action)
}

/// How closely a rule is about who asks; none when it is about others.
fn concerns(c: &Circumstances<'_>, party: &Party, subject: Subject) -> Option<u8> {
    let meant = match subject {
        Subject::Everybody => true,
        Subject::User(user) => user == c.user,
        Subject::Agent(agent) => agent == party.agent,
        Subject::Session(session) => c.sessions.contains(&session),
    };
    meant.then_some(closeness(subject))
}

const fn closeness(subject: Subject) -> u8 {
    match subject {
        Subject::Everybody => 0,
        Subject::User(_) => 1,
        Subject::Agent(_) => 2,
        Subject::Session(_) => 3,
    }
}

/// Would the new rule count instead of a stricter one, for a call that both may mean? THREAT[gate-19]: a deny is undone by
/// whatever is more specific than it, also by an ask.
pub fn outdoes(new: &Rule, known: &Rule) -> bool {
    let name = |rule: &Rule| {
        let name = rule.tool.split_once('.').map_or(rule.tool.as_str(), |(name, _)| name);
        canonical_tool(name).to_owned()
    };
    let every = |rule: &Rule| rule.tool == "*";
    let tools = every(known) || every(new) || name(known) == name(new);
    // Of two agents, or two sessions, each has its own.
    let subjects = closeness(new.subject) != closeness(known.subject) || new.subject == known.subject;
    tools && subjects && new.action < known.action && specificity(new) > specificity(known)
}

fn specificity(rule: &Rule) -> (u8, u8, u8) {
    let what = match rule.tool.as_str() {
        "*" => 0,
        tool if !tool.contains('.') => 1,
        _ => 2,
    };
    let with = match &rule.arguments {
        None => 0,
        Some(RuleArguments::Template(_) | RuleArguments::Host(_)) => 1,
        Some(RuleArguments::Exact(_)) => 2,
    };
    (closeness(rule.subject), what, with)
}

/// A deed that can be written in two ways is one.
fn names(named: &str, wanted: &Wanted<'_>) -> Option<u8> {
    let is_meant = |tool: &str| canonical_tool(tool) == canonical_tool(wanted.name);
    match named.split_once('.') {
        None if named == "*" => Some(0),
        None => is_meant(named).then_some(1),
        Some((tool, action)) => (is_meant(tool) && wanted.action() == Some(action)).then_some(2),
    }
}

fn fits(
    wanted: Option<&RuleArguments>,
    kinds: &[(&str, ArgumentKind)],
    arguments: &Value,
    host: Option<&str>,
) -> Option<u8> {
    match wanted {
        None => Some(0),
        Some(RuleArguments::Template(template)) => matches(template, kinds, arguments).then_some(1),
        Some(RuleArguments::Host(wanted)) => (host == Some(wanted.as_str())).then_some(1),
        Some(RuleArguments::Exact(exact)) => argument_digest::same(exact, arguments).then_some(2),
    }
}

/// Every argument of the call is in the template, and every one of the template is in the call.
fn matches(template: &Value, kinds: &[(&str, ArgumentKind)], arguments: &Value) -> bool {
    let (Some(template), Some(arguments)) = (template.as_object(), arguments.as_object()) else {
        return false;
    };
    let kind = |name: &str| kinds.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    template.len() == arguments.len()
        && template.iter().all(|(name, pattern)| {
            arguments.get(name).is_some_and(|value| value_matches(kind(name), pattern, value))
        })
}

/// THREAT[gate-10] The beginning of a command says nothing about its end, so a command is never a pattern.
fn value_matches(kind: Option<ArgumentKind>, pattern: &Value, value: &Value) -> bool {
    if argument_digest::same(pattern, value) {
        return true;
    }
    let Some(pattern) = pattern.as_str() else { return false };
    match kind {
        Some(ArgumentKind::Command | ArgumentKind::Sql | ArgumentKind::Recipient) => false,
        _ if pattern == "*" => true,
        Some(ArgumentKind::Url | ArgumentKind::Path) => {
            value.as_str().is_some_and(|value| is_below(pattern, value))
        }
        None => false,
    }
}

/// `https://host/folder/*` or `/folder/*`: what is really below, without a step upwards in any spelling.
fn is_below(pattern: &str, value: &str) -> bool {
    let Some(folder) = pattern.strip_suffix('*').filter(|folder| folder.ends_with('/')) else { return false };
    // The host is whole only when a slash ends it.
    let whole = match folder.split_once("://") {
        Some((_, rest)) => rest.find('/').is_some_and(|end| end > 0),
        None => folder.starts_with('/'),
    };
    let upwards = |step: &str| {
        let step = step.to_ascii_lowercase().replace("%2e", ".");
        step == ".." || step == "." || step.contains("%2f") || step.contains("%5c") || step.contains('\\')
    };
    let path = value.split(['?', '#']).next().unwrap_or_default();
    whole && value.starts_with(folder) && !path.split('/').any(upwards)
}

/// What is wrong with what a rule, or an agent's word about its tools, says, in whole sentences; nothing when it can be matched.
/// `find` tells what is known of the tool of a name.
pub fn problem(
    tool: &str,
    action: Permission,
    arguments: Option<&RuleArguments>,
    find: impl Fn(&str) -> Option<KnownTool>,
) -> Option<String> {
    let plain = |part: &str| {
        (1..=NAME_BYTES).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let (name, of_tool) = tool.split_once('.').map_or((tool, None), |(name, of)| (name, Some(of)));
    if tool != "*" && !(plain(name) && of_tool.is_none_or(plain)) {
        return Some("The tool of a rule must be the name of a tool, a tool and its action (NAME.ACTION), or * for all tools.".to_owned());
    }
    let known = virtual_tool(name).or_else(|| find(name));
    if action == Permission::Allow {
        match &known {
            // What comes later under this name, or under any, was not meant.
            None => {
                return Some(format!(
                    "A rule that allows must name one existing tool, and {tool} is not one."
                ));
            }
            Some(known) if known.permission > Permission::Ask => {
                return Some(match known.permission {
                    Permission::Deny => format!("{name} is always denied, and a rule cannot change that."),
                    _ => format!("{name} always asks, and a rule cannot change that."),
                });
            }
            Some(_) => {}
        }
    }
    let arguments = arguments?;
    let length = match arguments {
        RuleArguments::Exact(value) | RuleArguments::Template(value) => value.to_string().len(),
        RuleArguments::Host(host) => host.len(),
    };
    if length > ARGUMENT_BYTES {
        return Some("The arguments of a rule can have at most 32 KB.".to_owned());
    }
    arguments_problem(arguments, known.map_or(&[], |known| known.kinds))
}

fn virtual_tool(name: &str) -> Option<KnownTool> {
    let tool = virtual_tools::named(name)?;
    Some(KnownTool { permission: tool.permission, kinds: tool.facts.kinds })
}

fn arguments_problem(arguments: &RuleArguments, kinds: &[(&str, ArgumentKind)]) -> Option<String> {
    let template = match arguments {
        RuleArguments::Exact(Value::Object(_)) => return None,
        RuleArguments::Host(host) => {
            let url = kinds.iter().any(|(_, kind)| *kind == ArgumentKind::Url);
            let whole = site::host(&format!("https://{host}")).as_deref() == Some(host.as_str());
            return match (url, whole) {
                (true, true) => None,
                (true, false) => Some(
                    "The host of a rule must be one host, such as example.org or example.org:8443."
                        .to_owned(),
                ),
                (false, _) => Some(
                    "A rule for this tool cannot name a host, because the tool does not use an address."
                        .to_owned(),
                ),
            };
        }
        RuleArguments::Template(Value::Object(template)) => template,
        _ => {
            return Some(
                "The arguments of a rule must be an object with the arguments of the tool by name."
                    .to_owned(),
            );
        }
    };
    template.iter().find_map(|(name, pattern)| {
        let pattern = pattern.as_str().filter(|pattern| pattern.contains('*'))?;
        let kind = kinds.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
        match kind {
            Some(ArgumentKind::Command | ArgumentKind::Sql | ArgumentKind::Recipient) => Some(format!(
                "The argument {name} is a command, a statement or a recipient. Write it in full, without *."
            )),
            _ if pattern == "*" => None,
            Some(ArgumentKind::Url | ArgumentKind::Path) if pattern.ends_with("/*") => None,
            Some(ArgumentKind::Url | ArgumentKind::Path) => {
                Some(format!("In the argument {name}, * must stand alone, or at the end after a /."))
            }
            None => Some(format!("In the argument {name}, * must stand alone. Write a text in full.")),
        }
    })
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
