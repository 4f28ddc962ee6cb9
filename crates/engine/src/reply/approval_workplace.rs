//! Fills in where the call of an approval does its work, for clients. It is read off the tool's own description each time, and
//! never stored.

use capability::Registry;
use domain::Approval;
use gate::virtual_tools;

/// An approval as its person sees it.
pub(crate) fn shown(registry: &Registry, mut approval: Approval) -> Approval {
    approval.workplace = match registry.tool(&approval.tool) {
        Some(tool) => tool.tool.workplace(&approval.arguments),
        None => virtual_tools::named(&approval.tool).map(|tool| tool.workplace),
    };
    approval
}
