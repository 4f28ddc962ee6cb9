use crate::support::{Answer, House, Options, PASSWORD};
use domain::UserRole;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::{future::ready, net::Ipv4Addr, time::Instant};
use tokio::sync::Notify;

const HOUR: i64 = 3_600_000;

#[tokio::test]
async fn signing_in_and_out() {
    let house = House::new().await;
    let first = house.resident("Grace", UserRole::Member).await;
    let second = house.sign_in("grace").await;
    assert_ne!(first.cookie, second.cookie);
    let out = first.call("POST", "/v1/logout").send().await;
    assert_eq!((out.status, out.header("set-cookie").starts_with("sid=; Path=/; Max-Age=0")), (204, true));
    first.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
    // A browser that signs in again gives up what it had.
    let body = json!({ "name": "Grace", "password": PASSWORD });
    second.call("POST", "/v1/login").json(&body).send().await.expect(200);
    second.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
}

#[tokio::test]
async fn nobody_learns_who_lives_here() {
    let house = House::new().await;
    house.resident("Grace", UserRole::Member).await;
    let mut answers = Vec::new();
    // Ada has no password.
    for (name, password) in [("Grace", "wrong password"), ("Nobody", PASSWORD), ("Ada", PASSWORD)] {
        let before = house.engine.people().password_operations();
        let answer = house.try_sign_in(name, password).await;
        assert_eq!(house.engine.people().password_operations() - before, 1, "{name}");
        answers.push((answer.status, answer.bytes));
    }
    assert!(answers[0].0 == 401 && answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
}

#[tokio::test]
async fn guessing_is_slowed_down_whether_anybody_has_the_name_or_not() {
    let house = House::new().await;
    house.resident("Grace", UserRole::Member).await;
    for name in ["Grace", "Nobody"] {
        // There is one more attempt every six seconds, which may come right behind the first refusal.
        let mut refused = None;
        for _ in 0..5 {
            refused_in_the_end(|| house.try_sign_in(name, "wrong password")).await;
            let answer = house.try_sign_in(name, PASSWORD).await;
            let over = answer.status == 429;
            refused = Some(answer);
            if over {
                break;
            }
        }
        let refused = refused.unwrap();
        assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
        refused.refused(429, "too_many_attempts");
    }
}

#[tokio::test]
async fn a_flood_of_logins_is_sent_away_while_others_are_served() {
    let house = House::new().await;
    let attempt = |n: u32| {
        let body = json!({ "name": format!("name {n}"), "password": "wrong password" });
        tokio::spawn(house.anonymous("POST", "/v1/login").json(&body).send())
    };
    let begun = Instant::now();
    let flood: Vec<_> = (0..100).map(attempt).collect();
    house.call("GET", "/v1/me").send().await.expect(200);
    let mut checked = 0;
    for answer in flood {
        let answer = answer.await.unwrap();
        match answer.status {
            401 => checked += 1,
            429 => assert!(answer.header("retry-after").parse::<u32>().unwrap() > 0),
            other => panic!("{other}"),
        }
    }
    // An address has thirty attempts, and one more every two seconds that the flood takes.
    let most = 31 + begun.elapsed().as_secs() / 2;
    assert!((1..=most).contains(&checked), "{checked}");
    assert_eq!(house.engine.people().password_operations(), checked);
}

#[tokio::test]
async fn where_one_is_signed_in_is_listed_and_ended() {
    let house = House::new().await;
    let (here, there) = (house.resident("Grace", UserRole::Member).await, house.sign_in("Grace").await);
    let other = house.resident("Eve", UserRole::Admin).await;
    let list = async || here.call("GET", "/v1/logins").send().await.expect(200)["items"].clone();
    let logins = list().await;
    let current: Vec<_> = logins.as_array().unwrap().iter().map(|login| &login["current"]).collect();
    assert_eq!(current, [&json!(false), &json!(true)], "the newest first");
    assert_eq!(logins[0]["address"], "127.0.0.1");
    let path = format!("/v1/logins/{}", logins[0]["id"].as_str().unwrap());
    other.call("DELETE", &path).send().await.refused(404, "not_found");
    there.call("GET", "/v1/me").send().await.expect(200);
    assert_eq!(here.call("DELETE", &path).send().await.status, 204);
    there.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
    assert_eq!(list().await.as_array().unwrap().len(), 1);
}

/// THREAT[login-05]
#[tokio::test]
async fn no_login_with_the_old_password_outlives_the_new_one() {
    // So slow that those who wait in line are still there when the password has changed.
    let house = House::with(Options { password_memory: Some(8_192), ..Options::default() }).await;
    let grace = house.resident("Grace", UserRole::Member).await;
    let before = house.engine.people().password_operations();
    let change = json!({ "old": PASSWORD, "new": "another one" });
    let change = tokio::spawn(grace.call("POST", "/v1/me/password").json(&change).send());
    // The old password was found right, and the new one is being hashed.
    while house.engine.people().password_operations() < before + 2 {
        tokio::task::yield_now().await;
    }
    let body = json!({ "name": "Grace", "password": PASSWORD });
    let attempt = |_| tokio::spawn(house.anonymous("POST", "/v1/login").json(&body).send());
    let attempts: Vec<_> = (0..8).map(attempt).collect();
    assert_eq!(change.await.unwrap().status, 204);
    for attempt in attempts {
        let answer = attempt.await.unwrap();
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        match answer.status {
            200 => drop(
                house
                    .anonymous("GET", "/v1/me")
                    .header("cookie", &cookie)
                    .send()
                    .await
                    .refused(401, "unauthorized"),
            ),
            _ => drop(answer.refused(401, "bad_credentials")),
        }
    }
    grace.call("GET", "/v1/me").send().await.expect(200);
}

#[tokio::test]
async fn a_login_ends_unused_and_ends_in_any_case() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    for _ in 0..65 {
        house.clock.advance(11 * HOUR);
        assert_eq!(grace.call("GET", "/v1/me").send().await.status, 200);
    }
    house.clock.advance(11 * HOUR);
    grace.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
    let grace = house.sign_in("Grace").await;
    house.clock.advance(12 * HOUR);
    grace.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_new_password_takes_the_old_one_and_ends_the_other_logins() {
    let house = House::new().await;
    let (here, there) = (house.resident("Grace", UserRole::Member).await, house.sign_in("Grace").await);
    let change = |old: &str, new: &str| {
        here.call("POST", "/v1/me/password").json(&json!({ "old": old, "new": new })).send()
    };
    change("wrong password", "another one").await.refused(403, "wrong_password");
    change(PASSWORD, "short").await.refused(400, "bad_password");
    there.call("GET", "/v1/me").send().await.expect(200);
    assert_eq!(change(PASSWORD, "another one").await.status, 204);
    here.call("GET", "/v1/me").send().await.expect(200);
    there.call("GET", "/v1/me").send().await.refused(401, "unauthorized");
    house.try_sign_in("Grace", PASSWORD).await.refused(401, "bad_credentials");
}

#[tokio::test]
async fn nonsense_is_named_and_secrets_are_not_repeated() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    let secret = "dont-tell-anybody";
    for path in ["/v1/login", "/v1/setup", "/v1/me/password", "/v1/me/confirm"] {
        for body in [
            json!({}),
            json!({ "name": null, "password": secret }),
            json!({ "name": "Grace", "password": [secret] }),
            json!({ "name": "Grace", "password": secret, "admin": true }),
        ] {
            let answer = grace.call("POST", path).json(&body).send().await;
            assert!(!String::from_utf8_lossy(&answer.bytes).contains(secret), "{path} {body}");
            assert_eq!(answer.status, 400, "{path} {body}");
        }
        let twice = r#"{"password":"one password","password":"another"}"#;
        assert_eq!(grace.call("POST", path).body("application/json", twice).send().await.status, 400);
    }
    grace.confirm().await;
    for path in ["/v1/login", "/v1/setup", "/v1/api-keys"] {
        let call = grace.call("POST", path).header("idempotency-key", "once").json(&json!({}));
        call.send().await.refused(409, "not_idempotent");
    }
}

