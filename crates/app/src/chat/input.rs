//! Where lines come from: an editor on a terminal, plain lines elsewhere.

use super::{
    completion::{CommandCompleter, KnownCommand, UsageHinter},
    extent::{Marks, erasing, rows_above_cursor},
};
use crate::{
    error::{Error, Result},
    terminal::columns,
};
use crossterm::event;
use reedline::{
    ColumnarMenu, EditCommand, Emacs, FileBackedHistory, History as _, HistoryItem, KeyCode, KeyModifiers,
    MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch, Reedline, ReedlineError, ReedlineEvent,
    ReedlineMenu, SearchDirection, SearchQuery, Signal, ValidationResult, Validator,
    default_emacs_keybindings,
};
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    termios::{self, QueueSelector},
};
use std::{
    borrow::Cow,
    io::{self, IsTerminal as _, Write as _},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines, Stdin},
    sync::watch,
    task::JoinHandle,
};

const MENU: &str = "commands";
const MARKS: Marks<'_> = Marks { first: "you> ", further: "...> " };
/// Of what was typed ahead; the editor reads a thousand bytes at a time.
const MOST_KEYS: usize = 10_000;

pub enum Input {
    Terminal(Box<Terminal>),
    Piped(Lines<BufReader<Stdin>>),
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedInput {
    Line(String),
    /// Ctrl-C on a line with something in it: the line is thrown away.
    Cleared,
    /// The line was taken off the screen, as it was wished, and is put back when the next one is asked for.
    Paused {
        is_empty: bool,
    },
    End,
}

pub struct Terminal {
    coloured: bool,
    known: Vec<KnownCommand>,
    state: State,
    /// Asks the editor to give the screen back.
    pause: Arc<AtomicBool>,
    /// Whether the window, or the connection to it, was closed. The editor would read nothing from it, again and again.
    closed: watch::Receiver<bool>,
}

/// The editor waits for keys on a thread of its own; meanwhile everything else goes on.
enum State {
    Idle(Box<Reedline>),
    Reading(JoinHandle<(Box<Reedline>, io::Result<Signal>)>),
    /// The thread is gone, and the editor with it.
    Lost,
}

impl Input {
    pub fn detect(coloured: bool) -> Self {
        if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            return Self::Terminal(Box::new(Terminal::new(coloured)));
        }
        Self::Piped(BufReader::new(tokio::io::stdin()).lines())
    }

    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// Offers commands while they are typed.
    pub fn complete(&mut self, known: Vec<KnownCommand>) {
        let Self::Terminal(terminal) = self else { return };
        terminal.known = known;
        terminal.state = State::Idle(Box::new(terminal.editor()));
    }

    /// The half-typed line leaves the screen as soon as the editor looks up; `next` says so.
    pub fn pause(&self) {
        if let Self::Terminal(terminal) = self {
            terminal.pause.store(true, Ordering::Relaxed);
        }
    }

    /// What was typed before something was shown is no answer to it: what the editor has read and not used goes, and what
    /// the terminal still holds.
    pub fn forget_typed_ahead(&self) {
        if !self.is_terminal() {
            return;
        }
        for _ in 0..MOST_KEYS {
            if !matches!(event::poll(Duration::ZERO), Ok(true)) || event::read().is_err() {
                break;
            }
        }
        if let Err(error) = termios::tcflush(std::io::stdin(), QueueSelector::IFlush) {
            tracing::debug!(%error, "what was typed ahead stays");
        }
    }

    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<TypedInput> {
        match self {
            Self::Piped(lines) => {
                let line = lines
                    .next_line()
                    .await
                    .map_err(|error| Error::disconnected(format!("stdin: {error}")))?;
                Ok(line.map_or(TypedInput::End, TypedInput::Line))
            }
            Self::Terminal(terminal) => terminal.next().await,
        }
    }
}

impl Terminal {
    fn new(coloured: bool) -> Self {
        let pause = Arc::new(AtomicBool::new(false));
        let state = State::Idle(Box::new(editor(coloured, &pause)));
        Self { coloured, known: Vec::new(), state, pause, closed: watch_for_close() }
    }

