//! The ports of a call: exactly those that its tool declared.
//!
//! A port is a trait in a file of this folder and one line of the table below, which names the trait and its file. The line
//! makes the variant of [`Port`], the place in [`Ports`], the method that puts it in and the one that a tool takes it out
//! with; `crates/engine/src/ports` has one file for what stands behind it.

pub mod attachments;
pub mod colleagues;
pub mod commands;
pub mod files;
pub mod http;
pub mod knowledge;
pub mod processes;
pub mod recall;
pub mod schedules;
pub mod web_search;

use crate::ToolError;
use domain::Workplace;
use std::{fmt, sync::Arc};

macro_rules! ports {
    ($($(#[$about:meta])* $port:ident in $name:ident, put in by $with:ident, says_origin = $says:literal, reads_files = $reads:literal, works = $works:ident;)+) => {
        /// A way to the world that a tool may ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Port {
            $($(#[$about])* $port,)+
        }

        impl Port {
            pub const ALL: &[Self] = &[$(Self::$port,)+];

            /// What stands behind the port says itself where what it gives comes from.
            pub const fn says_origin(self) -> bool {
                match self {
                    $(Self::$port => $says,)+
                }
            }

            /// `true`: a call can have the files of its session through this port, so the gate weighs it with the label of those files.
            /// THREAT[label-07]: a program posts what no model has read.
            pub const fn reads_files(self) -> bool {
                match self {
                    $(Self::$port => $reads,)+
                }
            }

            /// Where a tool works that has this port.
            pub const fn workplace(self) -> Workplace {
                match self {
                    $(Self::$port => Workplace::$works,)+
                }
            }
        }

        /// What a call was given. Empty until the engine puts something in.
        #[derive(Clone, Default)]
        pub struct Ports {
            $($name: Option<Arc<dyn $name::$port>>,)+
        }

        impl fmt::Debug for Ports {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("Ports")$(.field(stringify!($name), &self.$name.is_some()))+.finish()
            }
        }

        impl Ports {
            $(
                #[must_use]
                pub fn $with(mut self, port: Arc<dyn $name::$port>) -> Self {
                    self.$name = Some(port);
                    self
                }

                /// # Errors
                /// When the tool did not declare the port, which is a mistake in the tool.
                pub fn $name(&self) -> Result<&dyn $name::$port, ToolError> {
                    self.$name.as_deref().ok_or_else(|| undeclared(Port::$port))
                }
            )+
        }
    };
}

ports! {
    /// The files of the session.
    Files in files, put in by with_files, says_origin = true, reads_files = true, works = SessionFiles;
    /// The texts of files that came with messages.
    Attachments in attachments, put in by with_attachments, says_origin = true, reads_files = true, works = SessionFiles;
    /// The commands that people type with a slash.
    Commands in commands, put in by with_commands, says_origin = false, reads_files = false, works = Server;
    /// Other agents. What they answer comes with the label of what they were told.
    Colleagues in colleagues, put in by with_colleagues, says_origin = true, reads_files = false, works = OtherAgent;
    /// The web.
    Http in http, put in by with_http, says_origin = false, reads_files = false, works = Network;
    /// What agents remember of the person.
    Knowledge in knowledge, put in by with_knowledge, says_origin = true, reads_files = false, works = Server;
    /// What the person's agents do later.
    Schedules in schedules, put in by with_schedules, says_origin = true, reads_files = false, works = Server;
    /// What agents remember of the person, and what was said in that person's conversations, to be looked through.
    PastSearch in recall, put in by with_recall, says_origin = true, reads_files = false, works = Server;
    /// The search service.
    WebSearch in web_search, put in by with_web_search, says_origin = false, reads_files = false, works = SearchService;
    /// Programs in a sandbox.
    Processes in processes, put in by with_processes, says_origin = true, reads_files = true, works = Sandbox;
}

impl Port {
    /// What stands behind the port is of its person and not of the conversation.
    pub fn reads_beyond(self) -> bool {
        matches!(self, Self::Knowledge | Self::PastSearch)
    }
}

fn undeclared(port: Port) -> ToolError {
    ToolError::Internal(format!("the tool uses the port {port:?}, which it did not declare"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// THREAT[label-07]
    #[test]
    fn every_port_to_the_files_of_a_session_says_that_it_reads_them() {
        for port in Port::ALL {
            let works_on_files = matches!(port.workplace(), Workplace::SessionFiles | Workplace::Sandbox);
            assert_eq!(port.reads_files(), works_on_files, "{port:?}");
        }
    }
}
