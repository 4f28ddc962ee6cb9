//! What agents do at their times.

mod change;
mod create;
mod delete;
mod get;
mod list;
mod pause;
mod preview;
mod runs;

pub(crate) use self::{
    change::change,
    create::create,
    delete::delete,
    get::get,
    list::list,
    pause::{pause, resume},
    preview::preview,
    runs::runs,
};