/// Signs in as a browser behind our proxy would: from this address, with what it keeps.
async fn from(house: &House, address: &str, browser: Option<&str>, password: &str) -> Answer {
    let body = json!({ "name": "Grace", "password": password });
    let call = house.anonymous("POST", "/v1/login").header("x-forwarded-for", address).json(&body);
    match browser {
        Some(browser) => call.header("cookie", browser).send().await,
        None => call.send().await,
    }
}

/// The cookie that a browser keeps, whether somebody is signed in or not.
fn kept(answer: &Answer) -> String {
    let cookies = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
    let kept =
        cookies.filter_map(|cookie| cookie.split(';').next()).find(|cookie| cookie.starts_with("browser="));
    kept.unwrap().to_owned()
}

/// More than an address, a name or a known place has, with all that come back while they are used up.
pub const MANY_ATTEMPTS: u32 = 500;

/// Wrong passwords are tried until no more are allowed.
pub async fn refused_in_the_end(mut guess: impl AsyncFnMut() -> Answer) {
    for _ in 0..MANY_ATTEMPTS {
        let answer = guess().await;
        if !matches!(answer.status, 401 | 403) {
            answer.refused(429, "too_many_attempts");
            return;
        }
    }
    panic!("{MANY_ATTEMPTS} wrong passwords were tried, and the next one may be");
}

