use super::*;
use crate::fixture::context;
use domain::{ReadText, UploadId};

const TEXT: &str =
    "[Page 1]\nThe kettle costs 240 Euro.\n\n[Page 2]\nÜBER die Pumpe, und noch einmal über sie.";

struct Shelf;

#[async_trait]
impl crate::ports::attachments::Attachments for Shelf {
    async fn names(&self) -> Result<Vec<String>, ToolError> {
        Ok(vec!["a.pdf".to_owned()])
    }

    async fn find(&self, name: &str) -> Result<Option<SentFile>, ToolError> {
        let text = ReadText {
            noun: "PDF".to_owned(),
            part: Some("page".to_owned()),
            chars: TEXT.chars().count() as u64,
            problem: (name == "locked.pdf").then(|| "It is locked.".to_owned()),
            ..ReadText::default()
        };
        let parts = vec![("Page 1".to_owned(), 0), ("Page 2".to_owned(), 37)];
        let id = UploadId::from_uuid(uuid::Uuid::nil());
        Ok((name != "b.pdf").then(|| SentFile { id, name: name.to_owned(), text, parts }))
    }

    async fn excerpt(&self, _: UploadId, from: u64, chars: u64) -> Result<String, ToolError> {
        Ok(TEXT.chars().skip(from as usize).take(chars as usize).collect())
    }
}

async fn run(arguments: Value) -> Result<Value, ToolError> {
    let mut context = context();
    context.ports = crate::Ports::default().with_attachments(Arc::new(Shelf));
    ReadAttachment.run(&context, arguments).await
}

#[tokio::test]
async fn a_file_is_read_from_a_part_on() {
    let whole = run(json!({ "file": "a.pdf" })).await.unwrap();
    assert_eq!((&whole["text"], &whole["parts"], &whole["part"]), (&json!(TEXT), &json!(2), &json!(1)));
    assert_eq!(whole.get("next_offset"), None);
    let second = run(json!({ "file": "a.pdf", "part": 2 })).await.unwrap();
    assert!(second["text"].as_str().unwrap().starts_with("[Page 2]"), "{second}");
    assert_eq!(second["part"], 2);
    let on = run(json!({ "file": "a.pdf", "offset": 46 })).await.unwrap();
    assert!(on["text"].as_str().unwrap().starts_with("ÜBER"), "{on}");
}

#[tokio::test]
async fn words_are_found_in_any_case() {
    let found = run(json!({ "file": "a.pdf", "find": "über" })).await.unwrap();
    let places = found["places"].as_array().unwrap();
    assert_eq!(places.len(), 2);
    assert_eq!((&places[0]["part"], &places[0]["offset"]), (&json!(2), &json!(46)));
    assert_eq!(run(json!({ "file": "a.pdf", "find": "nothing" })).await.unwrap()["places"], json!([]));
    assert!(run(json!({ "file": "a.pdf", "find": " " })).await.is_err());
}

#[tokio::test]
async fn what_is_not_there_says_what_is() {
    assert!(run(json!({ "file": "b.pdf" })).await.unwrap_err().to_string().contains("a.pdf"));
    assert!(run(json!({ "file": "a.pdf", "part": 3 })).await.unwrap_err().to_string().contains("2 parts"));
    assert!(run(json!({ "file": "locked.pdf" })).await.unwrap_err().to_string().contains("locked"));
}

/// What one answer leaves out, the next one begins with; none is longer than what a model is told of a result.
#[test]
fn a_file_read_from_answer_to_answer_has_no_gap() {
    let signs = ["\n", "\"", "\u{1}", "ü", "a"];
    let text: String = (0..90_000).map(|place| signs[place * place % 7 % signs.len()]).collect();
    let text_of =
        ReadText { noun: "text".to_owned(), chars: text.chars().count() as u64, ..ReadText::default() };
    let parts = (0..300).map(|part| (format!("Sheet \"{part}\" {}", "x".repeat(30)), part * 10)).collect();
    let id = UploadId::from_uuid(uuid::Uuid::nil());
    let file = SentFile { id, name: "a.txt".to_owned(), text: text_of, parts };
    let (mut read, mut answers) = (String::new(), 0);
    loop {
        let from = read.chars().count();
        let piece: String = text.chars().skip(from).take(EXCERPT as usize).collect();
        let answer = excerpt(&file, from as u64, &piece);
        let length = answer.to_string().chars().count();
        assert!(length <= ANSWER, "{length} characters");
        read += answer["text"].as_str().unwrap();
        answers += 1;
        match answer.get("next_offset") {
            Some(next) => assert_eq!(*next, read.chars().count()),
            None => break,
        }
    }
    assert_eq!(read, text);
    assert!(answers > 10, "{answers} answers");
}
