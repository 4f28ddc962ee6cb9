//! `majordomo approval`: what waits for a yes, for scripts and for whoever is not in a chat.

use super::{items, say, text, within};
use crate::{
    chat::approval::lines,
    cli::ApprovalCommand,
    context::Context,
    control::Request,
    error::{Error, Result, advised},
    terminal::{Look, neutral, table},
};
use domain::{Approval, ApprovalId, RuleScope};
use serde_json::{Value, json};

pub async fn run(context: Context, command: ApprovalCommand) -> Result<()> {
    match command {
        ApprovalCommand::List => list(&context).await,
        ApprovalCommand::Approve { id, scope } => {
            let body = json!({ "decision": "approve", "scope": RuleScope::from(scope) });
            answer(&context, &id, body).await
        }
        ApprovalCommand::Deny { id, reason } => {
            answer(&context, &id, json!({ "decision": "deny", "reason": reason })).await
        }
    }
}

async fn waiting(context: &Context) -> Result<Value> {
    within(context, async |house| house.client.ask(Request::get("/v1/approvals?limit=100")).await).await
}

async fn list(context: &Context) -> Result<()> {
    let list = waiting(context).await?;
    if context.json {
        return say(&list.to_string());
    }
    if items(&list).is_empty() {
        return say("nothing waits for a yes");
    }
    let columns = ["id", "tool", "danger", "session_id", "expires_at"];
    let rows = items(&list)
        .iter()
        .map(|approval| columns.iter().map(|column| text(approval, column).to_owned()).collect::<Vec<_>>());
    say(table(&columns, &rows.collect::<Vec<_>>()).trim_end())
}

/// Shows what is answered, and answers exactly that.
async fn answer(context: &Context, id: &str, mut body: Value) -> Result<()> {
    let unknown = || {
        let advice = "`majordomo approval list` shows what waits; --user NAME for another person's";
        advised(format!("nothing waits under {id}"), advice)
    };
    if id.parse::<ApprovalId>().is_err() {
        return Err(unknown());
    }
    let list = waiting(context).await?;
    let found = items(&list).iter().find(|approval| text(approval, "id") == id).ok_or_else(unknown)?;
    let approval: Approval = serde_json::from_value(found.clone())
        .map_err(|_| Error::disconnected("the server's answer is no approval"))?;
    if !context.json {
        let shown = lines(Look::detect(), &approval);
        say(shown.rsplit_once("\n┗").map_or(shown.as_str(), |(asked, _)| asked))?;
    }
    if let Some(fields) = body.as_object_mut() {
        fields.insert("digest".to_owned(), json!(approval.digest));
    }
    let request = Request::post(format!("/v1/approvals/{id}"), body);
    let answered = within(context, async |house| house.client.ask(request.clone()).await).await?;
    let status = neutral(text(&answered, "status")).into_owned();
    say(&if context.json { answered.to_string() } else { format!("┗ {status}") })
}
