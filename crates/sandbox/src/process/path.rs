//! Paths below the folder of a run.

const LONGEST: usize = 1_024;
const LONGEST_NAME: usize = 255;
pub(crate) const DEEPEST: usize = 32;

/// The names on the way to a file, or nothing when the path leads anywhere else.
pub(crate) fn parts(path: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
    let fine = |name: &&str| is_name(name);
    (path.len() <= LONGEST && names.len() <= DEEPEST && names.iter().all(fine)).then_some(names)
}

/// THREAT[path-02]: names come from models and from programs that they write.
pub(crate) fn is_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && name.len() <= LONGEST_NAME && !name.contains(['\0', '/'])
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
