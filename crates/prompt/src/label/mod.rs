//! Where words come from: of what people hand in, of what a model was told, and of the addresses in it.

pub mod input_label;
pub mod known_addresses;
pub mod provenance_label;
