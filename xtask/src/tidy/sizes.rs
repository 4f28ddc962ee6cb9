//! A file is about one thing, a function does one thing: both stay small enough to be read at once.

use super::{
    Finding,
    exceptions::{self, Candidate},
    source,
    tree::File,
};

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 60;

pub fn check(files: &[File]) -> Vec<Finding> {
    let mut candidates = Vec::new();
    for file in files {
        let Some(code) = &file.code else { continue };
        let lines = file.text.lines().count();
        if lines > FILE_LINES {
            let advice =
                format!("{lines} lines: split the file by what its parts are about (at most {FILE_LINES})");
            candidates.push(Candidate::new(file.path.as_str(), Finding::new(&file.path, 1, advice)));
        }
        for function in source::functions(code).into_iter().filter(|function| function.lines > FUNCTION_LINES)
        {
            let advice = format!(
                "fn {} has {} lines: take steps out and name them (at most {FUNCTION_LINES})",
                function.name, function.lines
            );
            let key = format!("{} fn {}", file.path, function.name);
            candidates.push(Candidate::new(key, Finding::new(&file.path, function.line, advice)));
        }
    }
    exceptions::apply("sizes", files, candidates)
}
