//! Programs in a cage.
//!
//! A run gets its files in a root that exists in memory alone, a network with nothing in it, and the system's programs to
//! read. It ends as a whole: when its command ends, when its time is over, or when its caller no longer waits for it, the
//! kernel ends everything in its namespace, and only then are its files looked at.
//!
//! **Invariant:** nothing of the house is inherited: no variable, no file, no descriptor, no right. **Invariant:** without
//! every mandatory layer there is no [`Cage`], and the [`Report`] says what to install. **Invariant:** what a run leaves
//! behind is in its [`ProcessOutcome`] and nowhere else.
//!
//! bubblewrap makes the namespaces; this program, started again inside ([`inside`]), closes the last doors (limits,
//! Landlock) and becomes the command. What is asked of a run is in [`Spec`], what came of it in [`ProcessOutcome`].

mod outcome;
mod output;
mod path;
mod report;
mod spec;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod linux;

pub use linux::{Cage, INSIDE, Running, inside};
pub use outcome::{Change, Exit, LeftOut, ProcessOutcome};
pub use output::{Captured, Order, Piece, Stream};
pub use report::{Layer, Report};
pub use spec::{File, Limits, Network, Program, Spec, Way};
