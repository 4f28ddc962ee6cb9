use super::*;

fn markdown(text: &str, look: Look, width: usize) -> String {
    let mut markdown = Markdown::new(look);
    let mut shown = markdown.push(text, width);
    shown.push_str(&markdown.finish(width));
    shown
}

fn plain(text: &str, width: usize) -> String {
    markdown(text, Look::plain(), width)
}

const REPLY: &str = "\
# Soup\n\
Cook *slowly*, with **salt** and `OPENAI_API_KEY`; see [the book](https://example.org/a_b).\n\
\n\
- one\n\
- two with words that go on and on until the line is full\n\
\x20 - nested\n\
\x20   1. deeper\n\
- [x] done\n\
\n\
1. first\n\
\n\
2. second\n\
\n\
\x20  more of it\n\
> said\n\
> > twice\n\
\n\
| Name | Price |\n|:--|--:|\n| Leek 家 | 1.50 |\n| Salt | 12 |\n\
\n\
```rust\nfn main() {\n\n\tprintln!(\"**not bold**\");\n}\n```\n\
After.\n\
\n\
\x20   indented\n\
\n\
\x20   code\n\
\n\
Title\n\
-----\n\
[a]: https://example.org/a\n\
\n\
Seen[^1] and [a], line  \nbroken.\n\
\n\
[^1]: A note.\n\
***\n\
<b>raw</b> &amp; ~~gone~~ $a_1 + b_1$\n";

