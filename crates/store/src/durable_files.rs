//! Files that must be there after a power loss.

use std::{fs, io, path::Path};

/// The folder that a path is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A new name is durable once its folder is.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    fs::File::open(folder_of(path))?.sync_all()
}
