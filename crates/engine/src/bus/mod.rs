//! What the nodes of one house tell each other, while several work on one PostgreSQL. On SQLite nothing of it runs.
//!
//! **Owns** the notes and their queue, the tasks that send and hear them, and who else is there.
//! **Must never** be the only place where something stands: a note may be lost, and who hears of a gap looks at the tables.
//! **Start at** [`node_note`], then [`speak`] and [`hear`].

pub(crate) mod hear;
pub(crate) mod neighbours;
pub(crate) mod node_note;
pub(crate) mod outbox;
pub(crate) mod speak;
pub(crate) mod tell;
