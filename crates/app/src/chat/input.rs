//! Where lines come from: an editor on a terminal, plain lines elsewhere.

use super::completion::{Commands, Known, Usage};
use crate::error::{Error, Result};
use reedline::{
    ColumnarMenu, EditCommand, Emacs, KeyCode, KeyModifiers, MenuBuilder, Prompt, PromptEditMode,
    PromptHistorySearch, Reedline, ReedlineEvent, ReedlineMenu, Signal, ValidationResult, Validator,
    default_emacs_keybindings,
};
use std::{borrow::Cow, io::IsTerminal as _};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines, Stdin};

const MENU: &str = "commands";

pub enum Input {
    Terminal(Option<Box<Reedline>>),
    Piped(Lines<BufReader<Stdin>>),
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Line(String),
    /// Ctrl-C on a line with something in it: the line is thrown away.
    Cleared,
    End,
}

impl Input {
    pub fn detect(coloured: bool) -> Self {
        if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            return Self::Terminal(Some(Box::new(editor(coloured))));
        }
        Self::Piped(BufReader::new(tokio::io::stdin()).lines())
    }

    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// Offers commands while they are typed.
    pub fn complete(&mut self, known: Vec<Known>) {
        let Self::Terminal(slot) = self else { return };
        let menu = ColumnarMenu::default().with_name(MENU).with_columns(1);
        *slot = slot.take().map(|editor| {
            let editor = editor
                .with_hinter(Box::new(Usage::new(known.clone())))
                .with_completer(Box::new(Commands(known)))
                .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)));
            Box::new(editor)
        });
    }

    pub async fn next(&mut self) -> Result<Typed> {
        match self {
            Self::Piped(lines) => {
                let line = lines
                    .next_line()
                    .await
                    .map_err(|error| Error::disconnected(format!("stdin: {error}")))?;
                Ok(line.map_or(Typed::End, Typed::Line))
            }
            Self::Terminal(slot) => {
                let Some(mut editor) = slot.take() else { return Ok(Typed::End) };
                // The editor waits for keys on a thread of its own; meanwhile everything else goes on.
                let reading = tokio::task::spawn_blocking(move || {
                    let signal = editor.read_line(&Mark);
                    (editor, signal)
                });
                let (mut editor, signal) = reading.await.map_err(Error::disconnected)?;
                let signal = signal.map_err(|error| Error::disconnected(format!("the terminal: {error}")))?;
                let typed = typed(signal, &mut editor);
                *slot = Some(editor);
                Ok(typed)
            }
        }
    }
}

fn typed(signal: Signal, editor: &mut Reedline) -> Typed {
    match signal {
        Signal::Success(line) => Typed::Line(line),
        Signal::HostCommand(_) | Signal::CtrlC if !editor.current_buffer_contents().is_empty() => {
            editor.run_edit_commands(&[EditCommand::Clear]);
            Typed::Cleared
        }
        _ => Typed::End,
    }
}

/// The history lives in memory and ends with the conversation: what is said here is nobody else's business.
fn editor(coloured: bool) -> Reedline {
    let mut keys = default_emacs_keybindings();
    let new_line = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, new_line);
    let offer = vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext];
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, ReedlineEvent::UntilFound(offer));
    // The editor's own Ctrl-C forgets whether there was anything on the line.
    keys.add_binding(
        KeyModifiers::CONTROL,
        KeyCode::Char('c'),
        ReedlineEvent::ExecuteHostCommand("cancel".to_owned()),
    );
    Reedline::create()
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_validator(Box::new(Continued))
        .with_ansi_colors(coloured)
        .use_bracketed_paste(true)
}

/// A backslash at the end: there is more to come.
struct Continued;

impl Validator for Continued {
    fn validate(&self, line: &str) -> ValidationResult {
        if line.ends_with('\\') { ValidationResult::Incomplete } else { ValidationResult::Complete }
    }
}

struct Mark;

impl Prompt for Mark {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("you")
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("...> ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }
}
