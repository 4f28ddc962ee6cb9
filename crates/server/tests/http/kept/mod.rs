//! What people keep: conversations in order, prompts of their own, links and files.

mod conversations;
mod folder_files;
mod keeping;
mod knowledge;
mod knowledge_commands;
mod library;
mod schedules;
