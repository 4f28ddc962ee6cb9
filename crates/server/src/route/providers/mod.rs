//! Whose models may be asked. Admins see and change them; a key can be written and never read.

mod change;
mod delete;
mod list;
pub(crate) mod models;
mod put;
mod test;
mod vendors;

pub(crate) use self::{change::change, delete::delete, list::list, put::put, test::test, vendors::vendors};

use crate::problem::Problem;
use axum::extract::{Path, rejection::PathRejection};

/// The name in the path. What cannot be read names nothing.
fn named(path: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    path.map(|Path(name)| name).map_err(|_| Problem::not_found("provider"))
}
