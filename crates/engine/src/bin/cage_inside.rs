//! What the tests of this crate start inside of a cage. The product starts itself.

use std::process::ExitCode;

fn main() -> ExitCode {
    sandbox::process::inside().unwrap_or(ExitCode::FAILURE)
}
