use super::*;

/// HERO-95
#[test]
fn each_kind_shows_something_and_says_what_it_lacks() {
    let shows = |kind: &str, arguments: Value| {
        let ShownAssertion { element, result } = shown(kind, &arguments)?;
        let children: Vec<String> = element
            .children
            .iter()
            .map(|child| format!("{}: {}", child.attributes["status"], child.content))
            .collect();
        Ok::<_, String>((element.kind, Value::Object(element.attributes), element.content, children, result))
    };
    let none = Vec::<String>::new;
    assert_eq!(
        shows("response", json!({ "name": "r", "message": "Hello" })),
        Ok(("message", json!({}), "Hello".to_owned(), none(), json!({ "sent": true })))
    );
    assert_eq!(
        shows("thinking", json!({ "name": "Plan", "text": "First" })),
        Ok((
            "thinking",
            json!({ "title": "Plan" }),
            "First".to_owned(),
            none(),
            json!({ "displayed": true })
        ))
    );
    let external = json!({ "rendered": true, "mode": "external" });
    assert_eq!(
        shows("link", json!({ "url": "https://example.org/" })),
        Ok((
            "link",
            json!({ "href": "https://example.org/" }),
            "https://example.org/".to_owned(),
            none(),
            external
        ))
    );
    assert_eq!(
        shows("link", json!({ "mode": "clipboard", "text": "12 Station Road", "label": "Copy" })),
        Ok((
            "copy",
            json!({ "label": "Copy" }),
            "12 Station Road".to_owned(),
            none(),
            json!({ "rendered": true, "mode": "clipboard" })
        ))
    );
    let items = json!([{ "text": "Book", "status": "completed" }, "Pack", { "status": "done" }]);
    assert_eq!(
        shows("todo", json!({ "name": "Trip", "args": { "items": items } })),
        Ok((
            "todo",
            json!({ "title": "Trip" }),
            String::new(),
            ["\"completed\": Book", "\"pending\": Pack", "\"pending\": Untitled task"]
                .map(str::to_owned)
                .to_vec(),
            json!({ "total": 3, "pending": 2, "in_progress": 0, "completed": 1 })
        ))
    );
    for (said, share) in
        [(json!(30), 30.0), (json!(-5), 0.0), (json!(400), 100.0), (json!("NaN"), 0.0), (json!(null), 0.0)]
    {
        let made = shows("progress", json!({ "percentage": said })).unwrap();
        assert_eq!(
            (made.0, made.2.as_str(), made.4["percentage"].as_f64()),
            ("progress", "Progress", Some(share))
        );
    }
    for (kind, arguments, problem) in [
        ("response", json!({}), "response needs `message`"),
        ("thinking", json!({ "message": "" }), "thinking needs `message`"),
        ("link", json!({}), "link needs `url`"),
        ("link", json!({ "mode": "internal" }), "link with mode internal needs `messageId`"),
        ("link", json!({ "mode": "clipboard" }), "link with mode clipboard needs `text`"),
        ("todo", json!({ "items": "a" }), "todo needs `items`"),
    ] {
        assert_eq!(shown(kind, &arguments).unwrap_err(), problem);
    }
}

/// HERO-96
#[test]
fn operations_have_their_own_names_and_pipelines() {
    let label = |name: &str, pipeline: Option<&str>| OperationLabel {
        name: name.to_owned(),
        pipeline: pipeline.map(str::to_owned),
    };
    let block = "```json\n{\"left\": [{\"id\": \"a\", \"command\": \"bash\"}], \"right\": [{\"id\": \"b\", \"assertion\": \"todo\", \"name\": \"Plan\", \"items\": []}]}\n```";
    assert_eq!(operation_labels(block), [label("bash", Some("left")), label("Plan", Some("right"))]);
    let list = "```json\n[{\"id\": \"a\", \"assertion\": \"question\", \"name\": \"Colour\", \"message\": \"Which?\"}]\n```";
    assert_eq!(operation_labels(list), [label("Colour", None)]);
    assert_eq!(operation_labels("Hello"), []);
}
