//! What a page costs: each hostile one is converted in a process of its own, whose peak is looked at.

use super::*;
use std::{
    process::Command,
    sync::{Mutex, PoisonError},
    thread,
};

/// What any page may cost beyond the page itself.
const MOST_KILOBYTES: u64 = 64 << 10;
const PAGE: &str = "PAGE_TO_WEIGH";
/// Without optimisation this takes long for the one page that has many bytes in each of its tags: there it is a quarter of it.
const SLOW_SHARE: usize = if cfg!(debug_assertions) { 4 } else { 1 };

/// A little more than what is looked at of any page.
const PAGE_BYTES: usize = 3 << 20;

fn filled(piece: &str) -> String {
    piece.repeat(PAGE_BYTES / piece.len())
}

/// A page that is made of tags is as heavy as it gets when it has more of them than are looked at.
fn tags(piece: &str) -> String {
    let opened = piece.matches('<').count() - piece.matches("</").count();
    let enough = slim::MOST_TAGS + slim::MOST_TAGS / 4;
    piece.repeat((enough / opened).min(PAGE_BYTES / piece.len()))
}

const PARAGRAPH: &str =
    "<p>Words enough for somebody to take this for the readable part of a page, with commas, and more.</p>";

type Hostile = (&'static str, fn() -> String);

fn hostile() -> Vec<Hostile> {
    vec![
        ("zeros", || filled("\0")),
        ("zeros in a paragraph", || format!("<p>{}</p>", filled("\0"))),
        ("controls", || filled("\u{1}\u{c}\u{1b}")),
        ("carriage returns", || filled("\r")),
        ("one word", || filled("a")),
        ("one word of many bytes", || filled("\u{10ffff}")),
        ("entities", || filled("&amp;")),
        ("unknown entities", || filled("&x;")),
        ("numbers of nothing", || filled("&#0;")),
        ("angles", || filled("<")),
        ("empty tags", || tags("<p>")),
        ("tags", || tags("<p>x</p>")),
        ("paragraphs", || filled(PARAGRAPH)),
        ("links", || tags("<a href=x>y</a>")),
        ("pictures", || tags("<img src=x alt=y>")),
        ("items", || tags("<ul><li>x</ul>")),
        ("depth", || format!("{}x", tags("<div>"))),
        ("depth of quotes", || format!("{}x", "<blockquote>".repeat(90)) + &filled("a\n")),
        ("rows", || format!("<table>{}", tags("<tr><td>x"))),
        ("one wide table", || format!("<table><tr>{}", tags("<td>x"))),
        ("a wide row and many", || {
            format!("<table><tr>{}{}", "<td>x".repeat(20_000), "<tr><td>y".repeat(30_000))
        }),
        ("attributes", || format!("<p {}>x", filled("a=b "))),
        ("kept attributes", || format!("<p {}>x", filled("class=b "))),
        ("angles in attributes", || {
            let piece = "<p class='>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>'>";
            piece.repeat(PAGE_BYTES / SLOW_SHARE / piece.len())
        }),
        ("tags and then words", || tags("<p>x</p>") + &filled("a")),
        ("a long address", || format!("<a href='{}'>x</a>", filled("b"))),
        ("a long title", || format!("<title>{}</title>{}", filled("b"), PARAGRAPH.repeat(20))),
        ("spans", || tags("<span>x</span>")),
        ("breaks", || tags("<br>")),
        ("backticks", || filled("`*_#\\")),
        ("code", || format!("<pre><code>{}</code></pre>", filled("`\n"))),
        ("formats", || tags("<b>x</b><i>y</i>")),
        ("comments", || filled("<!-- x -->")),
        ("a comment that never ends", || format!("<!--{}", filled("x"))),
    ]
}

/// The other half of the test below: does nothing, unless it is told which page to convert.
#[test]
fn a_page_is_weighed() {
    let Ok(name) = std::env::var(PAGE) else { return };
    let page = hostile().into_iter().find(|(known, _)| *known == name).map(|(_, page)| page()).unwrap();
    let before = kilobytes("VmHWM:");
    drop(markdown(&page, false));
    drop(text(&page, false));
    println!("weight {}", kilobytes("VmHWM:").saturating_sub(before));
}

fn kilobytes(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// EVERRUNS-28, THREAT[html-02]
#[cfg(target_os = "linux")]
#[test]
fn no_page_weighs_more_than_it_may() {
    let (left, heavy) = (Mutex::new(hostile()), Mutex::new(Vec::new()));
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work = || {
        while let Some((name, _)) = next() {
            let weight = weight_of(name);
            if weight > MOST_KILOBYTES {
                heavy.lock().unwrap().push(format!("{name}: {weight} KB"));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let heavy = heavy.into_inner().unwrap();
    assert!(heavy.is_empty(), "{heavy:#?}");
}

/// Kilobytes that a process of its own takes for this page.
#[cfg(target_os = "linux")]
fn weight_of(name: &str) -> u64 {
    let begun = std::time::Instant::now();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "html::weight_tests::a_page_is_weighed", "--nocapture"]).env(PAGE, name);
    let said = child.output().unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr);
    let weight = said.split("weight ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let weight: u64 = weight.unwrap_or_else(|| panic!("{name}: {said}")).parse().unwrap();
    println!("{name:<28} {weight:>8} KB {:>6} ms", begun.elapsed().as_millis());
    weight
}
