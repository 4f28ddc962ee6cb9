use super::*;

#[test]
fn what_a_client_invents_becomes_no_label() {
    start();
    let begun = Instant::now();
    for name in ["BREW", "GET", "X-CANARY-4711"] {
        answered(&Method::from_bytes(name.as_bytes()).unwrap(), "/v1/me", 200, begun);
    }
    let stream = OpenStream::new("sse");
    let text = RECORDER.as_ref().unwrap().render();
    assert!(
        text.contains("majordomo_http_requests_total{method=\"other\",route=\"/v1/me\",status=\"200\"} 2"),
        "{text}"
    );
    assert!(text.contains("majordomo_http_request_seconds_bucket{route=\"/v1/me\",le=\"0.001\"}"), "{text}");
    assert!(text.contains("majordomo_streams_open{kind=\"sse\"} 1"), "{text}");
    assert!(!text.contains("CANARY"));
    drop(stream);
    let text = RECORDER.as_ref().unwrap().render();
    assert!(text.contains("majordomo_streams_open{kind=\"sse\"} 0"), "{text}");
}

#[test]
fn the_process_knows_its_own_size() {
    start();
    process::measure();
    let text = RECORDER.as_ref().unwrap().render();
    for name in ["process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"] {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        let value: f64 = line.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(value > 0.0, "{line}");
    }
}
