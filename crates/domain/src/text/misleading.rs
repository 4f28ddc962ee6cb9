//! What must not stand in names and other short words that people see.

/// THREAT[names-01] A name that turns the direction of text, breaks the line or hides a piece of itself looks like another.
/// What joins signs of a script or an emoji stays allowed: names need it.
pub fn is_misleading(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// The longest name of a person, an agent, a session or a key.
const NAME_CHARS: usize = 200;

/// What is wrong with a name, in words that begin with whose it is; nothing when it can be one.
pub fn name_problem(name: &str, whose: &str) -> Option<String> {
    (!is_name(name, NAME_CHARS)).then(|| {
        format!(
            "{whose} must have 1 to {NAME_CHARS} characters, without control characters and without spaces around it."
        )
    })
}

/// Can it be a name? It can be seen, it is one line, and nothing of it controls text: there is no database, log or terminal
/// in which it would be something else.
pub fn is_name(text: &str, most_characters: usize) -> bool {
    !text.is_empty()
        && text.trim() == text
        && !text.chars().any(is_misleading)
        && text.chars().take(most_characters.saturating_add(1)).count() <= most_characters
}
