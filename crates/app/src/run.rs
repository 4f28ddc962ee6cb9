//! From the command line to the exit code.

use crate::{
    cli::{Arguments, Command, KeyCommand},
    cmd,
    config::{self, Config},
    context::{Context, Extra},
    data::DataDirectory,
    error::{Error, Result, advised},
    logging, telemetry, terminal,
};
use clap::Parser as _;
use std::{process::ExitCode, time::Duration};
use tokio_util::sync::CancellationToken;

/// What is still running when a command has ended gets this long to notice.
const LEFTOVERS: Duration = Duration::from_secs(2);
/// What was not sent yet gets this long to be sent.
const LAST_SPANS: Duration = Duration::from_secs(3);

/// Runs the program with what comes with it and what is given.
///
/// Exit codes: 0 it worked, 1 it did not, 2 it was called wrongly.
pub fn run(extra: Extra) -> ExitCode {
    // Before anything is read or opened: inside of a cage this program is only the door that closes behind a command.
    if let Some(code) = sandbox::process::inside() {
        return code;
    }
    let arguments = Arguments::parse();
    if let Command::Completions { shell } = arguments.command {
        cmd::completions::print(shell);
        return ExitCode::SUCCESS;
    }
    let outcome = start_runtime().and_then(|runtime| {
        let outcome = runtime.block_on(dispatch(arguments, extra));
        runtime.shutdown_timeout(LEFTOVERS);
        outcome
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn start_runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        advised(format!("The program cannot start its threads: {error}."), "Check the limits of this system.")
    })
}

async fn dispatch(arguments: Arguments, extra: Extra) -> Result<()> {
    let data = DataDirectory::locate(arguments.data.as_deref())?;
    let loaded =
        Config::load(arguments.config.as_deref(), &data.file("majordomo.toml"), &config::environment());
    let format = loaded.as_ref().map_or(Default::default(), |config| config.log.format.value);
    let endpoint = loaded.as_ref().ok().and_then(|config| config.telemetry.otlp_endpoint.as_ref());
    let (spans, exporter) = endpoint.map(|endpoint| telemetry::open(&endpoint.value)).unzip();
    let logs = logging::start(arguments.verbose, arguments.log_format.unwrap_or(format), spans);
    if let Command::Doctor = arguments.command {
        return cmd::doctor::run(data, loaded, arguments.json).await;
    }
    let mut config = loaded?;
    config.log = config.log.with_flag(arguments.log_format);
    let context = Context { data, config, user: arguments.user, json: arguments.json, extra, logs };
    let stop = CancellationToken::new();
    let sending = exporter.map(|exporter| exporter.spawn(stop.clone()));
    let outcome = Box::pin(perform(context, arguments.command)).await;
    stop.cancel();
    if let Some(sending) = sending {
        // A program that ends does not wait long for a collector.
        drop(tokio::time::timeout(LAST_SPANS, sending).await);
    }
    outcome
}

async fn perform(context: Context, command: Command) -> Result<()> {
    match command {
        Command::Serve { bind } => cmd::serve::run(context, bind.as_deref()).await,
        Command::Chat(wanted) => Box::pin(cmd::chat::run(context, wanted)).await,
        Command::User { command } => cmd::user::run(context, command).await,
        Command::ApiKey { command } => cmd::api_key::run(context, command).await,
        Command::Approval { command } => cmd::approval::run(context, command).await,
        Command::Agent { command } => cmd::agent::run(context, command).await,
        Command::Ability { command } => cmd::ability::run(context, command).await,
        Command::Schedule { command } => cmd::schedule::run(context, command).await,
        Command::Key { command: KeyCommand::Rotate } => cmd::key::rotate(context).await,
        Command::Backup { file } => cmd::backup::run(context, file.as_deref()).await,
        Command::Restore { file, force, keep_keys } => {
            cmd::restore::run(context, &file, force, keep_keys).await
        }
        Command::Migrate => cmd::migrate::run(context).await,
        Command::Doctor | Command::Completions { .. } => Ok(()),
    }
}

fn complain(error: &Error) {
    match error {
        // The program that reads our output has gone, as `head` does; there is nothing to tell it.
        Error::Shown => return,
        Error::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return,
        _ => {}
    }
    eprintln!("majordomo: {}", terminal::sentence(&terminal::neutral(&error.to_string())));
    if let Some(advice) = error.advice() {
        eprintln!("  → {}", terminal::neutral(&advice));
    }
}