    fn editor(&self) -> Reedline {
        let menu = ColumnarMenu::default().with_name(MENU).with_marker("> ").with_columns(1);
        editor(self.coloured, &self.pause)
            .with_hinter(Box::new(UsageHinter::new(self.known.clone())))
            .with_completer(Box::new(CommandCompleter(self.known.clone())))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            // What only one command can be is typed at once, and what several have in common, too.
            .with_quick_completions(true)
            .with_partial_completions(true)
    }

    async fn next(&mut self) -> Result<TypedInput> {
        self.state = match std::mem::replace(&mut self.state, State::Lost) {
            State::Idle(mut editor) => State::Reading(tokio::task::spawn_blocking(move || {
                let signal = editor.read_line(&Mark);
                (editor, signal)
            })),
            state => state,
        };
        let State::Reading(reading) = &mut self.state else { return Ok(TypedInput::End) };
        let read = tokio::select! {
            biased;
            () = has_closed(&mut self.closed) => return Ok(TypedInput::End),
            read = reading => read,
        };
        let (mut editor, signal) = read.map_err(Error::disconnected)?;
        let signal = signal.map_err(|error| Error::disconnected(format!("the terminal: {error}")))?;
        if let Signal::ExternalBreak(line) = &signal {
            let next = self.renewed(&editor)?;
            let shown = line.get(..editor.current_insertion_point()).unwrap_or(line);
            erase(shown)?;
            self.state = State::Idle(Box::new(next));
            return Ok(TypedInput::Paused { is_empty: line.is_empty() });
        }
        let typed = typed(signal, &mut editor);
        self.state = State::Idle(editor);
        Ok(typed)
    }

    /// An editor with the same line and the same history that knows nothing of where the line stood: one that is paused
    /// goes back to its old rows, over whatever was written there since.
    fn renewed(&self, old: &Reedline) -> Result<Reedline> {
        let unusable = |error: ReedlineError| Error::disconnected(format!("the terminal: {error}"));
        let mut history = FileBackedHistory::default();
        let query = SearchQuery::everything(SearchDirection::Forward, None);
        for item in old.history().search(query).map_err(unusable)? {
            history.save(HistoryItem::from_command_line(item.command_line)).map_err(unusable)?;
        }
        let mut editor = self.editor().with_history(Box::new(history));
        let position = old.current_insertion_point();
        editor.run_edit_commands(&[
            EditCommand::InsertString(old.current_buffer_contents().to_owned()),
            EditCommand::MoveToPosition { position, select: false },
        ]);
        Ok(editor)
    }
}

/// A closed terminal kills those who use it, unless they were told to ignore that (`nohup`) or it is not theirs (a container's).
fn watch_for_close() -> watch::Receiver<bool> {
    let (told, closed) = watch::channel(false);
    let watching = move || {
        let stdin = std::io::stdin();
        // Of a terminal that is asked for nothing only its end is told.
        let mut ends = [PollFd::new(&stdin, PollFlags::empty())];
        loop {
            match poll(&mut ends, None) {
                Err(Errno::INTR) => {}
                Err(error) => return tracing::debug!(%error, "a closed terminal is not noticed"),
                Ok(_) => {
                    told.send_replace(true);
                    return;
                }
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("terminal".to_owned()).spawn(watching) {
        tracing::debug!(%error, "a closed terminal is not noticed");
    }
    closed
}

async fn has_closed(closed: &mut watch::Receiver<bool>) {
    if closed.wait_for(|closed| *closed).await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn erase(before_cursor: &str) -> Result<()> {
    let mut out = std::io::stdout();
    let erasing = erasing(rows_above_cursor(MARKS, before_cursor, columns()));
    write!(out, "{erasing}").and_then(|()| out.flush()).map_err(Error::Output)
}

fn typed(signal: Signal, editor: &mut Reedline) -> TypedInput {
    match signal {
        Signal::Success(line) => TypedInput::Line(line),
        Signal::HostCommand(_) | Signal::CtrlC if !editor.current_buffer_contents().is_empty() => {
            editor.run_edit_commands(&[EditCommand::Clear]);
            TypedInput::Cleared
        }
        _ => TypedInput::End,
    }
}

/// The history lives in memory and ends with the conversation: what is said here is private.
fn editor(coloured: bool, pause: &Arc<AtomicBool>) -> Reedline {
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
        .with_break_signal(pause.clone())
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
        Cow::Borrowed(MARKS.further)
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }
}
