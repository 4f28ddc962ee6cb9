//! The kinds of durable events, told apart without their names.

use super::EventBody;

macro_rules! kinds {
    ($($kind:ident $name:literal,)*) => {
        /// What kind of event it is. A log is read by kinds: comparing names would be most of the work for a short event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum EventKind {
            $($kind,)*
        }

        impl EventKind {
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            pub fn of_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$kind),)*
                    _ => None,
                }
            }
        }

        impl EventBody {
            pub const fn kind(&self) -> EventKind {
                match self {
                    $(Self::$kind { .. } => EventKind::$kind,)*
                }
            }
        }
    };
}

kinds! {
    InputAccepted "input_accepted",
    TurnStarted "turn_started",
    TurnEnded "turn_ended",
    AgentStatus "agent_status",
    UserMessage "user_message",
    MessageStart "message_start",
    MessageRestarted "message_restarted",
    MessageComplete "message_complete",
    ElementExecuting "element_executing",
    ElementResult "element_result",
    ElementError "element_error",
    ToolUseStart "tool_use_start",
    ToolResult "tool_result",
    QuestionPrompt "question_prompt",
    QuestionAnswered "question_answered",
    ApprovalRequest "approval_request",
    ApprovalResult "approval_result",
    PromptUpdated "prompt_updated",
    AbilityInjected "ability_injected",
    ErrandStarted "errand_started",
    ErrandEnded "errand_ended",
    Usage "usage",
    CompactionComplete "compaction_complete",
    SessionUpdated "session_updated",
    Error "error",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_its_name_and_has_that_in_json() {
        for name in EventKind::NAMES {
            assert_eq!(EventKind::of_name(name).map(EventKind::name), Some(*name));
        }
        assert_eq!(EventKind::of_name("weather"), None);
        let body = EventBody::SessionUpdated(serde_json::Value::Null);
        let json = serde_json::to_value(&body).unwrap();
        assert_eq!((body.kind(), json["type"].as_str()), (EventKind::SessionUpdated, Some(body.type_name())));
    }
}
