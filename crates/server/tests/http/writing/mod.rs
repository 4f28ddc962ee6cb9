//! What a person does with what they wrote: choose who answers it, take it back, change it.

mod chosen_model;
mod default_model;
mod picture_switch;
mod queue;
mod versions;
