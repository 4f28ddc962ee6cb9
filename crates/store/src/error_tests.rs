use super::Error;

#[test]
fn a_commit_whose_connection_is_cut_is_neither_done_nor_undone() {
    let cut = || sqlx::Error::Io(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
    let error = Error::of_commit(cut());
    assert!(matches!(error, Error::Uncertain(_)), "{error}");
    assert!(error.is_transient() && !error.is_undone(), "whoever asked may come back, and has to look");
    // The same cut before the commit has changed nothing.
    assert!(Error::from(cut()).is_undone());
    let error = Error::of_commit(sqlx::Error::Protocol("half an answer".to_owned()));
    assert!(matches!(error, Error::Uncertain(_)), "{error}");
}

/// What PostgreSQL says after a failover is a matter of time, not a failure.
#[test]
fn a_server_that_takes_no_changes_has_changed_nothing() {
    let error = Error::ReadOnly("cannot execute UPDATE in a read-only transaction".to_owned());
    assert!(error.is_undone() && error.is_transient());
    let error = Error::NewerMasterKey { version: 2 };
    assert!(error.is_transient() && !error.is_undone(), "trying again at once does not bring a key");
}
