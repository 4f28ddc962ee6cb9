use super::{open_reader, open_writer};
use rusqlite::{Connection, StatementStatus};

/// How often SQLite made a plan again for a statement that met three values, on a table with an index over a part of its rows.
fn plans_again(connection: &Connection) -> i32 {
    let mut statement = connection.prepare_cached("SELECT id FROM turns WHERE status = $1").unwrap();
    for status in ["queued", "running", "ended"] {
        statement.raw_bind_parameter(1, status).unwrap();
        let mut rows = statement.raw_query();
        while rows.next().unwrap().is_some() {}
    }
    statement.get_status(StatementStatus::RePrepare)
}

#[test]
fn the_plan_of_a_statement_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plans.db");
    let writer = open_writer(&path).unwrap();
    let table = "CREATE TABLE turns (id INTEGER PRIMARY KEY, status TEXT); \
                 CREATE INDEX turns_running ON turns (id) WHERE status = 'running';";
    writer.execute_batch(table).unwrap();
    assert_eq!(plans_again(&writer), 0);
    assert_eq!(plans_again(&open_reader(&path).unwrap()), 0);
    let control = Connection::open(&path).unwrap();
    assert!(plans_again(&control) > 0, "SQLite looks at the values by itself");
}
