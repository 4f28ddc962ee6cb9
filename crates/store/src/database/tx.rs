//! A transaction, and the verbs by which every query is written once for both engines.

use crate::{
    Arg, Error, Result,
    database::{
        counts::Counters,
        lite,
        page::{PIECE_BYTES, Piece},
        postgres, recorded_statements,
        row::{Columns, Row},
    },
};
use std::{fmt::Write as _, ops::ControlFlow, sync::Arc};

/// More parameters than this are split over several statements: each number of rows is a text of its own
/// that both engines prepare and keep.
const MOST_PARAMETERS: usize = 1_000;

/// An open transaction.
///
/// Invariant: once a statement has failed, nothing of this transaction is committed, even if the closure
/// swallows the error. PostgreSQL insists on it (and would answer COMMIT with a silent rollback), so SQLite
/// is held to the same.
pub struct Tx {
    pub(crate) engine: Engine,
    pub(crate) counters: Arc<Counters>,
    failed: Option<Error>,
}

/// Looks at the rows of a query one by one, and says whether it wants another.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&mut Columns<'_>) -> Result<ControlFlow<()>>;

pub(crate) enum Engine {
    Lite(rusqlite::Connection),
    Postgres(postgres::Open),
}

impl Tx {
    pub(crate) fn new(engine: Engine, counters: Arc<Counters>) -> Self {
        Self { engine, counters, failed: None }
    }

    /// Runs a statement; says how many rows it changed.
    pub fn run(&mut self, sql: &str, args: Vec<Arg>) -> Result<u64> {
        self.begin_statement(sql, &args)?;
        let outcome = match &mut self.engine {
            Engine::Lite(connection) => lite::statement::run(connection, sql, &args),
            Engine::Postgres(open) => open.run(sql, args),
        };
        self.note(outcome)
    }

    /// As [`Self::run`], where `$1`, `$2`, … stand in the text in their order, each once.
    fn run_in_order(&mut self, sql: &str, args: Vec<Arg>) -> Result<u64> {
        self.begin_statement(sql, &args)?;
        let outcome = match &mut self.engine {
            Engine::Lite(connection) => lite::statement::run_in_order(connection, sql, &args),
            Engine::Postgres(open) => open.run(sql, args),
        };
        self.note(outcome)
    }

    /// Shows rows to `visit` as they come, until it has seen enough.
    pub(crate) fn visit(&mut self, sql: &str, args: Vec<Arg>, visit: Visit<'_>) -> Result<()> {
        self.begin_statement(sql, &args)?;
        let outcome = match &mut self.engine {
            Engine::Lite(connection) => lite::statement::visit(connection, sql, &args, visit),
            Engine::Postgres(open) => open.visit(sql, args, visit),
        };
        self.note(outcome)
    }

    /// All rows.
    pub fn all<R: Row>(&mut self, sql: &str, args: Vec<Arg>) -> Result<Vec<R>> {
        let mut found = Vec::new();
        self.visit(sql, args, &mut |columns| {
            found.push(R::take(columns)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The first rows: those that together have about [`PIECE_BYTES`], but always the first one.
    pub(crate) fn piece<R: Row>(&mut self, sql: &str, args: Vec<Arg>) -> Result<Piece<R>> {
        let mut piece = Piece { rows: Vec::new(), more: false };
        let mut bytes = 0_u64;
        self.visit(sql, args, &mut |columns| {
            if bytes >= PIECE_BYTES {
                piece.more = true;
                return Ok(ControlFlow::Break(()));
            }
            piece.rows.push(R::take(columns)?);
            bytes = bytes.saturating_add(columns.bytes());
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(piece)
    }

    /// The first row, if there is one.
    pub fn maybe<R: Row>(&mut self, sql: &str, args: Vec<Arg>) -> Result<Option<R>> {
        Ok(self.all(sql, args)?.into_iter().next())
    }

    /// The first row; [`Error::NotFound`] when there is none.
    pub fn one<R: Row>(&mut self, sql: &str, args: Vec<Arg>) -> Result<R> {
        self.maybe(sql, args)?.ok_or(Error::NotFound)
    }

    /// Shows every row to `visit` as it comes, however many there are.
    pub(crate) fn each(
        &mut self,
        sql: &str,
        visit: &mut dyn FnMut(&mut Columns<'_>) -> Result<()>,
    ) -> Result<()> {
        self.visit(sql, Vec::new(), &mut |columns| visit(columns).map(ControlFlow::Continue))
    }

    /// Inserts many rows: `head` is everything before VALUES, `flat` the values row after row.
    pub fn insert(&mut self, head: &str, width: usize, flat: Vec<Arg>) -> Result<u64> {
        let mut inserted = 0_u64;
        let mut values = flat.into_iter();
        let rows_at_once = (MOST_PARAMETERS / width.max(1)).max(1);
        loop {
            let chunk: Vec<Arg> = values.by_ref().take(rows_at_once.saturating_mul(width)).collect();
            if chunk.is_empty() {
                return Ok(inserted);
            }
            let sql = format!("{head} VALUES {}", placeholders(width, chunk.len()));
            inserted = inserted.saturating_add(self.run_in_order(&sql, chunk)?);
        }
    }

    /// Runs several statements without parameters, for the schema. Not counted.
    pub(crate) fn script(&mut self, sql: &str) -> Result<()> {
        let outcome = match &mut self.engine {
            Engine::Lite(connection) => connection.execute_batch(sql).map_err(Error::from),
            Engine::Postgres(open) => open.script(sql),
        };
        self.note(outcome)
    }

    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    /// The first statement that failed, if one did. Afterwards the transaction counts as fresh.
    pub(crate) fn take_failure(&mut self) -> Option<Error> {
        self.failed.take()
    }

    fn begin_statement(&mut self, sql: &str, args: &[Arg]) -> Result<()> {
        self.counters.statement();
        recorded_statements::note(self.is_postgres(), sql, args);
        self.failed.clone().map_or(Ok(()), Err)
    }

    fn note<T>(&mut self, outcome: Result<T>) -> Result<T> {
        if let Err(error) = &outcome {
            self.failed.get_or_insert_with(|| error.clone());
        }
        outcome
    }
}

/// All rows of a query that ends before its list of values, whatever the length of that list.
pub(crate) fn listed<R: Row, T: Copy + Into<Arg>>(tx: &mut Tx, head: &str, values: &[T]) -> Result<Vec<R>> {
    let mut rows = Vec::with_capacity(values.len());
    for chunk in values.chunks(MOST_PARAMETERS) {
        let sql = format!("{head} {}", placeholders(chunk.len(), chunk.len()));
        rows.extend(tx.all::<R>(&sql, chunk.iter().map(|value| (*value).into()).collect())?);
    }
    Ok(rows)
}

/// `($1,$2),($3,$4)` for a width of 2 and 4 values.
fn placeholders(width: usize, values: usize) -> String {
    let mut text = String::with_capacity(values.saturating_mul(6));
    for index in 0..values {
        let first_of_row = index.checked_rem(width).is_none_or(|place| place == 0);
        text.push_str(match (index, first_of_row) {
            (0, _) => "($",
            (_, true) => "),($",
            (_, false) => ",$",
        });
        // Writing to a string does not fail.
        let _ = write!(text, "{}", index.saturating_add(1));
    }
    text.push(')');
    text
}

#[cfg(test)]
#[path = "tx_tests.rs"]
mod tests;
