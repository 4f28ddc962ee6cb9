//! The words of a command: separated by spaces, in quotes of either kind where they hold some themselves.

/// What a command may have, in bytes.
pub(crate) const LINE_BYTES: usize = 16 << 10;

/// Reads a line word by word. A backslash takes the next character as it is, except between single quotes.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self { rest: line.trim() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Is the next word one of these names with its value?
    pub(crate) fn begin_with(&self, names: &[&str]) -> bool {
        let is = |name: &&str| self.rest.strip_prefix(*name).is_some_and(|rest| rest.starts_with('='));
        names.iter().any(is)
    }

    /// Everything that was not read yet, as it stands there; a whole that is quoted comes without its quotes.
    pub(crate) fn remainder(&mut self) -> Result<String, String> {
        let mut alone = self.clone();
        if self.rest.starts_with(['"', '\'']) {
            let word = alone.next()?.unwrap_or_default();
            if alone.is_empty() {
                self.rest = "";
                return Ok(word);
            }
        }
        Ok(std::mem::take(&mut self.rest).to_owned())
    }

    pub(crate) fn next(&mut self) -> Result<Option<String>, String> {
        if self.is_empty() {
            return Ok(None);
        }
        let mut word = String::new();
        let mut quote: Option<char> = None;
        let mut characters = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, character)) = characters.next() {
            match (quote, character) {
                (None, character) if character.is_whitespace() => {
                    end = at;
                    break;
                }
                (None, '"' | '\'') => quote = Some(character),
                (Some(open), character) if character == open => quote = None,
                (None | Some('"'), '\\') => {
                    word.push(characters.next().map_or('\\', |(_, next)| next));
                }
                (_, character) => word.push(character),
            }
        }
        if let Some(open) = quote {
            return Err(format!(
                "the quote {open} is not closed; close it, or write \\{open} for the character itself"
            ));
        }
        self.rest = self.rest.get(end..).unwrap_or_default().trim_start();
        Ok(Some(word))
    }
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
