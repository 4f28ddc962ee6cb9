//! Which tables and columns a database of some versions has.
//!
//! Asked of SQLite, which runs the same migrations in memory: so a shared PostgreSQL database may hold tables
//! of others, which are neither saved nor touched, and a backup of an older version is understood.

use crate::{
    Arg, Columns, Error, Result,
    database::{migrate, row::Row},
};
use rusqlite::Connection;

/// What a column holds; there is nothing else in our tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Text,
    Bytes,
}

impl Kind {
    fn parse(declared: &str) -> Result<Self> {
        match declared {
            "BIGINT" => Ok(Self::Int),
            "TEXT" => Ok(Self::Text),
            "BLOB" => Ok(Self::Bytes),
            other => {
                Err(Error::Database(format!("a column has the type {other}, which a backup cannot contain")))
            }
        }
    }

    pub fn take(self, columns: &mut Columns<'_>) -> Result<Arg> {
        Ok(match self {
            Self::Int => Arg::Int(Row::take(columns)?),
            Self::Text => Arg::Text(Row::take(columns)?),
            Self::Bytes => Arg::Bytes(Row::take(columns)?),
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub name: String,
    pub columns: Vec<(String, Kind)>,
}

impl Table {
    fn column_names(&self) -> String {
        self.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    pub fn select(&self) -> String {
        format!("SELECT {} FROM {}", self.column_names(), self.name)
    }

    /// Everything before VALUES.
    pub fn insert(&self) -> String {
        format!("INSERT INTO {} ({})", self.name, self.column_names())
    }
}

/// The tables of a database that has seen these versions, without the one that notes them.
pub(crate) fn tables(versions: &[u64]) -> Result<Vec<Table>> {
    migrate::check_known(versions)?;
    let connection = Connection::open_in_memory()?;
    for text in versions.iter().filter_map(|version| migrate::text(*version)) {
        connection.execute_batch(text)?;
    }
    let list =
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut list = connection.prepare(list)?;
    let names: Vec<String> = list.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    names.into_iter().map(|name| table(&connection, name)).collect()
}

fn table(connection: &Connection, name: String) -> Result<Table> {
    let mut list = connection.prepare("SELECT name, type FROM pragma_table_info(?1) ORDER BY cid")?;
    let found = list.query_map([&name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let columns = found
        .map(|column| {
            let (column, declared) = column?;
            Ok((column, Kind::parse(&declared)?))
        })
        .collect::<Result<_>>()?;
    Ok(Table { name, columns })
}
