use super::*;
use engine::Error;

#[test]
fn every_error_of_the_engine_has_its_status_and_code() {
    let table = [
        (Error::NotFound("session"), 404, "not_found"),
        (Error::Invalid { code: "bad_name", detail: "no".to_owned() }, 400, "bad_name"),
        (Error::Conflict { code: "name_taken", detail: "no".to_owned() }, 409, "name_taken"),
        (Error::IdempotencyMismatch, 422, "idempotency_mismatch"),
        (Error::TooLarge("no".to_owned()), 413, "too_large"),
        (Error::QueueFull, 429, "queue_full"),
        (Error::ShuttingDown, 503, "shutting_down"),
        (Error::Store(store::Error::Busy), 503, "unavailable"),
        (Error::Store(store::Error::Unavailable("disk".to_owned())), 503, "unavailable"),
        (Error::Store(store::Error::ReadOnly("standby".to_owned())), 503, "unavailable"),
        (Error::Store(store::Error::Uncertain("cut".to_owned())), 503, "unavailable"),
        (Error::Store(store::Error::NewerMasterKey { version: 2 }), 503, "unavailable"),
        (Error::Store(store::Error::BadCursor), 400, "bad_cursor"),
        (Error::Store(store::Error::NotFound), 404, "not_found"),
        (Error::Store(store::Error::Database("secret".to_owned())), 500, "internal"),
        (Error::Internal, 500, "internal"),
    ];
    for (error, status, code) in table {
        let shown = error.to_string();
        let problem = Problem::from(error);
        assert_eq!((problem.status.as_u16(), problem.code), (status, code), "{shown}");
        let later = matches!(status, 429 | 503);
        assert_eq!(problem.into_response().headers().contains_key(header::RETRY_AFTER), later, "{shown}");
    }
}

#[test]
fn what_the_database_says_stays_inside() {
    for inner in [store::Error::Database("secret".to_owned()), store::Error::Unavailable("secret".to_owned())]
    {
        assert!(!Problem::from(inner).detail.contains("secret"));
    }
}
