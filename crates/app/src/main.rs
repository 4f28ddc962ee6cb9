//! The program `majordomo`. Everything it does is in the library, so that a test can build the same program with one
//! more capability.

use std::process::ExitCode;

fn main() -> ExitCode {
    majordomo::run(majordomo::Extra::default())
}
