//! What a yes would let the agent do, in the words of the page.

use super::USE_MODEL;
use domain::Approval;
use serde_json::Value;

/// Words of a model choose among these, and never write one.
pub(super) fn of(approval: &Approval) -> Option<&'static str> {
    let tool = approval.tool.as_str();
    match approval.arguments.get("action").and_then(Value::as_str) {
        Some(action) => by_action(tool, action, is_other(approval)).or_else(|| by_tool(tool)),
        None => by_tool(tool),
    }
}

/// Is another conversation named than the one that asks?
fn is_other(approval: &Approval) -> bool {
    match approval.arguments.get("id") {
        None | Some(Value::Null) => false,
        Some(id) => id.as_str() != Some(approval.session_id.to_string().as_str()),
    }
}

fn by_tool(tool: &str) -> Option<&'static str> {
    Some(match tool {
        "bash" => "running a command",
        "run_python" => "running a Python program",
        "execute_code" => "running a program",
        "web_fetch" => "opening a web page",
        "web_search" | "websearch" => "searching the web",
        "read_file" => "reading a file",
        "stat_file" => "looking up a file",
        "list_directory" => "listing a folder",
        "grep_files" => "searching the files",
        "write_file" => "writing a file",
        "delete_file" => "deleting a file or folder",
        "list_agents" => "listing the agents",
        "send_agent_message" => "sending a message to another agent",
        "delegate" => "giving a task to another agent",
        "spawn_agent" => "starting another agent",
        "get_current_time" => "looking up the time",
        "write_todos" => "writing the task list",
        "read_attachment" => "reading an attached file",
        "clear" => "starting a new conversation",
        "compact" => "summarizing the earlier part of this conversation",
        "help" => "listing commands, tools and abilities",
        "start" => "sending the start-up text to the agent again",
        "tell_peer" => "sending this reply to a person outside this server",
        USE_MODEL => "using a model whose price is unknown",
        _ => return None,
    })
}

/// Commands that do several things: the argument `action` says which.
fn by_action(tool: &str, action: &str, is_other: bool) -> Option<&'static str> {
    Some(match (tool, action, is_other) {
        ("agent", "list", _) => "listing the agents",
        ("agent", "show", _) => "reading the settings of an agent",
        ("agent", "configure", _) => "changing the settings of an agent",
        ("agent", "create", _) => "creating an agent",
        ("agent", "delete", _) => "deleting an agent",
        ("ability", "list", _) => "listing your abilities",
        ("ability", "show", _) => "reading an ability",
        ("ability", "create", _) => "writing an ability",
        ("ability", "edit", _) => "changing an ability",
        ("ability", "delete", _) => "deleting an ability",
        ("session", "list", _) => "listing your conversations",
        ("session", "show", _) => "reading the details of this conversation",
        ("session", "create", _) => "starting a new conversation",
        ("session", "open", _) => "opening another conversation",
        ("session", "rename", false) => "renaming this conversation",
        ("session", "rename", true) => "renaming another conversation",
        ("session", "archive", false) => "archiving this conversation",
        ("session", "archive", true) => "archiving another conversation",
        ("session", "unarchive", false) => "restoring this conversation from the archive",
        ("session", "unarchive", true) => "restoring another conversation from the archive",
        ("session", "fork", false) => "copying this conversation",
        ("session", "fork", true) => "copying another conversation",
        _ => return None,
    })
}
