//! One statement on a SQLite connection. Nothing here waits for anything but SQLite.

use crate::{
    Arg, Error, Result,
    database::{row::Columns, tx::Visit},
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

/// As [`run`], where the parameters stand in the text in their order: a long list is bound without looking for their names.
pub(crate) fn run_in_order(connection: &Connection, sql: &str, args: &[Arg]) -> Result<u64> {
    let mut statement = connection.prepare_cached(sql)?;
    if statement.parameter_count() != args.len() {
        return Err(Error::Database("a statement has not as many parameters as values".to_owned()));
    }
    for (index, arg) in (1_usize..).zip(args) {
        statement.raw_bind_parameter(index, arg)?;
    }
    let changed = statement.raw_execute()?;
    Ok(u64::try_from(changed).unwrap_or(u64::MAX))
}

/// What is not looked at is not read from the disk.
pub(crate) fn visit(connection: &Connection, sql: &str, args: &[Arg], visit: Visit<'_>) -> Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    bind(&mut statement, args)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        if visit(&mut Columns::lite(row))?.is_break() {
            return Ok(());
        }
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
