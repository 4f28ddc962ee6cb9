use super::*;

const PATIENCE: Duration = Duration::from_secs(1);

fn filled(now: Instant, messages: usize) -> Line {
    let mut line = Line::default();
    for place in 0..messages {
        assert!(line.line_up(now, PATIENCE).is_some(), "no place after {place}");
    }
    line
}

#[test]
fn the_line_ends_at_a_number() {
    let now = Instant::now();
    let mut line = filled(now, IN_LINE);
    assert!(line.line_up(now, PATIENCE).is_none());
}

#[test]
fn a_line_that_was_full_is_kept_short_for_a_while() {
    let now = Instant::now();
    let mut line = filled(now, IN_LINE);
    while line.came.len() > SHORT_LINE {
        line.came.pop_first();
    }
    assert!(line.line_up(now, PATIENCE).is_none(), "it was full just now");
    line.came.pop_first();
    assert!(line.line_up(now, PATIENCE).is_some(), "a short line is always there");
    // Afterwards so many may come at once again, however many were refused meanwhile.
    let later = now + KEPT_SHORT;
    for place in SHORT_LINE..IN_LINE {
        assert!(line.line_up(later, PATIENCE).is_some(), "no place after {place}");
    }
    assert!(line.line_up(later, PATIENCE).is_none());
}

/// Control: a line that was never full is long.
#[test]
fn a_burst_finds_a_place() {
    let now = Instant::now();
    let mut line = filled(now, IN_LINE - 1);
    line.came.pop_first();
    for _ in 0..2 {
        assert!(line.line_up(now, PATIENCE).is_some());
    }
}

#[test]
fn the_line_ends_where_the_oldest_has_waited_too_long() {
    let now = Instant::now();
    let later = now + PATIENCE + Duration::from_millis(1);
    let mut line = filled(now, MAY_WAIT);
    assert!(line.line_up(now + PATIENCE, PATIENCE).is_some(), "in time");
    assert!(line.line_up(later, PATIENCE).is_none());
    // The old ones are stored; the one that came later has not waited as long.
    while line.came.len() > 1 {
        line.came.pop_first();
    }
    for _ in 0..MAY_WAIT {
        assert!(line.line_up(later, PATIENCE).is_some());
    }
}

/// Control: a few messages wait for a slow disk as long as it takes.
#[test]
fn a_short_line_may_wait() {
    let now = Instant::now();
    let mut line = filled(now, MAY_WAIT - 1);
    assert!(line.line_up(now + PATIENCE * 60, PATIENCE).is_some());
}

#[tokio::test]
async fn a_place_is_given_back() {
    let (line, at_once) = (Arc::default(), Arc::new(Semaphore::new(1)));
    let overload = Overload { line, at_once, patience: PATIENCE, most_running: 7 };
    drop(overload.enter(6).await.unwrap_or_else(|_| panic!("there is a place")));
    assert!(locked(&overload.line).came.is_empty());
    assert!(overload.check(0).is_ok());
    assert!(overload.check(7).is_err() && overload.enter(7).await.is_err(), "what runs counts as well");
}
