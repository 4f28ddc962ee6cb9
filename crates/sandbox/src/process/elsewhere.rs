//! On systems without these namespaces nothing runs.

use super::{Layer, Piece, ProcessOutcome, Program, Report, Spec};
use crate::Error;
use std::process::ExitCode;
use tokio::sync::mpsc;

/// The first argument of this program when it is started inside of a cage.
pub const INSIDE: &str = "cage-inside";

#[must_use]
pub const fn inside() -> Option<ExitCode> {
    None
}

/// There is none here.
pub struct Cage(std::convert::Infallible);

pub struct Running(std::convert::Infallible);

impl Cage {
    /// # Errors
    /// Always.
    pub fn open(_program: Program) -> Result<Self, Report> {
        let detail = "agents can run programs only on Linux".to_owned();
        Err(Report { layers: vec![Layer { name: "Linux", mandatory: true, present: false, detail }] })
    }

    #[must_use]
    pub const fn report(&self) -> &Report {
        match self.0 {}
    }

    /// # Errors
    /// Never; there is no cage to ask.
    pub fn start(&self, _spec: Spec, _pieces: Option<mpsc::Sender<Piece>>) -> Result<Running, Error> {
        match self.0 {}
    }
}

impl Running {
    /// # Errors
    /// Never; nothing runs.
    pub async fn wait(self) -> Result<ProcessOutcome, Error> {
        match self.0 {}
    }
}
