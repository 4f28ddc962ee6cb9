//! People, and how they prove who they are.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/setup", "The page behind the set-up link")
        .detail("The secret is in the fragment of the link, which no server sees.")
        .also(|shape| shape.answer::<String>(200, "text/html")),
    About::new("POST", "/v1/setup", "Create the owner and sign in")
        .detail("Takes the token of the set-up link: everything behind its `#`. Of several at once one succeeds.")
        .codes(&[
            "already_set_up",
            "bad_name",
            "bad_password",
            "bad_setup_token",
            "bad_time_zone",
            "too_many_attempts",
            "too_many_logins",
        ]),
    About::new("POST", "/v1/login", "Sign in")
        .detail("The cookie lasts 30 days, and 12 hours without use. The answer is the same for a name that nobody has.")
        .codes(&["bad_credentials", "too_many_attempts", "too_many_logins"]),
    About::new("POST", "/v1/logout", "Sign out").codes(&["no_login"]),
    About::new("GET", "/v1/logins", "Where one is signed in").detail("Never paged."),
    About::new("DELETE", "/v1/logins/{id}", "End a login").detail("What runs on it ends within seconds."),
    About::new("GET", "/v1/me", "The caller"),
    About::new("PATCH", "/v1/me", "Change one's time zone, language or budget")
        .codes(&["bad_budget", "bad_language", "bad_time_zone"]),
    About::new("POST", "/v1/me/password", "Change one's password")
        .detail("One's other logins end.")
        .codes(&["bad_password", "too_many_attempts", "too_many_logins", "wrong_password"]),
    About::new("POST", "/v1/me/confirm", "Prove once more who one is")
        .detail("For five minutes this login may widen rights: change people, make full keys.")
        .codes(&["no_login", "too_many_attempts", "too_many_logins", "wrong_password"]),
    About::new("GET", "/v1/users", "The people of the house").detail("Never paged."),
    About::new("POST", "/v1/users", "Add a person")
        .detail("Their agent `main` is made with them.")
        .codes(&["bad_name", "bad_password", "bad_time_zone", "too_many_logins", "user_exists"]),
    About::new("PATCH", "/v1/users/{id}", "Change somebody's name, role, password or budget")
        .detail("A new role or password ends their logins and what runs for them.")
        .codes(&[
            "bad_name",
            "bad_password",
            "one_owner",
            "bad_budget",
            "own_password",
            "own_role",
            "owner_untouchable",
            "too_many_logins",
            "user_exists",
        ]),
    About::new("DELETE", "/v1/users/{id}", "Remove somebody with everything they have")
        .detail("They are locked out at once, their agents are stopped, and all that is theirs is deleted.")
        .codes(&["cannot_remove", "owner_untouchable", "user_busy"]),
    About::new("GET", "/v1/audit", "What was done, by whom, newest first")
        .detail("One's own; for admins everybody's, or that of `user_id`."),
];
