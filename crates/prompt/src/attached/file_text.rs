//! A file of a message as the model is told it: what it is, which part follows, and how to read the rest.

use domain::AttachedFile;

/// What a file is framed with; the words in it cannot end it.
const END: &str = "</file";

/// About what a file takes of a model's window: its words and what is said of it.
pub(crate) fn tokens(file: &AttachedFile) -> u64 {
    file.read_tokens.saturating_add(80)
}

/// `text`: the beginning of the file, where there is room for it. `reads`: the agent has the tool to read on.
pub(crate) fn told(file: &AttachedFile, text: Option<&str>, reads: bool) -> String {
    let AttachedFile { name, noun, chars, .. } = file;
    let name = name.replace(['"', '<', '>'], "'");
    let size = match (&file.part, file.parts) {
        (Some(part), parts) if parts != 1 => format!("{noun}, {parts} {part}s, {chars} characters"),
        _ => format!("{noun}, {chars} characters"),
    };
    if let Some(problem) = &file.problem {
        return format!("[The file \"{name}\" was sent along; it could not be read. {problem}]");
    }
    let more = format!("read_attachment with file \"{name}\"");
    let Some(text) = text else {
        let how = if reads { format!(" Read it with {more}.") } else { String::new() };
        return format!(
            "[The file \"{name}\" ({size}) was sent along here; its text is not shown any more.{how}]"
        );
    };
    let whole = file.read_chars >= *chars;
    let note = match (whole, reads) {
        (true, _) if file.cut => "This is as much of it as can be read.".to_owned(),
        (true, _) => "This is all of it.".to_owned(),
        (false, true) => format!("{} Read the rest with {more} and offset {}.", shown(file), file.read_chars),
        (false, false) => format!("{} The rest is not shown; say so if it matters.", shown(file)),
    };
    let text = text.replace(END, "<\u{2215}file");
    format!("<file name=\"{name}\" about=\"{size}\">\n[{note}]\n{text}\n</file>")
}

/// Which part of a file follows.
fn shown(file: &AttachedFile) -> String {
    let AttachedFile { chars, parts, read_chars, read_parts, .. } = file;
    match &file.part {
        Some(part) if *parts > 1 && *read_parts == 1 => {
            format!("Only the beginning of {part} 1 of {parts} follows.")
        }
        Some(part) if *parts > 1 => {
            format!("Only the first {read_parts} of {parts} {part}s follow, the last one not whole.")
        }
        _ => format!("Only the first {read_chars} of {chars} characters follow."),
    }
}

#[cfg(test)]
#[path = "file_text_tests.rs"]
mod tests;
