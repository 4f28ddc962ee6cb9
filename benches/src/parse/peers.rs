//! What others need for the same text: HTML parsers, and the least that any parser must do.

use anyhow::{Context, Result};
use std::{hint::black_box, path::Path, process::Command};

/// Somebody who reads pieces of text.
pub struct Peer {
    pub name: &'static str,
    /// How much was found, so that nothing is optimised away.
    pub read: fn(&[&str]) -> usize,
}

pub const OURS: Peer = Peer { name: "markup", read: markup_reads };
pub const FLOOR: Peer = Peer { name: "memchr", read: memchr_reads };

/// Those that were built in: `--features peers`.
pub fn others() -> Vec<Peer> {
    #[cfg(feature = "peers")]
    return vec![
        Peer { name: "lol_html", read: html::lol_html_reads },
        Peer { name: "html5ever", read: html::html5ever_reads },
    ];
    #[cfg(not(feature = "peers"))]
    Vec::new()
}

fn markup_reads(pieces: &[&str]) -> usize {
    let mut told = 0;
    let mut parser = markup::Parser::new(markup::Options::default());
    for piece in pieces {
        parser.push(piece, |event| {
            black_box(&event);
            told += 1;
        });
    }
    parser.finish(|event| {
        black_box(&event);
        told += 1;
    });
    told
}

fn memchr_reads(pieces: &[&str]) -> usize {
    let found = pieces.iter().filter(|piece| memchr::memchr(b'<', black_box(piece.as_bytes())).is_some());
    found.count()
}

/// The speed of htmlparser2 in MB/s.
pub fn htmlparser2(text: &Path, size: usize) -> Result<f64> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    anyhow::ensure!(folder.join("node_modules/htmlparser2").is_dir(), "run scripts/setup-bench.sh");
    let output = Command::new("node")
        .current_dir(&folder)
        .arg("htmlparser2.mjs")
        .arg(text)
        .arg(size.to_string())
        .output()
        .context("there is no node")?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse()?)
}

#[cfg(feature = "peers")]
mod html {
    use html5ever::{
        tendril::StrTendril,
        tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
    };
    use lol_html::{HtmlRewriter, Settings, doc_text, element};
    use std::{cell::Cell, hint::black_box};

    const NAMES: &str = "todo,item,bash,websearch,ask,thinking,progress,link,copy,result,hml-prompt,response";

    /// Events, attributes and text, as ours gives them; nothing is rewritten.
    pub fn lol_html_reads(pieces: &[&str]) -> usize {
        let told = Cell::new(0);
        let settings = Settings::new()
            .append_element_content_handler(element!(NAMES, |element| {
                told.set(told.get() + 1 + element.attributes().len());
                black_box(element.tag_name());
                Ok(())
            }))
            .append_document_content_handler(doc_text!(|text| {
                told.set(told.get() + text.as_str().len());
                Ok(())
            }));
        let mut rewriter = HtmlRewriter::new(settings, |bytes: &[u8]| {
            black_box(bytes.len());
        });
        for piece in pieces {
            if rewriter.write(piece.as_bytes()).is_err() {
                return 0;
            }
        }
        if rewriter.end().is_err() { 0 } else { told.get() }
    }

    struct Count(Cell<usize>);

    impl TokenSink for Count {
        type Handle = ();

        fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
            black_box(&token);
            self.0.set(self.0.get() + 1);
            TokenSinkResult::Continue
        }
    }

    pub fn html5ever_reads(pieces: &[&str]) -> usize {
        let tokenizer = Tokenizer::new(Count(Cell::new(0)), TokenizerOpts::default());
        let input = BufferQueue::default();
        for piece in pieces {
            input.push_back(StrTendril::from(*piece));
            black_box(&tokenizer.feed(&input));
        }
        tokenizer.end();
        tokenizer.sink.0.get()
    }
}
