//! What the messages of a client do.

use super::{
    client::{ClientMessage, TypedCommand},
    connection::Connection,
    told::{Ack, ServerMessage},
};
use crate::{problem::Problem, route::messages::Outgoing};
use axum::http::StatusCode;
use domain::{ApprovalId, QuestionId, SessionId};
use engine::{ApprovalAnswer, Start};

impl Connection {
    pub(super) async fn perform(
        &mut self,
        message: ClientMessage,
    ) -> Result<ServerMessage<'static>, Problem> {
        match message {
            ClientMessage::Subscribe { session_id, start } => self.subscribe(session_id, start).await,
            ClientMessage::Unsubscribe { session_id } => self.unsubscribe(session_id),
            ClientMessage::Send(outgoing) => self.send_message(outgoing).await,
            ClientMessage::Abort { session_id } => self.abort(session_id).await,
            ClientMessage::Command(typed) => self.command(typed).await,
            ClientMessage::QuestionResponse { question_id, answer } => self.answer(question_id, answer).await,
            ClientMessage::ApprovalResponse { approval_id, answer } => {
                self.approve(approval_id, answer).await
            }
            ClientMessage::Ping => Ok(ServerMessage::Pong),
        }
    }

    /// THREAT[ws-01] What a client may do was decided at the handshake, by its key; nothing it says later changes that.
    fn check_talk(&self) -> Result<(), Problem> {
        if self.caller.may_talk() {
            return Ok(());
        }
        let detail = "This API key may only read. Use a key with wider access to send messages.";
        Err(Problem::new(StatusCode::FORBIDDEN, "scope_insufficient", detail))
    }

    async fn subscribe(
        &mut self,
        session_id: SessionId,
        start: Start,
    ) -> Result<ServerMessage<'static>, Problem> {
        self.subscriptions.check_room(session_id)?;
        let reader = self.app.engine.follow(self.caller.user_id, session_id, start).await?;
        let cursor = Some(reader.cursor());
        self.subscriptions.add(session_id, reader);
        let session_id = Some(session_id);
        Ok(ServerMessage::Ack(Ack { of: "subscribe", session_id, cursor, ..Ack::default() }))
    }

    fn unsubscribe(&mut self, session_id: SessionId) -> Result<ServerMessage<'static>, Problem> {
        if !self.subscriptions.remove(session_id) {
            return Err(Problem::not_found("subscription"));
        }
        Ok(ServerMessage::Ack(Ack { of: "unsubscribe", session_id: Some(session_id), ..Ack::default() }))
    }

    async fn send_message(&mut self, outgoing: Outgoing) -> Result<ServerMessage<'static>, Problem> {
        self.check_talk()?;
        let (session_id, idempotency_key) = (Some(outgoing.session_id), outgoing.idempotency_key.clone());
        let message = outgoing.by(&self.caller)?;
        let place = self.app.overload.enter(self.app.running()).await?;
        let accepted = self.app.engine.accept(message).await?;
        drop(place);
        let turn_id = Some(accepted.turn_id);
        Ok(ServerMessage::Ack(Ack { of: "send", session_id, idempotency_key, turn_id, cursor: None }))
    }

    async fn answer(&mut self, id: QuestionId, answer: String) -> Result<ServerMessage<'static>, Problem> {
        self.check_talk()?;
        let question = self.app.engine.answer_question(self.caller.user_id, id, answer).await?;
        let (session_id, turn_id) = (Some(question.session_id), Some(question.turn_id));
        Ok(ServerMessage::Ack(Ack { of: "question_response", session_id, turn_id, ..Ack::default() }))
    }

    async fn command(&mut self, typed: TypedCommand) -> Result<ServerMessage<'static>, Problem> {
        self.check_talk()?;
        let TypedCommand { session_id, line, idempotency_key } = typed;
        let key = idempotency_key.clone();
        let (principal, source) = (&self.caller.principal, self.app.door.source());
        let place = self.app.overload.enter_for(&line, self.app.running()).await?;
        let answer = self.app.engine.command(principal, source, session_id, &line, key).await?;
        drop(place);
        Ok(ServerMessage::CommandResult { session_id, idempotency_key, answer: Box::new(answer) })
    }

    async fn approve(
        &mut self,
        id: ApprovalId,
        answer: ApprovalAnswer,
    ) -> Result<ServerMessage<'static>, Problem> {
        self.caller.check_decides()?;
        let approval = self.app.engine.answer_approval(&self.caller.principal, id, answer).await?;
        let (session_id, turn_id) = (Some(approval.session_id), Some(approval.turn_id));
        Ok(ServerMessage::Ack(Ack { of: "approval_response", session_id, turn_id, ..Ack::default() }))
    }

    async fn abort(&mut self, session_id: SessionId) -> Result<ServerMessage<'static>, Problem> {
        self.check_talk()?;
        let turn_id = self.app.engine.abort(self.caller.user_id, session_id, None).await?;
        Ok(ServerMessage::Ack(Ack { of: "abort", session_id: Some(session_id), turn_id, ..Ack::default() }))
    }
}
