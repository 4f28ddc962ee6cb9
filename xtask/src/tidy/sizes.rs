//! A file is about one thing, a function does one thing: both stay small enough to be read at once.

use super::{Finding, source, tree::File};

const FILE_WARNING: usize = 400;
const FILE_FAILURE: usize = 700;
const FUNCTION_WARNING: usize = 60;
const FUNCTION_FAILURE: usize = 120;

pub fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let Some(code) = &file.code else { continue };
        let lines = file.text.lines().count();
        let advice = format!("{lines} lines: split the file by what its parts are about");
        findings.extend(judge(&file.path, 1, lines, (FILE_WARNING, FILE_FAILURE), advice));
        for function in source::functions(code) {
            let advice =
                format!("fn {} has {} lines: take steps out and name them", function.name, function.lines);
            let limits = (FUNCTION_WARNING, FUNCTION_FAILURE);
            findings.extend(judge(&file.path, function.line, function.lines, limits, advice));
        }
    }
    findings
}

fn judge(file: &str, line: usize, size: usize, limits: (usize, usize), advice: String) -> Option<Finding> {
    let (warning, failure) = limits;
    if size > failure {
        return Some(Finding::failure(file, line, format!("{advice} (at most {failure})")));
    }
    (size > warning).then(|| Finding::warning(file, line, format!("{advice} (better at most {warning})")))
}
