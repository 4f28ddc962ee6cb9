//! The chores of this repository.
//!
//! [`tidy`] checks what the compiler does not: that a crate uses lower layers only, that files and functions
//! stay small, that nothing is left unfinished, and that the documents tell the truth about the code. It reads
//! the tree and changes nothing. [`weigh`] says where the bytes of a program are. Neither must ever become a dependency of
//! the program.

pub mod tidy;
pub mod weigh;
