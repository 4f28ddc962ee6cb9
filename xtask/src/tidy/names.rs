//! Names that say nothing about what is inside are not given to crates, folders, files or modules.

use super::{Finding, packages::Package, source, tree::File};

const EMPTY_NAMES: [&str; 8] = ["core", "common", "utils", "util", "manager", "helper", "helpers", "service"];
const EMPTY_ENDINGS: [&str; 5] = ["_manager", "_service", "_helper", "_utils", "_v2"];

pub fn check(packages: &[Package], files: &[File]) -> Vec<Finding> {
    let crates = packages.iter().filter(|package| says_nothing(&package.name)).map(|package| {
        Finding::new(&package.manifest_path(), package.line_of("name"), advice("crate", &package.name))
    });
    let modules = files.iter().filter(|file| file.code.is_some()).flat_map(check_file);
    crates.chain(modules).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let parts = file.path.trim_end_matches(".rs").split('/');
    let of_path = parts.filter(|part| says_nothing(part));
    let mut findings: Vec<Finding> =
        of_path.map(|part| Finding::new(&file.path, 1, advice("file or folder", part))).collect();
    // `mod name;` has a file of its own, which is judged by itself.
    let inline = file.code.iter().flat_map(|code| code.lines().enumerate());
    findings.extend(inline.filter_map(|(index, line)| {
        let at = source::find_word(line, "mod")?;
        let tail = line.get(at + 3..)?.trim_start();
        let name: String = tail.chars().take_while(source::is_word).collect();
        let is_inline = tail.strip_prefix(name.as_str())?.trim_start().starts_with('{');
        (is_inline && says_nothing(&name))
            .then(|| Finding::new(&file.path, index + 1, advice("module", &name)))
    }));
    findings
}

fn says_nothing(name: &str) -> bool {
    EMPTY_NAMES.contains(&name) || EMPTY_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn advice(what: &str, name: &str) -> String {
    format!("a {what} called `{name}` does not say what it is about: name the noun or the verb it holds")
}
