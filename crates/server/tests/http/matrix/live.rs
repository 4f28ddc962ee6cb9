//! Streams and WebSockets: a person can neither ask for another person's events nor receive them.

use super::{
    Tally,
    actor::Actor,
    victim::{SECRET, Victim},
};
use crate::support::{Events, House, Socket};
use serde_json::Value;

/// Messages that name something of the victim's are answered as if there were no such thing.
pub async fn foreign_frames(house: &House, actors: &[Actor], victim: &Victim, tally: &mut Tally) {
    for actor in actors.iter().filter(|actor| actor.can_listen()) {
        let own = actor.own_session(house, &victim.shared_agent).await;
        let mut socket = actor.handshake(house).open().await;
        for [foreign, unknown] in victim.frames(&own) {
            let answers = [socket.ask(&foreign).await, socket.ask(&unknown).await];
            tally.foreign += 1;
            let [one, other] = answers.clone().map(without_id);
            let status = one["status"].as_u64();
            if one != other || one["type"] != "problem" || !matches!(status, Some(400 | 403 | 404)) {
                tally.surprise(format!("/ws {foreign} as {}: {answers:?}", actor.name));
            }
        }
        // The control: with a session of their own the same works.
        socket.subscribe(&own, None).await;
    }
}

/// A refusal repeats the id that was asked for.
fn without_id(mut told: Value) -> Value {
    told.as_object_mut().unwrap().remove("session_id");
    told
}

struct Listener<'a> {
    actor: &'a Actor,
    events: Events,
    socket: Socket,
}

impl Listener<'_> {
    /// All that came, up to the news of this session.
    async fn hear_until(&mut self, session: &str) -> String {
        let mut heard = self.socket.hello.to_string();
        loop {
            let told = self.socket.next().await;
            heard.push_str(&told.to_string());
            if told["session_id"] == session {
                break;
            }
        }
        while self.events.next().await.unwrap().data["session_id"] != session {}
        heard.push_str(&self.events.raw);
        heard
    }
}

/// Everybody listens to everything they can while the victim speaks, and then does something themself: when they hear
/// of that, they have heard whatever came before it.
pub async fn overhearing(house: &House, actors: &[Actor], victim: &Victim, tally: &mut Tally) {
    let mut listeners = Vec::new();
    for actor in actors.iter().filter(|actor| actor.can_listen()) {
        let mut events = actor.get(house, "/v1/events/stream").events().await;
        events.until("snapshot").await;
        let socket = actor.handshake(house).open().await;
        listeners.push(Listener { actor, events, socket });
    }
    let mut own_ear = victim.browser.handshake().open().await;
    victim.speak().await;
    own_ear.until("notice").await;
    for listener in &mut listeners {
        let own = listener.actor.own_session(house, &victim.shared_agent).await;
        let heard = listener.hear_until(&own).await;
        tally.foreign += 1;
        let mut secrets = [&victim.session, &victim.turn, SECRET].into_iter();
        if secrets.any(|secret| heard.contains(secret)) {
            tally.surprise(format!("{} overhears: {heard}", listener.actor.name));
        }
    }
    assert!(listeners.len() > 20, "most can listen to something");
}
