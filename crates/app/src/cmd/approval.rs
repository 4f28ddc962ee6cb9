//! `majordomo approval`: approvals that wait for an answer, for scripts and for people who are not in a chat.

use super::{items, say, text, within};
use crate::{
    chat::approval::{lines, settled},
    cli::ApprovalCommand,
    context::Context,
    control::Request,
    error::{Error, Result, advised},
    terminal::{Look, neutral, shown_moment, table},
};
use domain::{Approval, ApprovalId, ApprovalStatus, RuleScope};
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
        return say("No approvals are waiting for you.");
    }
    let columns = ["id", "tool", "danger", "session_id", "expires_at"];
    let cell = |approval: &Value, column: &str| match column {
        "expires_at" => shown_moment(text(approval, column)),
        column => text(approval, column).to_owned(),
    };
    let rows = items(&list)
        .iter()
        .map(|approval| columns.iter().map(|column| cell(approval, column)).collect::<Vec<_>>());
    let head = ["Id", "Tool", "Danger", "Conversation", "Answer before"];
    say(table(&head, &rows.collect::<Vec<_>>()).trim_end())
}

/// Shows what is answered, and answers exactly that.
async fn answer(context: &Context, id: &str, mut body: Value) -> Result<()> {
    let unknown = || {
        let advice =
            "`majordomo approval list` shows the open ones. Add --user NAME for those of another person.";
        advised(format!("There is no open approval {id}."), advice)
    };
    if id.parse::<ApprovalId>().is_err() {
        return Err(unknown());
    }
    let list = waiting(context).await?;
    let found = items(&list).iter().find(|approval| text(approval, "id") == id).ok_or_else(unknown)?;
    let approval: Approval = serde_json::from_value(found.clone())
        .map_err(|_| Error::disconnected("the answer of the server cannot be read"))?;
    if !context.json {
        let shown = lines(Look::detect(), &approval);
        say(shown.rsplit_once("\n┗").map_or(shown.as_str(), |(asked, _)| asked))?;
    }
    if let Some(fields) = body.as_object_mut() {
        fields.insert("digest".to_owned(), json!(approval.digest));
    }
    let request = Request::post(format!("/v1/approvals/{id}"), body);
    let answered = within(context, async |house| house.client.ask(request.clone()).await).await?;
    let status = text(&answered, "status");
    let words =
        ApprovalStatus::parse(status).map_or_else(|| neutral(status), |status| settled(status).into());
    say(&if context.json { answered.to_string() } else { format!("┗ {words}") })
}
