//! Says what is in a file: `cargo run -p documents --example text_of -- FILE`.

use documents::{Limits, read};

fn main() -> std::process::ExitCode {
    let Some(path) = std::env::args().nth(1) else { return std::process::ExitCode::FAILURE };
    let Ok(bytes) = std::fs::read(&path) else { return std::process::ExitCode::FAILURE };
    match read(&bytes, &path, &Limits::default()) {
        Ok(document) => {
            println!(
                "{:?}, {} parts, {} signs, cut: {}",
                document.kind,
                document.parts.len(),
                document.chars(),
                document.cut
            );
            for part in document.parts {
                println!("=== {}\n{}", part.title.unwrap_or_default(), part.text);
            }
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}
