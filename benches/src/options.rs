//! What can be said on the command line: `bench p4 --program A --program B --rounds 3 --streams 100,400 --seconds 3`.

use anyhow::{Context, Result};
use std::path::PathBuf;

#[derive(Clone, Debug)]
pub struct Options {
    /// What is measured: the program beside this one, or several that are compared in alternating rounds.
    pub programs: Vec<PathBuf>,
    /// Rounds that count; one more is run first and dropped.
    pub rounds: usize,
    /// How long each round looks.
    pub seconds: f64,
    /// How many streams or readers, where a metric is not to take its own numbers.
    pub streams: Option<Vec<usize>>,
    /// An address of an empty database, or `own`: a cluster is started for it.
    pub postgres: Option<String>,
}

impl Options {
    pub fn read(arguments: &[String]) -> Result<Self> {
        let beside = std::env::current_exe()?.with_file_name("majordomo");
        let mut options = Self {
            programs: Vec::new(),
            rounds: crate::rounds::ROUNDS,
            seconds: 3.0,
            streams: None,
            postgres: None,
        };
        let mut words = arguments.iter();
        while let Some(name) = words.next() {
            let value = words.next().with_context(|| format!("{name} wants a value"))?;
            match name.as_str() {
                "--program" => options.programs.push(value.into()),
                "--rounds" => options.rounds = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--streams" => {
                    let numbers: Result<Vec<usize>, _> = value.split(',').map(str::parse).collect();
                    options.streams = Some(numbers?);
                }
                "--postgres" => options.postgres = Some(value.clone()),
                _ => anyhow::bail!(
                    "unknown option {name}; there are: --program, --rounds, --seconds, --streams, --postgres"
                ),
            }
        }
        if options.programs.is_empty() {
            options.programs.push(beside);
        }
        Ok(options)
    }

    pub fn streams(&self, usual: &[usize]) -> Vec<usize> {
        self.streams.clone().unwrap_or_else(|| usual.to_vec())
    }
}
