//! `majordomo completions`: what a shell needs to complete the command line. It is made without looking at any data.

use crate::cli::{Arguments, ShellArgument};
use clap::CommandFactory as _;
use std::io::{Write as _, stdout};

pub fn print(shell: ShellArgument) {
    let mut script = Vec::new();
    clap_complete::generate(
        clap_complete::Shell::from(shell),
        &mut Arguments::command(),
        "majordomo",
        &mut script,
    );
    // A reader that has gone, as `head` does, wants no more of it.
    let _ = stdout().write_all(&script);
}
