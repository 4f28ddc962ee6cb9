//! The whole reply of a turn as one text: what each executed element came to stands where the element stood.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use domain::{CallId, DerivedFrom, Message, MessageKind, Part, ResultStatus, Role, TurnId, UserId};
use markup::{
    Options,
    batch::{ElementResult, with_results},
};
use prompt::call_feedback;
use std::collections::HashMap;
use store::{Tx, messages, turns};

impl Engine {
    /// What the agent said in a turn, with the results of its elements in their places.
    pub async fn reply(&self, user: UserId, turn: TurnId) -> Result<String> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| match turns::get(tx, &key, user, turn)? {
            Some(_) => messages::of_turn(tx, &key, turn).map(Some),
            None => Ok(None),
        };
        let said = self.store().read(read).await?.ok_or(Error::NotFound("turn"))?;
        let results = results(&said);
        let spoken = said.iter().filter(|message| message.role == Role::Assistant);
        let spoken = spoken.filter(|message| message.meta.kind != Some(MessageKind::Answer));
        let texts: Vec<String> = spoken.map(|message| in_place(message, &results)).collect();
        Ok(texts.into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n\n"))
    }
}

fn results(said: &[Message]) -> HashMap<CallId, (bool, String)> {
    let found = said.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
        Part::Result { call_id, status, content, .. } => {
            Some((*call_id, (*status == ResultStatus::Ok, call_feedback::result_of(content))))
        }
        _ => None,
    });
    found.collect()
}

fn in_place(message: &Message, results: &HashMap<CallId, (bool, String)>) -> String {
    let shown = message.meta.shown.as_deref().map(str::to_owned);
    let content = shown.unwrap_or_else(|| markup::answered(message));
    let Some(options) = message.markup.and_then(Options::of) else { return content };
    let made: HashMap<String, CallId> = DerivedFrom::of(message).calls.into_iter().collect();
    let elements = markup::elements(&content, options);
    let came: Vec<ElementResult<'_>> = elements
        .iter()
        .filter_map(|element| {
            let (ok, content) = results.get(made.get(&element.id.to_string())?)?;
            Some(ElementResult { id: element.id, ok: *ok, content })
        })
        .collect();
    with_results(&content, options, &came)
}
