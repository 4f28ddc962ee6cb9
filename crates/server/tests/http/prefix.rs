//! Behind a proxy with a path of its own: one that removes the path and one that leaves it are the same to us.

use crate::support::{Handshake, House, Options};
use server::HttpSettings;

async fn behind(public_url: &str) -> House {
    let http = HttpSettings { public_url: Some(public_url.to_owned()), ..HttpSettings::default() };
    House::with(Options { http, ..Options::default() }).await
}

#[tokio::test]
async fn every_door_opens_under_both_paths() {
    let house = behind("https://home.example/majordomo").await;
    for prefix in ["", "/majordomo"] {
        house.call("GET", &format!("{prefix}/v1/me")).send().await.expect(200);
        house.call("GET", &format!("{prefix}/api/me")).send().await.expect(200);
        assert_eq!(house.anonymous("GET", &format!("{prefix}/healthz")).send().await.status, 200);
        // Nobody gets past the door by naming the prefix.
        house.anonymous("GET", &format!("{prefix}/v1/me")).send().await.refused(401, "unauthorized");
        Handshake::new(house.address, &format!("{prefix}/ws")).key(&house.key).open().await;
    }
    let page = house.anonymous("GET", "/majordomo").send().await;
    assert_eq!(
        (page.status, page.header("location")),
        (308, "/majordomo/"),
        "what the page loads lies beside it"
    );
    assert_eq!(house.anonymous("GET", "/majordomo/").send().await.status, 200);
    let elsewhere = house.anonymous("GET", "/majordomo").without("host").header("host", "evil.example");
    elsewhere.send().await.refused(421, "misdirected");
    house.call("GET", "/majordomo/majordomo/v1/me").send().await.refused(404, "unknown_route");
    // The control: where no path was set, it is a path like any other.
    House::new().await.call("GET", "/majordomo/v1/me").send().await.refused(404, "unknown_route");
}
