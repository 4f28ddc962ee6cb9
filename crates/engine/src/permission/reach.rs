//! What a call may reach on the network, by names: the person who is asked is told, and their yes is for what they were told.

use crate::{
    engine::Engine,
    permission::rights_chain::{self, RightsLink},
};
use capability::ResolvedTool;
use domain::{Approval, ApprovalStatus, Workplace};
use serde_json::Value;

/// The hosts that all agents concerned have in their settings, for a program in the sandbox; the search service, for a
/// search. None where the workplace says it already.
pub(crate) fn of_call(
    engine: &Engine,
    links: &[RightsLink],
    tool: Option<&ResolvedTool>,
    name: &str,
    arguments: &Value,
) -> Option<Vec<String>> {
    let tool = tool?;
    match tool.tool.workplace(arguments)? {
        Workplace::Sandbox | Workplace::SandboxWithPackages => {
            let settings = rights_chain::settings(links, name)?;
            Some(tool.tool.hosts(&settings))
        }
        Workplace::SearchService => Some(vec![engine.inner.settings.outside.searcher.as_ref()?.name()]),
        _ => None,
    }
}

/// Does a yes hold although settings may have changed since? THREAT[gate-14]: the owner of a shared agent could add a host while
/// another person reads that there is no network.
pub(crate) fn is_as_shown(answer: &Approval, now: Option<&[String]>) -> bool {
    let known = |shown: &Vec<String>| now.unwrap_or_default().iter().all(|name| shown.contains(name));
    answer.status != ApprovalStatus::Approved || answer.reaches.as_ref().is_none_or(known)
}