/// Somebody at this address guesses until no more is allowed.
async fn guessed_out(house: &House, address: &str) {
    refused_in_the_end(|| from(house, address, None, "wrong password")).await;
}

/// Guesses come from ever new addresses, many at once, for as long as this is waited for.
async fn guessed_from_everywhere(house: &House) {
    let guess = |number: u32| async move {
        from(house, &Ipv4Addr::from(number).to_string(), None, "wrong password").await
    };
    stream::iter(0x0a00_0000..).map(guess).buffer_unordered(16).for_each(|_| ready(())).await;
}

async fn who_guesses_keeps_nobody_out(house: House) {
    house.resident("Grace", UserRole::Member).await;
    let first = from(&house, "192.0.2.1", None, PASSWORD).await;
    let browser = kept(&first);
    first.expect(200);
    // From elsewhere, whoever that is: another address is not concerned.
    guessed_out(&house, "203.0.113.9").await;
    assert_eq!(from(&house, "198.51.100.7", None, PASSWORD).await.status, 200);
    // From everywhere at once: the address and the browser from which she has signed in are not concerned.
    let meanwhile = async {
        let mut refused = None;
        // Each from an address at which no other has tried anything.
        for stranger in 0..MANY_ATTEMPTS {
            let address = Ipv4Addr::from(0xcb00_7200 + stranger).to_string();
            let answer = from(&house, &address, None, PASSWORD).await;
            if answer.status != 200 {
                refused = Some(answer);
                break;
            }
        }
        let refused =
            refused.expect("strangers without number may sign in while guesses come from everywhere");
        refused.refused(429, "too_many_attempts");
        from(&house, "192.0.2.1", None, PASSWORD).await.expect(200);
    };
    tokio::select! {
        () = guessed_from_everywhere(&house) => unreachable!(),
        () = meanwhile => {}
    }
    // From her own address: the browser is not concerned, wherever it is carried.
    guessed_out(&house, "192.0.2.1").await;
    from(&house, "192.0.2.1", None, PASSWORD).await.refused(429, "too_many_attempts");
    let again = from(&house, "192.0.2.1", Some(&browser), PASSWORD).await;
    assert_eq!(kept(&again), browser, "it stays the same browser");
    again.expect(200);
    from(&house, "203.0.113.200", Some(&browser), PASSWORD).await.expect(200);
    // The control: what was not given out here opens nothing, and a known browser does not guess for ever.
    guessed_out(&house, "192.0.2.1").await;
    let forged = format!("browser={}", "a".repeat(43));
    from(&house, "192.0.2.1", Some(&forged), PASSWORD).await.refused(429, "too_many_attempts");
    refused_in_the_end(|| from(&house, "192.0.2.1", Some(&browser), "wrong password")).await;
    from(&house, "192.0.2.1", Some(&browser), PASSWORD).await.refused(429, "too_many_attempts");
}

/// Strangers without number, each with a name and an address of their own: more passwords than are checked. Says each time
/// that one of them was sent away.
async fn passwords_in_a_flood(house: &House, sent_away: &Notify) {
    let attempt = |number: u32| async move {
        let address = Ipv4Addr::from(number).to_string();
        let body = json!({ "name": format!("name {number}"), "password": "wrong password" });
        let call = house.anonymous("POST", "/v1/login").header("x-forwarded-for", &address).json(&body);
        let answer = call.send().await;
        if answer.status == 429 {
            answer.refused(429, "too_many_logins");
            sent_away.notify_one();
        }
    };
    stream::iter(0x0a00_0000..).map(attempt).buffer_unordered(60).for_each(|_| ready(())).await;
}

