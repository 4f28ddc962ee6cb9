//! `[log]`: how the log on stderr looks.

use super::{
    raw::{Raw, wrong},
    setting::{Origin, Setting, ShownSetting},
};
use crate::error::Result;

pub const SECTION: &str = "log";
pub const KEYS: &[&str] = &["format"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line, for programs.
    Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    pub format: Setting<LogFormat>,
}

impl Log {
    pub(super) fn read(raw: &mut Raw) -> Result<Self> {
        let format = match raw.text(SECTION, "format")? {
            None => Setting::default(LogFormat::default()),
            Some(Setting { value, origin }) => match value.trim() {
                "text" => Setting { value: LogFormat::Text, origin },
                "json" => Setting { value: LogFormat::Json, origin },
                other => {
                    let problem = format!("must be `text` or `json`, not `{other}`");
                    return Err(wrong(&origin, SECTION, "format", &problem));
                }
            },
        };
        Ok(Self { format })
    }

    /// The flag of the command line wins over everything else.
    pub fn with_flag(mut self, flag: Option<LogFormat>) -> Self {
        if let Some(value) = flag {
            self.format = Setting { value, origin: Origin::Flag("--log-format") };
        }
        self
    }

    pub(super) fn shown(&self) -> Vec<ShownSetting> {
        let format = match self.format.value {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        };
        vec![self.format.shown("log.format", format)]
    }
}
