//! Whose words something is that people hand in: the one place where the labels of inputs are made (ADR 0067).

use domain::{Label, Source};

/// Longer texts are taken for pasted unless the client knows that they were typed.
pub const TYPED_CHARS: usize = 2_000;

/// What a person types is theirs: trusted, and not for everybody.
pub const TYPED: Label = Label::TRUSTED_PRIVATE;

/// A file, a picture or a pasted text: written by others, unless its person says for the whole session that they did.
pub const fn added(own_files: bool) -> Label {
    if own_files { Label::TRUSTED_PRIVATE } else { Label::WORST }
}

/// The words of a person of the house. `typed`: their client saw them typed, so that their length says nothing.
pub fn words(text: &str, typed: bool, own_files: bool) -> Label {
    let is_long = text.chars().nth(TYPED_CHARS).is_some();
    if is_long && !typed { added(own_files) } else { TYPED }
}

/// Something that is handed in for a session.
pub struct HandedIn<'a> {
    pub text: &'a str,
    pub typed: bool,
    pub has_attachments: bool,
    pub source: Source,
    /// Of what another agent was told, where that agent says it.
    pub asker: Option<Label>,
    pub own_files: bool,
}

impl HandedIn<'_> {
    /// What comes from another person is not trusted, by whichever bridge; what an agent says is what that agent had.
    pub fn label(&self) -> Label {
        match (self.asker, self.source.rules().label) {
            (Some(label), _) => label.join(Label::TRUSTED_PRIVATE),
            (None, Some(label)) => label,
            (None, None) => {
                let words = words(self.text, self.typed, self.own_files);
                if self.has_attachments { words.join(added(self.own_files)) } else { words }
            }
        }
    }
}

#[cfg(test)]
#[path = "input_label_tests.rs"]
mod tests;
