use super::*;
use axum::http::HeaderValue;

fn form(kind: &str) -> Result<Multipart, Problem> {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap());
    Multipart::new(&headers)
}

const KIND: &str = "multipart/form-data; boundary=xyz";

/// Name, type and bytes of the file, or the code of the refusal.
type Read = Result<(String, Option<String>, Vec<u8>), &'static str>;

fn read_in(body: &[u8], size: usize) -> Read {
    let mut parser = form(KIND).unwrap();
    let (mut named, mut bytes, mut ended) = (None, Vec::new(), 0);
    for chunk in body.chunks(size) {
        for piece in parser.push(chunk).map_err(|problem| problem.code)? {
            match piece {
                Piece::File(file) => assert!(named.replace(*file).is_none()),
                Piece::Bytes(more) => bytes.extend(more),
                Piece::End => ended += 1,
            }
        }
        assert!(parser.buffer.len() <= HEAD_BYTES + size, "{} bytes are held", parser.buffer.len());
    }
    parser.finish().map_err(|problem| problem.code)?;
    assert_eq!(ended, 1);
    let Named { name, mime_type } = named.unwrap();
    Ok((name, mime_type, bytes))
}

/// Read in every size of chunk, which must be the same.
fn read(body: &[u8]) -> Read {
    let whole = read_in(body, body.len().max(1));
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(read_in(body, size), whole, "in pieces of {size}");
    }
    whole
}

fn file(head: &str, content: &[u8]) -> Vec<u8> {
    [b"--xyz\r\n".as_slice(), head.as_bytes(), b"\r\n\r\n", content, b"\r\n--xyz--\r\n"].concat()
}

const HEAD: &str =
    "Content-Disposition: form-data; name=\"file\"; filename=\"cat.png\"\r\nContent-Type: image/png";

#[test]
fn a_file_comes_through_however_it_is_cut() {
    let tricky = b"\r\n--xy\r\n--\r\n--xyy\r\n\r\n--xy z--".as_slice();
    for content in [b"".as_slice(), b"x", b"\r\n", b"--xyz", tricky, &[0; 5_000]] {
        let expected = Ok(("cat.png".to_owned(), Some("image/png".to_owned()), content.to_vec()));
        assert_eq!(read(&file(HEAD, content)), expected);
    }
}

#[test]
fn names_are_read_as_browsers_and_others_write_them() {
    for (written, name) in [
        (r#"form-data; filename="a b.txt"; name="file""#, "a b.txt"),
        (r#"form-data; name=file; filename=plain.txt"#, "plain.txt"),
        (r#"form-data; name="file"; filename="say \"hi\".txt""#, "say \"hi\".txt"),
        (r#"form-data; name="file"; filename="C:\ada\cat.png""#, r"C:\ada\cat.png"),
        (r#"form-data; name="a;filename=b"; filename="größe.txt""#, "größe.txt"),
        (r#"FORM-DATA; name="file"; FILENAME="""#, ""),
    ] {
        let found = read(&file(&format!("content-disposition: {written}"), b"x"));
        assert_eq!(found, Ok((name.to_owned(), None, b"x".to_vec())), "{written}");
    }
}

#[test]
fn what_is_no_form_is_refused() {
    for kind in [
        "application/json",
        "text/plain",
        "multipart/mixed; boundary=xyz",
        "multipart/form-datax; boundary=x",
    ] {
        assert_eq!(form(kind).unwrap_err().status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    let long = format!("multipart/form-data; boundary={}", "x".repeat(71));
    for kind in [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"x",
        &long,
        "multipart/form-data; boundary=a\u{7f}b",
    ] {
        let Ok(value) = HeaderValue::from_str(kind) else { continue };
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, value);
        assert_eq!(Multipart::new(&headers).unwrap_err().code, "bad_multipart", "{kind}");
    }
    let mut twice = HeaderMap::new();
    twice.append(header::CONTENT_TYPE, HeaderValue::from_static(KIND));
    twice.append(header::CONTENT_TYPE, HeaderValue::from_static("multipart/form-data; boundary=other"));
    assert_eq!(Multipart::new(&twice).unwrap_err().status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[test]
fn a_broken_form_is_refused() {
    let whole = file(HEAD, b"some bytes");
    for length in 0..whole.len() - 4 {
        assert!(read(&whole[..length]).is_err(), "cut after {length}");
    }
    let twice = format!("{HEAD}\r\nContent-Type: text/html");
    for (body, code) in [
        (br#"{"name":"cat.png","path":"/etc/passwd"}"#.to_vec(), "bad_multipart"),
        (b"--other\r\n\r\nx\r\n--other--".to_vec(), "bad_multipart"),
        (b"preamble\r\n--xyz\r\n".to_vec(), "bad_multipart"),
        (file("Content-Disposition: form-data; name=\"file\"", b"/etc/passwd"), "no_file"),
        (file("Content-Disposition: attachment; filename=\"x\"", b"x"), "no_file"),
        (file("Content-Type: image/png", b"x"), "no_file"),
        (file("nonsense", b"x"), "bad_multipart"),
        (file(&twice, b"x"), "bad_multipart"),
        (file(&format!("{HEAD}\r\nContent-Transfer-Encoding: base64"), b"eA=="), "bad_multipart"),
        (file(&format!("X: {}\r\n{HEAD}", "x".repeat(HEAD_BYTES)), b"x"), "bad_multipart"),
        ([b"--xyz\r\n".as_slice(), &[b'x'; 3 * HEAD_BYTES]].concat(), "bad_multipart"),
    ] {
        assert_eq!(read(&body), Err(code), "{}", String::from_utf8_lossy(&body[..body.len().min(200)]));
    }
}

#[test]
fn the_second_part_ends_it() {
    let part = format!("--xyz\r\n{HEAD}\r\n\r\nx\r\n");
    let body = format!("{}--xyz--\r\n", part.repeat(10_000));
    let mut parser = form(KIND).unwrap();
    let mut read = 0;
    let refused = body.as_bytes().chunks(100).find_map(|chunk| {
        read += chunk.len();
        parser.push(chunk).err()
    });
    assert_eq!(refused.unwrap().code, "one_file");
    assert!(read < 2 * part.len() + 100, "{read} bytes were read");
}