#[test]
fn a_reply_in_forty_columns() {
    let expected = "\
# Soup

Cook slowly, with salt and
`OPENAI_API_KEY`; see the book
(https://example.org/a_b).

• one
• two with words that go on and on until
  the line is full
  • nested
    1. deeper
☑ done

1. first
2. second

   more of it

│ said
│
│ │ twice

Name    │ Price
────────┼──────
Leek 家 │  1.50
Salt    │    12

  rust
    fn main() {

        println!(\"**not bold**\");
    }

After.

    indented

    code

## Title

[a]: https://example.org/a

Seen[^1] and [a], line
broken.

[^1] A note.

────────────────────────────────────────

<b>raw</b> & gone $a_1 + b_1$
";
    assert_eq!(plain(REPLY, 40), expected);
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [20, 40, 80] {
        let shown = plain(&format!("{REPLY}\n{}\n\n{}", "word ".repeat(60), "家".repeat(60)), width);
        for line in shown.lines().filter(|line| !line.contains("https") && !line.contains("println")) {
            let used = unicode_width::UnicodeWidthStr::width(line);
            assert!(used <= width, "{used} > {width}: {line}");
        }
    }
}

#[test]
fn however_it_is_cut_the_same_is_shown() {
    let corpus = [
        REPLY.to_owned(),
        format!("a\n\n* b\n\n\n* c\n- d\n```\nunclosed {REPLY}"),
        "~~~~\n```\n~~~\n~~~~ \n\n>a\nlazy\n\n>b\n".to_owned(),
        "x\r\n\r\n- y\r\n\r\nz".to_owned(),
    ];
    for text in corpus {
        let whole = plain(&text, 40);
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let mut parts = Markdown::new(Look::plain());
            let mut shown = parts.push(&text[..cut], 40);
            shown.push_str(&parts.push(&text[cut..], 40));
            shown.push_str(&parts.finish(40));
            assert_eq!(shown, whole, "cut at {cut}");
        }
        let mut letters = Markdown::new(Look::plain());
        let mut shown: String = text.chars().map(|letter| letters.push(&letter.to_string(), 40)).collect();
        shown.push_str(&letters.finish(40));
        assert_eq!(shown, whole, "letter by letter");
    }
}

#[test]
fn a_block_is_shown_as_soon_as_it_is_complete_and_code_by_lines() {
    let mut text = Markdown::new(Look::plain());
    assert_eq!(text.push("One", 40), "");
    assert_eq!(text.open(), "One");
    assert_eq!(text.push(" two.\n", 40), "");
    assert_eq!(text.push("\n", 40), "One two.\n");
    assert_eq!(text.push("```sh\n", 40), "\n  sh\n");
    assert_eq!(text.push("ls\nc", 40), "    ls\n");
    assert_eq!(text.push("d\n```\n", 40), "    cd\n");
    assert_eq!(text.push("- a\n- b\n\n", 40), "", "a list may go on");
    assert_eq!(text.push("End", 40), "");
    assert_eq!(text.push("\n", 40), "\n• a\n• b\n");
    assert_eq!(text.finish(40), "\nEnd\n");
    assert_eq!(text.push("Next\n\n", 40), "Next\n", "another text begins without a blank line");
}

#[test]
fn a_table_becomes_narrower_and_then_a_list() {
    let table = "| Name | What it is |\n|--|:-:|\n| leek | a vegetable that is long and green |\n";
    let expected = "\
Name │        What it is
─────┼─────────────────────────
leek │ a vegetable that is long
     │        and green
";
    assert_eq!(plain(table, 31), expected);
    let wide = format!("|{}\n|{}\n|{}\n", " h |".repeat(9), "--|".repeat(9), " words |".repeat(9));
    assert_eq!(plain(&wide, 40).lines().next(), Some("h: words"));
}

#[test]
fn colours_are_there_only_where_they_are_wanted() {
    let text = "**a** *b* `c` [d](https://e)\n";
    assert_eq!(
        markdown(text, Look::screen(true), 80),
        "\u{1b}[1ma\u{1b}[0m \u{1b}[3mb\u{1b}[0m \u{1b}[36mc\u{1b}[0m \u{1b}[4md\u{1b}[0m \u{1b}[2m(https://e)\u{1b}[0m\n"
    );
    assert_eq!(markdown(text, Look::screen(false), 80), "a b `c` d (https://e)\n");
}

/// THREAT[terminal]
#[test]
fn no_spelling_of_a_control_character_reaches_the_terminal() {
    let hostile = "\u{1b}[2J &#27;[2J &#x1b;]0;t&#7; &#x202e;x &#10;y";
    let table = format!("| {hostile} |\n|--|\n| {hostile} |");
    let texts = [
        hostile.to_owned(),
        format!("# {hostile}"),
        format!("`{hostile}`"),
        format!("```{hostile}\n{hostile}\n```"),
        format!("    {hostile}"),
        format!("<p {hostile}>\n"),
        format!("[{hostile}](<https://{hostile}>)"),
        format!("[{hostile}]: <https://{hostile}>"),
        format!("[^{hostile}]: x"),
        format!("- ```{hostile}\n  {hostile}"),
        table,
    ];
    for text in texts {
        let shown = plain(&text, 80);
        let is_hostile = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
        assert!(!shown.contains(is_hostile), "{text:?}: {shown:?}");
    }
}

/// What a model may write by mistake or be made to write; it is shown, and in little time.
#[test]
fn bad_input_takes_linear_time() {
    let texts = [
        "_".repeat(200_000),
        "> ".repeat(20_000),
        "- ".repeat(20_000),
        "    a\n\n".repeat(5_000),
        "a\n2. b\n".repeat(5_000),
        "- a\n\n* b\n".repeat(3_000),
        "[".repeat(50_000),
        format!("|{}\n|{}\n{}", "a|".repeat(10), "-|".repeat(10), "|b|c\n".repeat(3_000)),
        "x\n".repeat(100_000),
    ];
    let begun = std::time::Instant::now();
    for text in texts {
        let before = begun.elapsed();
        assert!(!plain(&text, 80).is_empty());
        println!("{:?}: {:?}", text.get(..10), begun.elapsed() - before);
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn words_alone_have_none_of_the_signs() {
    let text = "# Soup\n\nCook *slowly*, with **salt** and `a_b`.\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n- [x] done\n- [the book](https://example.org)\n";
    let words = words_alone(text).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words, "Soup Cook slowly, with salt and a_b. a b 1 2 done the book");
    assert_eq!(words_alone(&"x".repeat(1 << 20)).trim().len(), LOOKED_AT);
}
