//! What a person says to an agent that waits for them: an answer, or the reason of a no. It may be pasted like any message.

use crate::{
    permission::laundering::{PROMPT, world},
    world::{World, until_type},
};
use domain::{ApprovalDecision, CapabilityRef, EnvelopeBody, EventBody, Label, MarkupMode, RuleScope};
use engine::{ApprovalAnswer, Start};
use serde_json::json;
use testkit::model::Reply;

impl World {
    /// The agent asks something, and this is the answer.
    pub async fn is_answered(&self, words: &str) {
        self.model.script(Reply::text("<ask>Which colour?</ask>"));
        self.model.script(Reply::text("Noted."));
        let mut reader = self.follow(Start::Now).await.unwrap();
        let accepted = self.post("Paint it").await;
        let events = until_type(&mut reader, "question_prompt").await;
        let Some(EnvelopeBody::Durable(EventBody::QuestionPrompt { question, .. })) =
            events.last().map(|event| &event.body)
        else {
            panic!("{events:?}")
        };
        let (user, id, words) = (self.user, question.id, words.to_owned());
        self.house
            .on(move |engine| async move { engine.answer_question(user, id, words).await })
            .await
            .unwrap();
        self.ended(accepted).await;
    }

    /// The agent wants to call something, and is told no for this reason.
    pub async fn is_denied(&self, reason: &str) {
        self.equip(["workshop", "doors"].map(CapabilityRef::from).to_vec()).await.unwrap();
        self.model.script(Reply::calls([("knock", json!({}))]));
        self.model.script(Reply::text("Noted."));
        let mut reader = self.follow(Start::Now).await.unwrap();
        let accepted = self.post("Knock").await;
        let events = until_type(&mut reader, "approval_request").await;
        let Some(EnvelopeBody::Durable(EventBody::ApprovalRequest { approval, .. })) =
            events.last().map(|event| &event.body)
        else {
            panic!("{events:?}")
        };
        let (who, id) = (self.me(), approval.id);
        let (decision, scope) = (ApprovalDecision::Deny, RuleScope::Once);
        let no = ApprovalAnswer {
            decision,
            scope,
            digest: approval.digest.clone(),
            reason: Some(reason.to_owned()),
        };
        self.house.on(move |engine| async move { engine.answer_approval(&who, id, no).await }).await.unwrap();
        self.ended(accepted).await;
    }
}

/// A person answers with a text that is too long to have been typed: it is others' from there on, also before any agent was
/// told of it.
#[tokio::test]
async fn a_long_answer_to_a_prompt_is_words_of_others() {
    for others in [true, false] {
        let world = world(MarkupMode::On).await;
        world.model.script(Reply::text(PROMPT));
        world.run("Ask me").await;
        let asked = world.said_by_agent().await;
        let answer = if others { "Dear Sir, ".repeat(300) } else { "blue".to_owned() };
        let (user, session, prompt) = (world.user, world.session, "c".to_owned());
        let edited = world.engine().answer_prompt(user, session, asked.id, prompt, answer).await.unwrap();
        let label = if others { Label::WORST } else { Label::TRUSTED_PRIVATE };
        assert_eq!((edited.label, world.session().await.label), (label, label));
        assert_eq!(world.goes_outside("touch", json!({})).await.is_some(), others);
    }
}
