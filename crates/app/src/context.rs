//! What every command needs to know: where, with which settings, as whom, and how to answer.

use crate::{config::Config, data::DataDirectory};
use capability::Capability;
use sandbox::egress::Resolver;
use server::LogRing;
use std::sync::Arc;

/// What the assembler of the program puts in, beyond what comes with it.
#[derive(Clone, Default)]
pub struct Extra {
    pub capabilities: Vec<Arc<dyn Capability>>,
    /// Who is asked where hosts are, for tools; the machine, unless another resolver is named.
    pub resolver: Option<Arc<dyn Resolver>>,
}

#[derive(Clone)]
pub struct Context {
    pub data: DataDirectory,
    pub config: Config,
    /// Who acts; the owner if no person is named.
    pub user: Option<String>,
    /// Machine-readable output on stdout.
    pub json: bool,
    pub extra: Extra,
    /// The last lines of the log.
    pub logs: LogRing,
}

impl Context {
    /// A command line that works in the reader's shell: how this program was called, and the data directory if it is
    /// not the usual one.
    pub fn command(&self, words: &str) -> String {
        let program =
            std::env::args().next().filter(|name| !name.is_empty()).unwrap_or_else(|| "majordomo".to_owned());
        let mut line = format!("{} {words}", quoted(&program));
        if !self.data.is_usual() {
            line.push_str(" --data ");
            line.push_str(&quoted(&self.data.path().display().to_string()));
        }
        line
    }
}

fn quoted(word: &str) -> String {
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '@' | '%');
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
