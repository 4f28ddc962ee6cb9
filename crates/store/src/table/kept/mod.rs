//! What people keep besides their conversations themselves: folders and their files, prompts of their own, links that show one to others.

pub mod folder_files;
pub mod folders;
pub mod saved_prompts;
pub mod session_links;
