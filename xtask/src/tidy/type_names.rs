//! The name of a type means one thing in the whole program.

use super::{
    Finding,
    exceptions::{self, Candidate},
    source,
    tree::File,
};
use std::collections::BTreeMap;

pub fn check(files: &[File]) -> Vec<Finding> {
    let mut named: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for file in files.iter().filter(|file| is_product(&file.path)) {
        for (name, line) in source::types(file.code.as_deref().unwrap_or_default()) {
            named.entry(name).or_default().push((&file.path, line));
        }
    }
    let twice = named.into_iter().filter(|(_, places)| places.len() > 1);
    let candidates = twice.filter_map(|(name, places)| {
        let ((first, _), (path, line)) = (places.first()?, places.last()?);
        let advice = format!("a type called `{name}` is also in {first}: say in the name what this one is");
        Some(Candidate::new(name, Finding::new(path, *line, advice)))
    });
    exceptions::apply("type-names", files, candidates.collect())
}

fn is_product(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/") && !path.ends_with("_tests.rs")
}
