//! What was spent: by the person who asks; for admins, by all people.

use crate::{
    app::App,
    caller::Caller,
    json::Json,
    lists::List,
    problem::Problem,
    request::extract::{Query, parameter},
};
use axum::extract::State;
use engine::{BudgetLeft, UsageLine, UsageQuestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UsageQuery {
    /// `day` (the default), `user`, `agent`, `session`, `turn` or `model`.
    by: Option<String>,
    /// A day or a moment; thirty days ago when absent.
    from: Option<String>,
    /// The last day, or a moment; now when absent.
    to: Option<String>,
    /// For admins: only their own.
    #[schemars(with = "Option<bool>")]
    mine: Option<String>,
}

/// What was spent, and what the caller may still spend.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UsageAnswer {
    #[serde(flatten)]
    lines: List<UsageLine>,
    /// Of the caller, today.
    budget: BudgetLeft,
}

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<UsageQuery>,
) -> Result<Json<UsageAnswer>, Problem> {
    let mine = parameter::<bool>("mine", query.mine.as_deref(), "true or false")?.unwrap_or(false);
    let sees_all = caller.role.is_admin() && !mine;
    let whose = (!sees_all).then_some(caller.user_id);
    let question = UsageQuestion { by: query.by, from: query.from, to: query.to };
    let Json(lines) = List::whole(app.engine.usage(caller.user_id, whose, question).await?);
    Ok(Json(UsageAnswer { lines, budget: app.engine.budget_left(caller.user_id).await? }))
}
