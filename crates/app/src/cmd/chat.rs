//! `majordomo chat`: the terminal client.

use crate::{
    chat::{NextMessage, Talk, WantedTalk, interactive, once, parse_question, parse_session},
    cli::ChatArguments,
    context::Context,
    error::{Result, advised},
};
use domain::QuestionId;
use std::{
    io::{IsTerminal as _, stdin},
    path::PathBuf,
};

pub async fn run(context: Context, wanted: ChatArguments) -> Result<()> {
    let ChatArguments { agent, newest, session, once: text, answers, files } = wanted;
    if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(advised("The message is empty.", "Write for instance: majordomo chat --once \"hello\""));
    }
    let wanted = match session.as_deref().map(parse_session).transpose()? {
        Some(session) => WantedTalk::One(session),
        None if newest => WantedTalk::Newest,
        None => WantedTalk::New,
    };
    let answers = answers.as_deref().map(parse_question).transpose()?;
    let may_ask = text.is_none() && stdin().is_terminal();
    let owner = || if may_ask { ask_name() } else { Ok(system_user()) };
    let mut talk = Talk::begin(context, agent.as_deref(), wanted, owner).await?;
    let outcome = speak(&mut talk, text, answers, &files).await;
    talk.close().await;
    outcome
}

async fn speak(
    talk: &mut Talk,
    text: Option<String>,
    answers: Option<QuestionId>,
    files: &[PathBuf],
) -> Result<()> {
    let mut next = NextMessage::default();
    for file in files {
        next.attach(talk, file).await?;
    }
    match text {
        Some(text) => once(talk, next.take(text), answers).await,
        None => interactive(talk, next).await,
    }
}

fn ask_name() -> Result<String> {
    let usual = system_user();
    let ask = inquire::Text::new("No account yet. This creates the owner account. What is your name?")
        .with_default(&usual);
    let name = ask
        .prompt()
        .map_err(|_| advised("No name was given, so no account was created.", "Run the command again."))?;
    Ok(name.trim().to_owned())
}

/// What this system calls the person at the terminal.
fn system_user() -> String {
    let named = |name: String| Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    let variable = |name: &str| std::env::var(name).ok().and_then(named);
    let asked = || {
        let output = std::process::Command::new("id").arg("-un").output().ok()?;
        String::from_utf8(output.stdout).ok().and_then(named)
    };
    variable("USER").or_else(|| variable("LOGNAME")).or_else(asked).unwrap_or_else(|| "owner".to_owned())
}
