//! `stateless_todo_list`: the agent's plan. The list is nowhere but in the transcript; each call replaces all of it.

use crate::{Capability, CapabilityInfo, Settings, Tool, ToolContext, ToolError, arguments};
use async_trait::async_trait;
use domain::{EffectClass, ToolSpec};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub struct StatelessTodoList;

impl Capability for StatelessTodoList {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "stateless_todo_list",
            "Task Management",
            "Keeps a list of tasks for work with several steps and shows its progress.",
        )
        .shown_as("list-checks", "Productivity")
    }

    fn prompt(&self, _settings: &Settings) -> Option<String> {
        Some(GUIDANCE.to_owned())
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(WriteTodos)]
    }
}

const GUIDANCE: &str = "\
Plan work that has several parts with `write_todos`; the person watches the list.
- Make a list when there are three or more steps, when you were asked for several things, when the work is not trivial, \
or when new instructions change the plan. A single simple request, or a question that words can answer, needs none.
- Say everything in each call: it replaces the whole list, so repeat the tasks that stay.
- Set a task to `in_progress` before you begin with it, and keep exactly one task in progress while there is work left.
- Set it to `completed` at once when it is done, not several together later, and only when it is wholly done. If it \
failed, is half done or waits for something, it stays in progress, and what stands in its way becomes a task of its own.
- Add tasks that you discover, and leave out those that no longer matter.";

const STATUSES: [&str; 3] = ["pending", "in_progress", "completed"];
const TASKS: usize = 100;
const TASK_CHARS: usize = 500;
const NONE_BEGUN: &str =
    "No task is in progress although some are pending: set the one that you work on to in_progress.";
const SEVERAL_BEGUN: &str =
    "More than one task is in progress: keep exactly one, and set the others to pending.";

struct WriteTodos;

#[async_trait]
impl Tool for WriteTodos {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write_todos".to_owned(),
            description: "Replace the list of tasks with this one.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "todos": {
                        "type": "array",
                        "maxItems": TASKS,
                        "description": "All tasks, in the order of the work.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "content": {
                                    "type": "string",
                                    "description": "What to do, as an order: Write the letter."
                                },
                                "activeForm": {
                                    "type": "string",
                                    "description": "The same as it is being done: Writing the letter."
                                },
                                "status": { "type": "string", "enum": STATUSES }
                            },
                            "required": ["content", "activeForm", "status"]
                        }
                    }
                },
                "required": ["todos"],
                "additionalProperties": false
            }),
        }
    }

    /// What is wrong with a task is said with its number, which a schema would count from 0.
    fn checked_schema(&self) -> Value {
        json!({ "type": "object", "required": ["todos"] })
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn supersedes(&self) -> bool {
        true
    }

    async fn run(&self, _context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let Some(Value::Array(given)) = arguments.get("todos") else {
            return Err(ToolError::failed("the required parameter `todos` must be a list of tasks"));
        };
        if given.len() > TASKS {
            return Err(ToolError::Failed(format!(
                "a list has at most {TASKS} tasks: put small ones together"
            )));
        }
        let tasks = given.iter().enumerate().map(|(index, task)| read(index.saturating_add(1), task));
        let tasks = tasks.collect::<Result<Vec<Map<String, Value>>, _>>()?;
        let count = |status: &str| tasks.iter().filter(|task| task["status"] == status).count();
        let [pending, in_progress, completed] = STATUSES.map(count);
        let mut result = json!({
            "success": true,
            "total_tasks": tasks.len(),
            "pending": pending,
            "in_progress": in_progress,
            "completed": completed,
            "todos": tasks,
        });
        if in_progress > 1 {
            result["warning"] = json!(SEVERAL_BEGUN);
        } else if in_progress == 0 && pending > 0 {
            result["warning"] = json!(NONE_BEGUN);
        }
        Ok(result)
    }
}

/// A task as it was given, without what does not belong to one. `number` is how people count them.
fn read(number: usize, task: &Value) -> Result<Map<String, Value>, ToolError> {
    let wrong =
        |problem: ToolError| ToolError::Failed(format!("task {number}: {}", problem.message_for_model()));
    if !task.is_object() {
        return Err(wrong(ToolError::failed("it must be an object with content, activeForm and status")));
    }
    let mut clean = Map::new();
    for name in ["content", "activeForm"] {
        let text = arguments::text(task, name, TASK_CHARS).map_err(wrong)?;
        clean.insert(name.to_owned(), json!(text));
    }
    arguments::any_text(task, "status").map_err(wrong)?;
    let status = arguments::choice(task, "status", &STATUSES).map_err(wrong)?;
    clean.insert("status".to_owned(), json!(status));
    Ok(clean)
}

#[cfg(test)]
#[path = "stateless_todo_list_tests.rs"]
mod tests;
