//! Making a backup.

use super::{
    Kind, Manifest, Part, Progress, Stage, Table,
    archive::{END, HEAD},
    checksum::{RowSum, checksum, hex},
    restore, rows, schema,
};
use crate::{
    Error, Result, Store, Tx,
    database::{Database, migrate},
    durable_files::sync_folder_of,
};
use domain::Timestamp;
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

const BUFFER: usize = 256 << 10;

/// Writes a backup to a file that is not there yet, and gives it its name once it has been restored into a
/// temporary database and found to be the same.
pub async fn make(
    store: &Store,
    path: &Path,
    made_at: Timestamp,
    progress: &Arc<Progress>,
) -> Result<Manifest> {
    of_database(store.database(), path, made_at, progress).await
}

/// The same for a database that is not open, as it is: of an older version, and without its key.
pub async fn make_of(
    url: &str,
    path: &Path,
    made_at: Timestamp,
    progress: &Arc<Progress>,
) -> Result<Manifest> {
    let database = Database::open(url).await?;
    let made = of_database(&database, path, made_at, progress).await;
    database.close().await;
    made
}

async fn of_database(
    database: &Database,
    path: &Path,
    made_at: Timestamp,
    progress: &Arc<Progress>,
) -> Result<Manifest> {
    if path.exists() {
        let problem = format!("{} already exists. Choose another name for the backup.", path.display());
        return Err(Error::Backup(problem));
    }
    let draft = restore::beside(path, ".partial");
    let made = drafted(database, path, &draft, made_at, progress).await;
    if made.is_err() {
        // What is left of it is of no use to anybody.
        let _ = fs::remove_file(&draft);
    }
    made
}

async fn drafted(
    database: &Database,
    path: &Path,
    draft: &Path,
    made_at: Timestamp,
    progress: &Arc<Progress>,
) -> Result<Manifest> {
    let failed = |error: io::Error| unwritable(path, &error);
    let _ = fs::remove_file(draft);
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft).map_err(failed)?;
    let sink = Sink { file: BufWriter::with_capacity(BUFFER, file), place: 0, path: path.to_owned() };
    let (kind, watched) = (database.kind(), progress.clone());
    let read = move |tx: &mut Tx| picture(tx, sink, kind, made_at, &watched);
    let manifest = database.read(read).await?;
    restore::check(draft, progress).await?;
    fs::rename(draft, path).and_then(|()| sync_folder_of(path)).map_err(failed)?;
    Ok(manifest)
}

/// Everything in one snapshot.
fn picture(
    tx: &mut Tx,
    mut sink: Sink,
    kind: &str,
    made_at: Timestamp,
    progress: &Progress,
) -> Result<Manifest> {
    let versions = migrate::applied(tx)?;
    let tables = schema::tables(&versions)?;
    let mut total = 0_u64;
    for table in tables.iter().filter(|table| is_saved(table)) {
        let rows: u64 = tx.one(&format!("SELECT COUNT(*) FROM {}", table.name), Vec::new())?;
        total = total.saturating_add(rows);
    }
    progress.begin(Stage::Reading, total);
    sink.write(HEAD)?;
    let mut parts = Vec::new();
    for table in &tables {
        parts.push(part(tx, &mut sink, table, progress)?);
    }
    let sums = parts.iter().map(|part| (part.table.as_str(), part.rows, part.sum.as_str()));
    let checksum = checksum(&versions, sums);
    let manifest = Manifest {
        format: 1,
        made_at,
        program: concat!("majordomo ", env!("CARGO_PKG_VERSION")).to_owned(),
        kind: kind.to_owned(),
        versions,
        rows: parts.iter().map(|part| part.rows).sum(),
        parts,
        checksum,
    };
    sink.finish(&manifest)?;
    Ok(manifest)
}

fn part(tx: &mut Tx, sink: &mut Sink, table: &Table, progress: &Progress) -> Result<Part> {
    let offset = sink.place;
    let mut hasher = Sha256::new();
    let mut sum = RowSum::default();
    if is_saved(table) {
        each_row(tx, table, &mut |row| {
            hasher.update(row);
            sum.add(row);
            progress.advance(1)?;
            sink.write(row)
        })?;
    }
    Ok(Part {
        table: table.name.clone(),
        offset,
        bytes: sink.place.saturating_sub(offset),
        rows: sum.rows,
        sha256: hex(&hasher.finalize()),
        sum: sum.hex(),
    })
}

/// THREAT[key-03] A master key that is on its way to other nodes is in no backup: who may restore one has the key of that time.
fn is_saved(table: &Table) -> bool {
    table.name != "handed_keys"
}

/// Every row of a table, as the bytes of a backup.
pub(crate) fn each_row(
    tx: &mut Tx,
    table: &Table,
    visit: &mut (dyn FnMut(&[u8]) -> Result<()> + Send),
) -> Result<()> {
    let kinds: Vec<Kind> = table.columns.iter().map(|(_, kind)| *kind).collect();
    let mut buffer = Vec::new();
    tx.each(&table.select(), &mut |columns| {
        let values = kinds.iter().map(|kind| kind.take(columns)).collect::<Result<Vec<_>>>()?;
        buffer.clear();
        rows::encode(&mut buffer, &values)?;
        visit(&buffer)
    })
}

/// The file that is being written, and how far it is.
struct Sink {
    file: BufWriter<File>,
    place: u64,
    path: PathBuf,
}

impl Sink {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| unwritable(&self.path, &error))?;
        self.place = self.place.saturating_add(u64::try_from(bytes.len()).unwrap_or_default());
        Ok(())
    }

    fn finish(mut self, manifest: &Manifest) -> Result<()> {
        let start = self.place.to_le_bytes();
        let text = serde_json::to_vec(manifest).map_err(|error| Error::Backup(error.to_string()))?;
        let digest: [u8; 32] = Sha256::digest(&text).into();
        self.write(&text)?;
        self.write(&start)?;
        self.write(&digest)?;
        self.write(END)?;
        let synced = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        synced.map_err(|error| unwritable(&self.path, &error))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    let text = format!("The backup {} cannot be written: {error}.", path.display());
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::Full(text),
        _ => Error::Backup(text),
    }
}