/// THREAT[login-06] The line in which passwords wait has room for a person from where they have signed in before.
async fn a_flood_of_passwords_keeps_nobody_out_who_is_known(house: House) {
    house.resident("Grace", UserRole::Member).await;
    let first = from(&house, "192.0.2.1", None, PASSWORD).await;
    let browser = kept(&first);
    first.expect(200);
    let sent_away = Notify::new();
    let meanwhile = async {
        // One of these may find the line with a place that has just come free; not each of them.
        for _ in 0..6 {
            sent_away.notified().await;
            from(&house, "198.51.100.7", Some(&browser), PASSWORD).await.expect(200);
        }
    };
    tokio::select! {
        () = passwords_in_a_flood(&house, &sent_away) => unreachable!(),
        () = meanwhile => {}
    }
}

/// Strangers at her address try more than may be tried from there, under ever new names.
async fn address_used_up(house: &House, address: &str) {
    let mut number = 0;
    let guess = async || {
        number += 1;
        let body = json!({ "name": format!("name {number}"), "password": "wrong password" });
        house.anonymous("POST", "/v1/login").header("x-forwarded-for", address).json(&body).send().await
    };
    refused_in_the_end(guess).await;
}

async fn who_guesses_keeps_nobody_who_is_in_from_proving_it(house: House) {
    let grace = house.resident("Grace", UserRole::Member).await;
    let prove = |path: &str, body: Value| {
        grace.call("POST", path).header("x-forwarded-for", "192.0.2.1").json(&body).send()
    };
    let confirm = |password: &str| prove("/v1/me/confirm", json!({ "password": password }));
    address_used_up(&house, "192.0.2.1").await;
    // The control: where she is, strangers may try nothing any more.
    address_used_up(&house, "192.0.2.1").await;
    assert_eq!(confirm(PASSWORD).await.status, 204);
    address_used_up(&house, "192.0.2.1").await;
    let new = json!({ "old": PASSWORD, "new": "another one" });
    assert_eq!(prove("/v1/me/password", new).await.status, 204);
    // The control: nor does who has her browser guess for ever.
    refused_in_the_end(|| confirm("wrong password")).await;
    confirm("another one").await.refused(429, "too_many_attempts");
}

#[tokio::test]
async fn who_guesses_keeps_nobody_who_is_in_from_proving_it_on_sqlite() {
    who_guesses_keeps_nobody_who_is_in_from_proving_it(House::with(behind_a_proxy()).await).await;
}

#[tokio::test]
async fn who_guesses_keeps_nobody_who_is_in_from_proving_it_on_postgres() {
    if let Some(house) = House::on_postgres(behind_a_proxy()).await {
        who_guesses_keeps_nobody_who_is_in_from_proving_it(house).await;
    }
}

fn behind_a_proxy() -> Options {
    // Over plain http, so that the cookies have their plain names.
    let public_url = Some("http://home.example".to_owned());
    Options {
        http: server::HttpSettings { public_url, ..server::HttpSettings::default() },
        ..Options::default()
    }
}

#[tokio::test]
async fn who_guesses_keeps_nobody_out_on_sqlite() {
    who_guesses_keeps_nobody_out(House::with(behind_a_proxy()).await).await;
}

#[tokio::test]
async fn who_guesses_keeps_nobody_out_on_postgres() {
    if let Some(house) = House::on_postgres(behind_a_proxy()).await {
        who_guesses_keeps_nobody_out(house).await;
    }
}

/// So slow that the line is full while it is looked at.
fn with_slow_passwords() -> Options {
    Options { password_memory: Some(8_192), ..behind_a_proxy() }
}

#[tokio::test]
async fn a_flood_of_passwords_keeps_nobody_out_who_is_known_on_sqlite() {
    a_flood_of_passwords_keeps_nobody_out_who_is_known(House::with(with_slow_passwords()).await).await;
}

#[tokio::test]
async fn a_flood_of_passwords_keeps_nobody_out_who_is_known_on_postgres() {
    if let Some(house) = House::on_postgres(with_slow_passwords()).await {
        a_flood_of_passwords_keeps_nobody_out_who_is_known(house).await;
    }
}
