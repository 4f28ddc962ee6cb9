//! Keys that are pressed while a reply is written: they wait for the prompt, and are not shown within the reply.

use rustix::termios::{self, InputModes, LocalModes, OptionalActions, Termios};

/// While it lives, the terminal does not show what is typed. What was typed is kept, for the editor, as the editor would have
/// read it; Ctrl-C still interrupts.
pub struct QuietKeys(Option<Termios>);

impl QuietKeys {
    pub fn begin() -> Self {
        let Ok(before) = termios::tcgetattr(std::io::stdin()) else { return Self(None) };
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
        // Ctrl-C stops the reply; what was typed before it stays.
        quiet.local_modes.insert(LocalModes::NOFLSH);
        quiet.input_modes.remove(InputModes::ICRNL);
        if let Err(error) = termios::tcsetattr(std::io::stdin(), OptionalActions::Now, &quiet) {
            tracing::debug!(%error, "what is typed is shown");
        }
        Self(Some(before))
    }
}

impl Drop for QuietKeys {
    fn drop(&mut self) {
        let Some(before) = &self.0 else { return };
        if let Err(error) = termios::tcsetattr(std::io::stdin(), OptionalActions::Now, before) {
            tracing::debug!(%error, "the terminal stays as it is");
        }
    }
}
