//! One question, one answer, without ids: for small programs and for bridges to other places. The contract is that of
//! an older program, whose clients speak to us unchanged; hence the spellings, the leniency and the member `error`.

mod body;
mod error;
mod send;

pub(crate) use self::{error::with_error, send::send};
