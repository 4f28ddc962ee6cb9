use super::*;

#[test]
fn a_span_has_the_form_of_the_wire() {
    let ended = EndedSpan {
        trace: 0xab,
        span: 0xcd,
        parent: Some(0xef),
        name: "turn",
        start: 1,
        end: 3,
        attributes: vec![("outcome", Value::Text("failed".to_owned())), ("input_tokens", Value::Number(7))],
    };
    let root = EndedSpan { parent: None, attributes: Vec::new(), ..ended.clone() };
    let json = traces(&[ended, root]);
    let spans = &json["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(
        spans[0],
        json!({
            "traceId": "000000000000000000000000000000ab", "spanId": "00000000000000cd", "parentSpanId": "00000000000000ef",
            "name": "turn", "kind": 1, "startTimeUnixNano": "1", "endTimeUnixNano": "3", "status": { "code": 2 },
            "attributes": [
                { "key": "outcome", "value": { "stringValue": "failed" } },
                { "key": "input_tokens", "value": { "intValue": "7" } },
            ],
        })
    );
    assert_eq!((spans[1].get("parentSpanId"), &spans[1]["status"]), (None, &json!({})));
}
