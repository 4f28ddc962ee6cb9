//! The last line: a reader that fails where no test saw it costs its file and nothing else.

use crate::{Document, DocumentKind, Unreadable};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a reader may take of a stack. Every descent is bounded far below this.
const STACK: usize = 8 << 20;

/// Runs a reader on a thread with a stack of its own, and takes a panic for a damaged file.
pub(crate) fn guarded(
    kind: DocumentKind,
    work: impl FnOnce() -> Result<Document, Unreadable> + Send,
) -> Result<Document, Unreadable> {
    let broken = || Err(Unreadable::Broken(kind));
    std::thread::scope(|scope| {
        let caught = move || catch_unwind(AssertUnwindSafe(work));
        let builder = std::thread::Builder::new().name("document".to_owned()).stack_size(STACK);
        match builder.spawn_scoped(scope, caught).map(|thread| thread.join()) {
            Ok(Ok(Ok(read))) => read,
            _ => broken(),
        }
    })
}
