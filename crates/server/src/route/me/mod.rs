//! The caller themself.

mod change;
mod confirm;
mod get;
mod password;

pub(crate) use self::{change::change, confirm::confirm, get::get, password::password};

use crate::{app::App, caller::Caller, problem::Problem};
use domain::{Allowance, User, UserId, UserRole};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Me {
    id: UserId,
    name: String,
    role: UserRole,
    time_zone: String,
    language: String,
    budget: Allowance,
    /// What every agent is told about you.
    about_me: String,
}

impl Me {
    pub(crate) async fn of(app: &App, caller: &Caller) -> Result<Self, Problem> {
        Ok(app.engine.people().user(caller.user_id).await?.into())
    }
}

impl From<User> for Me {
    fn from(user: User) -> Self {
        let User { id, name, role, time_zone, language, budget, about_me, .. } = user;
        Self { id, name, role, time_zone, language, budget, about_me }
    }
}
