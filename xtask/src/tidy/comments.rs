//! A comment names who does what: the worker, the owner, the model; not an unknown person.

use super::{
    Finding,
    exceptions::{self, Candidate},
    source,
    tree::File,
};

const UNNAMED: [&str; 3] = ["whoever", "nobody", "somebody"];

pub fn check(files: &[File]) -> Vec<Finding> {
    let candidates = files.iter().filter(|file| file.code.is_some()).filter_map(|file| {
        let mut comments = file.text.lines().zip(1..).filter_map(|(line, number)| {
            let comment = line.trim_start().strip_prefix("//")?;
            Some((comment.to_lowercase(), number))
        });
        let (word, line) = comments.find_map(|(comment, number)| {
            let word = UNNAMED.iter().find(|word| source::find_word(&comment, word).is_some())?;
            Some((word, number))
        })?;
        let advice = format!("say who it is instead of `{word}`: a component, or a person with a role");
        Some(Candidate::new(file.path.as_str(), Finding::new(&file.path, line, advice)))
    });
    exceptions::apply("comments", files, candidates.collect())
}
