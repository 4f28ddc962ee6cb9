//! What people keep besides their conversations: prompts of their own, and links that show a conversation to others.

use crate::{AccountLinkId, SavedPromptId, SessionId, SessionLinkId, Timestamp, UserId, UserRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a saved prompt says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedPromptText {
    /// What is typed after the slash.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_]*$"), length(max = 40))]
    #[schemars(example = &"translate")]
    pub name: String,
    /// What is sent. `{{word}}` stands for what is typed behind the name.
    #[schemars(example = &"Translate into Greek: {{text}}")]
    pub content: String,
    #[serde(default)]
    pub description: String,
}

impl SavedPromptText {
    /// The names of its placeholders, each once, in the order in which they come.
    pub fn placeholders(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut rest = self.content.as_str();
        while let Some((_, after)) = rest.split_once("{{") {
            rest = after;
            let Some((name, behind)) = after.split_once("}}") else { break };
            if is_placeholder(name) {
                rest = behind;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The text with these in the place of its placeholders. What is filled in is not looked at again.
    pub fn filled(&self, values: &[(&str, &str)]) -> String {
        let mut made = String::new();
        let mut rest = self.content.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            made.push_str(before);
            let known = after.split_once("}}").and_then(|(name, behind)| {
                let (_, value) = values.iter().find(|(known, _)| *known == name)?;
                Some((*value, behind))
            });
            match known {
                Some((value, behind)) => {
                    made.push_str(value);
                    rest = behind;
                }
                None => {
                    made.push_str("{{");
                    rest = after;
                }
            }
        }
        made.push_str(rest);
        made
    }
}

fn is_placeholder(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A prompt that a person uses again and again, by a name of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SavedPrompt {
    pub id: SavedPromptId,
    /// Whose it is; not part of the public object.
    #[serde(skip_serializing)]
    pub user_id: UserId,
    #[serde(flatten)]
    pub text: SavedPromptText,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A link by which other people of this server read a conversation.
// Without `Debug`: it holds its secret.
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionLink {
    pub id: SessionLinkId,
    pub session_id: SessionId,
    /// What the address of the page ends with, after `/shared_`.
    pub secret: String,
    /// The newest event when it was made: what came later is not shown.
    pub up_to_seq: u64,
    pub created_at: Timestamp,
}

/// A link by which one person creates their account, or chooses a new password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AccountLink {
    pub id: AccountLinkId,
    /// The admin who made it.
    pub made_by: UserId,
    /// Whose password is chosen; null: a new account is created.
    pub user_id: Option<UserId>,
    /// The role of that account.
    pub role: UserRole,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(content: &str) -> SavedPromptText {
        SavedPromptText { content: content.to_owned(), ..SavedPromptText::default() }
    }

    #[test]
    fn placeholders_are_found_once_and_in_order() {
        let text = prompt("{{b}} {{a}} {{b}} {{ c }} {{}} {{d");
        assert_eq!(text.placeholders(), ["b", "a"]);
        assert_eq!(prompt("{{{{a}}").placeholders(), ["a"]);
    }

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let text = prompt("{{a}}, {{b}}, {{c}}");
        assert_eq!(text.filled(&[("a", "{{b}}"), ("b", "2")]), "{{b}}, 2, {{c}}");
        assert_eq!(prompt("{{{{a}}").filled(&[("a", "x")]), "{{x");
    }
}
