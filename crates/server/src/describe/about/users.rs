//! People, and how they prove who they are.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/setup", "The page behind the set-up link")
        .detail("The secret is in the part of the link after `#`, which browsers do not send to servers.")
        .also(|shape| shape.answer::<String>(200, "text/html")),
    About::new("POST", "/v1/setup", "Create the owner account and sign in")
        .detail("Needs the token of the set-up link: everything after its `#`. If several requests arrive at once, one succeeds.")
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
        .detail("The cookie lasts 30 days, and 12 hours without use. The answer is the same for a name that does not exist.")
        .codes(&["bad_credentials", "too_many_attempts", "too_many_logins"]),
    About::new("POST", "/v1/logout", "Sign out").codes(&["no_login"]),
    About::new("GET", "/v1/logins", "List where you are signed in").detail("Never paged."),
    About::new("DELETE", "/v1/logins/{id}", "Sign out one device").detail("Its connections end within seconds."),
    About::new("GET", "/v1/me", "Show the account that makes this request"),
    About::new("PATCH", "/v1/me", "Change your time zone, language, budget or what agents are told about you")
        .codes(&["bad_about_me", "bad_budget", "bad_language", "bad_time_zone"]),
    About::new("POST", "/v1/me/password", "Change your password")
        .detail("You are signed out everywhere else.")
        .codes(&["bad_password", "too_many_attempts", "too_many_logins", "wrong_password"]),
    About::new("POST", "/v1/me/confirm", "Confirm your password")
        .detail("For five minutes this sign-in may then give more rights: change accounts, create full API keys.")
        .codes(&["no_login", "too_many_attempts", "too_many_logins", "wrong_password"]),
    About::new("GET", "/v1/users", "List the accounts").detail("Never paged."),
    About::new("POST", "/v1/users", "Add an account")
        .detail("The agent `main` is created with it.")
        .codes(&["bad_name", "bad_password", "bad_time_zone", "too_many_logins", "user_exists"]),
    About::new("PATCH", "/v1/users/{id}", "Change the name, role, password or budget of a person")
        .detail("A new role or password signs the person out everywhere and stops their running replies.")
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
    About::new("DELETE", "/v1/users/{id}", "Remove a person with everything they have")
        .detail("They are signed out at once, their agents are stopped, and all their data is deleted.")
        .codes(&["cannot_remove", "owner_untouchable", "user_busy"]),
    About::new("GET", "/v1/audit", "List what was done and by whom, the newest first")
        .detail("Your own entries; admins see those of all people, or of `user_id`."),
    About::new("GET", "/v1/setup", "Is there an owner account?"),
    About::new("GET", "/v1/account-links", "List invitations and password links that can still be used"),
    About::new("POST", "/v1/account-links", "Invite a person, or let one choose a new password")
        .detail(
            "With `role`: the holder of the link creates an account with a name and a password of their own. With `user_id`: the holder \
             chooses a new password for that account, and is signed out everywhere else. It works once, until it expires or is revoked.",
        )
        .codes(&["bad_account_link", "bad_expiry", "own_password", "owner_untouchable", "too_many_links", "unknown_user"]),
    About::new("DELETE", "/v1/account-links/{id}", "Revoke an invitation or a password link"),
    About::new("POST", "/v1/join/look", "What is this link for?").codes(&["dead_link", "too_many_attempts"]),
    About::new("POST", "/v1/join", "Use an invitation or a password link")
        .codes(&["bad_name", "bad_password", "dead_link", "too_many_attempts", "too_many_logins", "user_exists"]),
];
