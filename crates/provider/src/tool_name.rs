//! Names of tools as every vendor takes them.

use std::borrow::Cow;

/// The most that is taken anywhere.
const LONGEST: usize = 64;

/// The name of a call that is told again. THREAT[provider-03] A model may have called a tool by any name; it was refused,
/// but it stands in the transcript, and a vendor that is told such a name refuses the conversation from then on.
pub(crate) fn told_again(name: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if (1..=LONGEST).contains(&name.len()) && name.chars().all(plain) {
        return Cow::Borrowed(name);
    }
    let told: String = name.chars().take(LONGEST).map(|c| if plain(c) { c } else { '_' }).collect();
    Cow::Owned(if told.is_empty() { "unnamed".to_owned() } else { told })
}

#[cfg(test)]
#[path = "tool_name_tests.rs"]
mod tests;
