//! People.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/users", "The people of the house"),
    About::new("POST", "/v1/users", "Add a person").codes(&["bad_name", "bad_password", "user_exists"]),
];
