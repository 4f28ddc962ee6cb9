//! The names of events that a newer node has stored. This one does not know what they mean, and passes them on as they are.

use std::{
    collections::HashSet,
    sync::{Mutex, OnceLock, PoisonError},
};

/// More kinds than any version has: what goes beyond has no name of its own.
const MOST: usize = 64;
const LONGEST: usize = 64;
const UNNAMED: &str = "newer";

/// The name, for as long as the program runs. Each is kept once.
pub(super) fn name_of(newer: &str) -> &'static str {
    static KNOWN: OnceLock<Mutex<HashSet<&'static str>>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = known.get(newer) {
        return name;
    }
    if known.len() >= MOST || newer.len() > LONGEST {
        return UNNAMED;
    }
    let name: &'static str = Box::leak(newer.to_owned().into_boxed_str());
    known.insert(name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once_and_not_all_of_them_are() {
        assert_eq!(name_of("weather"), "weather");
        assert!(std::ptr::eq(name_of("weather"), name_of("weather")));
        assert_eq!(name_of(&"long".repeat(100)), UNNAMED);
        let names: HashSet<&str> = (0..1_000).map(|number| name_of(&format!("kind_{number}"))).collect();
        assert!(names.len() <= MOST + 1 && names.contains(UNNAMED));
    }
}
