//! The files of sessions, and what people upload.
//!
//! **Owns** paths, quotas, search in files, uploads and downloads, the text that is read of them, and the pictures and texts that a
//! model is shown.
//! **Must never** hold a turn up, or give one person the file of another.
//! **Start at** [`session_files`].

pub(crate) mod attach;
pub(crate) mod extract_text;
pub(crate) mod file_type;
pub(crate) mod folder_files;
pub(crate) mod grep;
pub(crate) mod picture_size;
pub(crate) mod pictures_for_model;
pub(crate) mod search_slots;
pub(crate) mod session_files;
pub(crate) mod settings;
pub(crate) mod texts_for_model;
pub(crate) mod uploads;
