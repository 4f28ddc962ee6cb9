//! What `serve` says once it runs: where it listens, what to do next, which model will answer.

use crate::{
    context::Context,
    error::{Error, Result, advised},
    terminal::{neutral, sentence},
};
use engine::Engine;
use provider::{DEMO, Models};
use serde_json::json;
use std::{
    io::{Write as _, stdout},
    net::SocketAddr,
};

/// `link` is the set-up link, if there is no owner yet.
pub async fn announce(
    context: &Context,
    engine: &Engine,
    address: SocketAddr,
    link: Option<&str>,
) -> Result<()> {
    let url = format!("http://{address}");
    if context.json {
        let mut told = json!({ "listening": url });
        if let Some(link) = link {
            told["setup_link"] = json!(link);
        }
        return line(&told.to_string());
    }
    line(&format!("listening on {url}"))?;
    if let Some(public) = &context.config.server.public_url {
        line(&format!("People use {}", public.value))?;
    }
    let owner = engine
        .people()
        .owner()
        .await
        .map_err(|error| advised(error.to_string(), "Run `majordomo doctor`."))?;
    match owner {
        None => first_steps(context, link),
        Some(owner) => next_steps(context, &url, &neutral(&owner.name)),
    }
}

fn first_steps(context: &Context, link: Option<&str>) -> Result<()> {
    line("\nWelcome. There is no account yet.")?;
    if let Some(link) = link {
        line("Open this link to create the owner account (valid once, 15 minutes):")?;
        line(&format!("  {link}"))?;
    }
    line("Or talk to your agent in another terminal:")?;
    line(&format!("  {}", context.command("chat")))?;
    line("Or create the owner account with a password, and then an API key for programs:")?;
    line(&format!("  {}", context.command("user add NAME --role owner")))?;
    line(&format!("  {}", context.command("api-key new")))
}

fn next_steps(context: &Context, url: &str, owner: &str) -> Result<()> {
    line(&format!("\nTo sign in on the page, open {}", page_address(context, url)))?;
    line(&format!("To talk to your agent as {owner}:"))?;
    line(&format!("  {}", context.command("chat")))?;
    line("To use the API:")?;
    line(&format!("  KEY=$({})", context.command("api-key new")))?;
    line(&format!("  curl -H \"Authorization: Bearer $KEY\" {url}/v1/me"))
}

/// Where people open the page: through the proxy if there is one.
fn page_address<'a>(context: &'a Context, url: &'a str) -> &'a str {
    context.config.server.public_url.as_ref().map_or(url, |public| public.value.as_str())
}

/// Said when the providers have answered, which may be after the first conversation has begun.
pub fn announce_model(context: &Context, models: &Models) -> Result<()> {
    if context.json {
        return Ok(());
    }
    match models.resolve(None) {
        Ok(model) if model.id() == DEMO => {
            line(
                "\nDefault model: demo, a script and not a real model. For a real model add a provider on the page. Or set",
            )?;
            line(&format!(
                "OPENAI_API_KEY, start Ollama, or write a [provider.NAME] section in {}, and start again.",
                context.data.file("majordomo.toml").display()
            ))
        }
        Ok(model) => line(&format!("\nDefault model: {}", neutral(model.id()))),
        Err(error) => line(&format!(
            "\nDefault model: none. {} {}",
            sentence(&neutral(&error.to_string())),
            sentence(&error.advice())
        )),
    }
}

/// At once, also when another program reads us through a pipe.
fn line(text: &str) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(Error::Output)
}
