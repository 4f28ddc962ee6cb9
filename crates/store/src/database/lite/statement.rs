//! One statement on a SQLite connection. Nothing here waits for anything but SQLite.

use crate::{
    Arg, Error, Result,
    database::{
        page::Piece,
        row::{Columns, Row},
        tx::Visit,
    },
};
use rusqlite::{
    Connection, Statement, ToSql,
    types::{ToSqlOutput, Value, ValueRef},
};

impl ToSql for Arg {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Int(Some(value)) => ToSqlOutput::Owned(Value::Integer(*value)),
            Self::Text(Some(value)) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
            Self::Bytes(Some(value)) => ToSqlOutput::Borrowed(ValueRef::Blob(value)),
            Self::Int(None) | Self::Text(None) | Self::Bytes(None) => ToSqlOutput::Owned(Value::Null),
        })
    }
}

pub(crate) fn run(connection: &Connection, sql: &str, args: &[Arg]) -> Result<u64> {
    let mut statement = connection.prepare_cached(sql)?;
    bind(&mut statement, args)?;
    let changed = statement.raw_execute()?;
    Ok(u64::try_from(changed).unwrap_or(u64::MAX))
}

pub(crate) fn all<R: Row>(connection: &Connection, sql: &str, args: &[Arg]) -> Result<Vec<R>> {
    let mut statement = connection.prepare_cached(sql)?;
    bind(&mut statement, args)?;
    let mut rows = statement.raw_query();
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(R::take(&mut Columns::lite(row))?);
    }
    Ok(found)
}

/// What is not looked at is not read from the disk.
pub(crate) fn piece<R: Row>(connection: &Connection, sql: &str, args: &[Arg], most: u64) -> Result<Piece<R>> {
    let mut statement = connection.prepare_cached(sql)?;
    bind(&mut statement, args)?;
    let mut rows = statement.raw_query();
    let (mut found, mut bytes) = (Vec::new(), 0_u64);
    while let Some(row) = rows.next()? {
        if bytes >= most {
            return Ok(Piece { rows: found, more: true });
        }
        let mut columns = Columns::lite(row);
        found.push(R::take(&mut columns)?);
        bytes = bytes.saturating_add(columns.bytes());
    }
    Ok(Piece { rows: found, more: false })
}

pub(crate) fn each(connection: &Connection, sql: &str, visit: Visit<'_>) -> Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        visit(&mut Columns::lite(row))?;
    }
    Ok(())
}

/// SQLite takes `$2` for a *name* and numbers names by first appearance, so the digits are mapped here.
fn bind(statement: &mut Statement<'_>, args: &[Arg]) -> Result<()> {
    for index in 1..=statement.parameter_count() {
        let number = statement
            .parameter_name(index)
            .and_then(|name| name.strip_prefix('$'))
            .and_then(|digits| digits.parse::<usize>().ok());
        let arg = number.and_then(|number| args.get(number.checked_sub(1)?));
        let arg =
            arg.ok_or_else(|| Error::Database(format!("parameter {index} of a statement has no value")))?;
        statement.raw_bind_parameter(index, arg)?;
    }
    Ok(())
}
