use super::*;

const ARTICLE: &str = r#"<!doctype html><html><head><title>On boots</title><style>p { color: red }</style></head><body>
<nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
<article><h1>On boots</h1>
<p>Leather boots last for years, if somebody cares for them. Wet leather is dried slowly, away from every fire, and greased
when it is dry. Whoever hurries ruins what a cow has grown over years, and what a cobbler has sewn over days.</p>
<p>Rubber boots need none of that, and are thrown away after two winters. Which of both is <b>cheaper</b> depends on how long
somebody wants to walk; which of both is <a href="https://example.com/better">better</a> is no question at all, says the cobbler.</p>
<ul><li>grease &amp; wax</li><li>a brush</li></ul></article>
<footer>Imprint, privacy, careers</footer><script>alert("</p>")</script></body></html>"#;

#[test]
fn the_readable_part_becomes_markdown() {
    let words = markdown(ARTICLE, false);
    assert!(words.contains("Leather boots last for years"), "{words}");
    assert!(
        words.contains("[better](https://example.com/better)") && words.contains("**cheaper**"),
        "{words}"
    );
    for noise in ["Imprint", "alert", "color: red", "Shop"] {
        assert!(!words.contains(noise), "{noise} is in {words}");
    }
    assert!(markdown(ARTICLE, true).contains("Imprint"), "the whole page has its footer");
}

/// What a page is made of keeps its form, so that a model can read it.
#[test]
fn lists_tables_and_code_keep_their_form() {
    let page = r#"<h2>Prices</h2><table><tr><th>Boot</th><th>Euro</th></tr><tr><td>leather</td><td>90</td></tr></table>
<ol><li>first</li><li>second<ul><li>inner</li></ul></li></ol><pre><code class="language-sh">make run
  # two</code></pre>
<blockquote><p>said</p></blockquote><p>one<br>two <em>soft</em> <code>x_y</code> snake_case 2 * 3</p><p><img src="/p.png" alt="a boot"></p>"#;
    let words = markdown(page, true);
    for kept in [
        "## Prices",
        "| leather | 90 |",
        "1. first\n2. second\n    - inner",
        "```sh\nmake run\n  # two\n```",
        "> said",
        "one  \ntwo *soft* `x_y` snake\\_case 2 \\* 3",
        "![a boot](/p.png)",
    ] {
        assert!(words.contains(kept), "{kept:?} is not in {words}");
    }
}

#[test]
fn text_has_a_line_per_block_and_no_entities() {
    let words = text(ARTICLE, true);
    assert!(words.contains("- grease & wax\n- a brush"), "{words}");
    assert!(!words.contains('<') && !words.contains("alert"), "{words}");
    assert_eq!(text("<p>1 &lt; 2 and a<b>b</b> c</p>", true), "1 < 2 and ab c");
}

/// EVERRUNS-28, THREAT[html-01] The control: without the cap the same page is as deep as it says.
#[test]
fn deep_pages_are_made_shallow() {
    for (open, close) in
        [("<div>", "</div>"), ("<b><i>", ""), ("<x><div></x>", ""), ("<font id=1>", ""), ("<table>", "")]
    {
        let deep = format!("{}deepest{}", open.repeat(4_000), close.repeat(4_000));
        assert!(deepest(&deep) > 2_000 || open.contains("</"), "the attack is not deep");
        let slim = slim::slim(&deep);
        assert!(deepest(&slim) <= 400, "{open} is {} deep", deepest(&slim));
        let (words, plain) = (markdown(&deep, false), text(&deep, false));
        assert!(
            words.contains("deepest") || plain.contains("deepest") || deep.len() > 2 << 20,
            "{open}: {words:.200}"
        );
    }
}

/// How deep tags go when nothing is closed by itself.
fn deepest(html: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for tag in html.split('<').skip(1) {
        depth = if tag.starts_with('/') { depth.saturating_sub(1) } else { depth + 1 };
        most = most.max(depth);
    }
    most
}

#[test]
fn formats_that_are_never_closed_do_not_multiply() {
    let open: String = (0..1_000).map(|number| format!("<b id=b{number}>")).collect();
    let hostile = format!("{open}{}", "<p>x</p>".repeat(2_000));
    let slim = slim::slim(&hostile);
    assert_eq!(slim.matches("<b ").count(), 8);
    assert_eq!(
        slim.matches("<b ").count() + 992,
        hostile.matches("<b ").count(),
        "the control has all of them"
    );
    assert!(text(&hostile, true).contains('x'));
}

#[test]
fn every_tag_of_a_slim_page_is_ours() {
    for (hostile, slim) in [
        ("a < b <3 <", "a \u{e001} b \u{e001}3 \u{e001}"),
        ("<a href='x\"y<z>' onclick=evil()>w</a>", "<a href=\"x&quot;y\u{e001}z&gt;\">w</a>"),
        ("<!-- <b> --><i>x</i><!-- never ends <u>", "<i>x</i>"),
        ("<SCRIPT>if (a</b) {}</ScRiPt >after", "after"),
        ("<script>never ends <p>x", ""),
        ("<p title=<b>x</p>", "<p title=\"\u{e001}b\">x</p>"),
        ("<p / = =a class = 'c'>x", "<p class=\"c\">x"),
        ("<ä>x</ä>", "\u{e001}ä>x\u{e001}/ä>"),
    ] {
        assert_eq!(super::slim::slim(hostile), slim, "{hostile}");
    }
}

/// THREAT[html-03] No reference is left for a parser, and every sign is there again at the end.
#[test]
fn signs_are_themselves_again() {
    let page = "<p>1 &lt; 2 &amp;&amp; a &amp;amp; b < c &#38; d &copy; \u{e000}\u{e001}</p><a href='x?a=1&amp;b=2'>e</a>";
    assert!(!slim::slim(page).contains('&'), "{}", slim::slim(page));
    assert_eq!(text(page, true), "1 < 2 && a &amp; b < c & d ©\n\ne");
    let words = markdown(page, true);
    assert!(words.contains("1 < 2 && a &amp; b < c & d ©") && words.contains("(x?a=1&b=2)"), "{words}");
    assert_eq!(plain_text(page), "1 < 2 && a &amp; b < c & d © e");
}

proptest::proptest! {
    #[test]
    fn no_page_is_too_much(html in r#"(<(/?)(div|b|p|table|td|li|a href=x|svg|script|title|x)>|[a-z<>&"'=/ ä]|&amp;|<!--|-->){0,200}"#) {
        let _ = (markdown(&html, false), text(&html, false));
        let slim = slim::slim(&html);
        proptest::prop_assert_eq!(slim::slim(&slim).len() <= slim.len(), true);
    }
}
