//! Looking at a database without changing it: which versions has it seen, is anything in it?

use crate::{
    Error, Result, Tx, args,
    database::{
        Address,
        counts::Counters,
        job::{Done, Job, erased, perform, typed},
        lite, migrate,
        postgres::{self, JobPlace},
        tx::Engine,
    },
    nodes,
};
use domain::Timestamp;
use std::sync::Arc;

/// What a database is like before it is opened for work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The schema's versions that it has seen; none when there is no database, or nothing of ours in it.
    pub versions: Vec<u64>,
    /// Nobody lives in it.
    pub is_empty: bool,
    /// The newest version that a program has to know, where the schema says so.
    pub floor: Option<u64>,
    /// A server that works on it, by the name of its machine: one whose lease is not over.
    pub in_use_by: Option<String>,
}

impl Inspection {
    /// What would be run if this program opened it.
    pub fn pending(&self) -> Vec<u64> {
        migrate::schema_versions().into_iter().filter(|known| !self.versions.contains(known)).collect()
    }

    /// [`Error::NewerSchema`](crate::Error::NewerSchema) when a newer program has worked on it, and this one cannot any more.
    pub fn check_known(&self) -> Result<()> {
        migrate::check_usable(&self.versions, self.floor)
    }
}

/// Looks at the database of an address. What does not exist is empty.
pub async fn inspect(url: &str) -> Result<Inspection> {
    if let Address::Lite(path) = Address::parse(url)?
        && !std::fs::metadata(&path).is_ok_and(|found| found.len() > 0)
    {
        return Ok(Inspection { is_empty: true, ..Inspection::default() });
    }
    reading(url, look).await
}

/// Reads in a database that is there, by a connection that cannot write.
pub(crate) async fn reading<T, F>(url: &str, closure: F) -> Result<T>
where
    T: Send + 'static,
    F: FnOnce(&mut Tx) -> Result<T> + Send + 'static,
{
    typed(read_job(url, erased(closure))).await
}

fn read_job(url: &str, job: Job) -> Done<'_> {
    Box::pin(async move {
        let counters = Arc::new(Counters::default());
        match Address::parse(url)? {
            Address::Lite(path) => {
                let read = move || {
                    let mut tx = Tx::new(Engine::Lite(lite::open_reader(&path)?), counters);
                    perform(&mut tx, job)
                };
                tokio::task::spawn_blocking(read).await.map_err(|_| Error::Panicked)?
            }
            Address::Postgres(url) => {
                let pulse = Arc::default();
                let pools = postgres::connect(&url, &pulse).await?;
                let found = JobPlace { pool: pools.shared.clone(), pulse, counters }.read(job).await;
                pools.close().await;
                found
            }
        }
    })
}

fn look(tx: &mut Tx) -> Result<Inspection> {
    if !has_table(tx, "schema_version")? {
        return Ok(Inspection { is_empty: true, ..Inspection::default() });
    }
    let versions = migrate::applied(tx)?;
    let floor = migrate::floor(tx, &versions)?;
    let people: u64 = match has_table(tx, "users")? {
        true => tx.one("SELECT COUNT(*) FROM users", args![])?,
        false => 0,
    };
    let in_use_by = match tx.is_postgres() && has_table(tx, "nodes")? {
        true => nodes::name_of_one_alive(tx, Timestamp::from_millis(0))?,
        false => None,
    };
    Ok(Inspection { versions, is_empty: people == 0, floor, in_use_by })
}

fn has_table(tx: &mut Tx, name: &str) -> Result<bool> {
    let sql = if tx.is_postgres() {
        "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1"
    } else {
        "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = $1"
    };
    Ok(tx.one::<u64>(sql, args![name])? > 0)
}
