//! Encryption: the master key and the files it is kept in, the data keys of people, sealed columns, digests.
//!
//! What a person, a model or a tool wrote reaches the disk only through [`seal`]. Only this module sees the bytes of a
//! key. Start at [`seal`], then [`vault`] (what the master key opens) and [`rotation`] (how it is changed).

pub(crate) mod digest;
pub(crate) mod handed_key;
pub(crate) mod key_files;
pub(crate) mod key_ring;
pub(crate) mod master_key;
pub(crate) mod note_seal;
pub(crate) mod rotation;
pub(crate) mod seal;
pub(crate) mod vault;
