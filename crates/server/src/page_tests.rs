use super::*;

fn asked(name: HeaderName, value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
}

#[test]
fn a_packing_is_used_only_by_whoever_understands_it() {
    for (accepted, packing, expected) in [
        ("gzip, deflate, br", "br", true),
        ("gzip;q=1.0, BR;q=0.5", "br", true),
        ("gzip, br;q=0", "br", false),
        ("brotli", "br", false),
        ("", "gzip", false),
    ] {
        assert_eq!(accepts(accepted, packing), expected, "{accepted}");
    }
}

#[test]
fn what_is_known_is_recognised_by_its_tag() {
    let tag = tag(&[7; 32]);
    assert_eq!(tag, format!("\"{}\"", "07".repeat(16)));
    assert!(is_known(&tag, &asked(header::IF_NONE_MATCH, "\"old\", W/\"07070707070707070707070707070707\"")));
    assert!(!is_known(&tag, &asked(header::IF_NONE_MATCH, "\"old\"")));
    assert!(!is_known(&tag, &HeaderMap::new()));
}

#[test]
fn only_what_a_page_is_made_of_is_given_out() {
    assert_eq!(media("assets/index-1.js"), Some("text/javascript; charset=utf-8"));
    assert_eq!(media("assets/index-1.js.br"), None);
    assert_eq!(media("secret"), None);
}

/// Whatever a client reads, the file is the same.
#[tokio::test]
async fn a_client_that_reads_nothing_packed_gets_the_same_file() {
    use http_body_util::BodyExt as _;
    let bytes = async |response: Response| response.into_body().collect().await.unwrap().to_bytes();
    let plain = index(&HeaderMap::new()).expect("the page is built first: scripts/page.sh");
    let packed = index(&asked(header::ACCEPT_ENCODING, "gzip")).unwrap();
    assert!(!plain.headers().contains_key(header::CONTENT_ENCODING));
    assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip");
    assert_ne!(plain.headers()[header::ETAG], packed.headers()[header::ETAG]);
    let mut unpacked = Vec::new();
    GzDecoder::new(&bytes(packed).await[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(bytes(plain).await, unpacked);
}
