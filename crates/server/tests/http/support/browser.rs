//! A person who has signed in.

use super::{Call, Handshake, House};
use domain::{UserId, UserRole};
use engine::{LoginAttempt, NewPerson, Principal, UserChange, Whence};
use serde_json::json;
use std::net::SocketAddr;

pub const PASSWORD: &str = "correct horse battery staple";

/// Sends the cookie and the origin of our own page, as a browser does.
#[derive(Clone)]
pub struct Browser {
    address: SocketAddr,
    pub id: UserId,
    pub cookie: String,
}

impl Browser {
    pub fn call(&self, method: &str, path: &str) -> Call {
        self.bare(method, path).header("origin", &format!("http://{}", self.address))
    }

    /// With the cookie and nothing that says from where.
    pub fn bare(&self, method: &str, path: &str) -> Call {
        Call::tcp(self.address, method, path).header("cookie", &self.cookie)
    }

    pub fn handshake(&self) -> Handshake {
        let origin = format!("http://{}", self.address);
        Handshake::new(self.address, "/ws").header("cookie", &self.cookie).header("origin", &origin)
    }

    pub async fn confirm(&self) {
        let confirmed =
            self.call("POST", "/v1/me/confirm").json(&json!({ "password": PASSWORD })).send().await;
        assert_eq!(confirmed.status, 204);
    }
}

impl House {
    /// Somebody with a password who has signed in.
    pub async fn resident(&self, name: &str, role: UserRole) -> Browser {
        let password = Some(PASSWORD.to_owned());
        let new = NewPerson { name: name.to_owned(), role, password, time_zone: None };
        self.engine.people().create_person(new).await.unwrap();
        self.sign_in(name).await
    }

    /// A login that counts against no address: a test that needs many is not about guessing.
    pub async fn signed_in(&self, name: &str) -> Browser {
        let (name, password) = (name.to_owned(), PASSWORD.to_owned());
        let attempt = LoginAttempt { name, password, from: Whence::default() };
        let done = self.engine.people().login(attempt).await.unwrap();
        Browser { address: self.address, id: done.user.id, cookie: format!("sid={}", done.secret) }
    }

    /// Gives somebody who has none a password, and signs them in.
    pub async fn give_password(&self, name: &str) -> Browser {
        let user = self.engine.people().user_by_name(name.to_owned()).await.unwrap();
        let change = UserChange { password: Some(PASSWORD.to_owned()), ..UserChange::default() };
        self.engine.people().change_user(&self.operator().await, user.id, change).await.unwrap();
        self.sign_in(name).await
    }

    pub async fn sign_in(&self, name: &str) -> Browser {
        let answer = self.try_sign_in(name, PASSWORD).await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        let me = answer.expect(200);
        Browser { address: self.address, id: me["id"].as_str().unwrap().parse().unwrap(), cookie }
    }

    pub async fn try_sign_in(&self, name: &str, password: &str) -> super::Answer {
        let body = json!({ "name": name, "password": password });
        self.anonymous("POST", "/v1/login").json(&body).send().await
    }

    /// Whoever holds the control socket, as the owner.
    pub async fn operator(&self) -> Principal {
        Principal::operator(self.owner().await, UserRole::Owner)
    }
}
