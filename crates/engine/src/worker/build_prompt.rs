//! Builds the prompt of the open message: reads the conversation and its pictures, and has the crate `prompt` compose them.

use crate::{calls::system_functions::Function, store_retry::Patience, worker::Worker};
use capability::HookContext;
use domain::{SessionId, TurnId, User, UserId};
use prompt::{
    Background, Composed, Composer, FolderFiles, History, Names, Summary, bytes, provenance_label::Declared,
};
use provider::Model;
use std::sync::Arc;
use store::{DataKey, Tx, Vault, compactions::Compaction};
use turn::Input;

/// Messages that are read where they are asked for.
const FEW: u64 = 32;
/// What each step of a turn adds to those that were there when it began.
const STEP_MESSAGES: u64 = 2;

/// The conversation, and whose it is if that is wanted.
pub(crate) fn read(
    tx: &mut Tx,
    vault: &Vault,
    key: &DataKey,
    (user, session, turn): (UserId, SessionId, TurnId),
    bytes: u64,
    with_person: bool,
) -> store::Result<(History, Option<User>)> {
    let recent = store::messages::recent(tx, key, session, bytes, prompt::ROWS)?;
    let summary = recent.summary.map(summary_of);
    let mut history = History { summary, messages: recent.messages, complete: recent.complete };
    if history.begins_within(turn) {
        history.messages = store::messages::of_turn(tx, key, turn)?;
    }
    let person = match with_person {
        true => store::users::by_id(tx, vault, user)?,
        false => None,
    };
    Ok((history, person))
}

/// As much of a stored summary as the prompt needs.
fn summary_of(stored: Compaction) -> Summary {
    Summary { text: stored.summary, up_to_seq: stored.up_to_seq, label: stored.label }
}

impl Worker {
    /// Builds the prompt of the open message and tells the machine that it is ready.
    pub(crate) async fn build_prompt(&mut self) {
        let Ok(model) = self.asking.model.clone() else {
            // Asking will say what is wrong; there is no prompt to build for a model that does not exist.
            return self.heard.push_back(Input::PromptReady);
        };
        let mut patience = Patience::default();
        let composed = loop {
            match self.prompt(&model).await {
                Err(error) if patience.again(&self.turn.engine, &error).await => {}
                composed => break composed,
            }
        };
        match composed {
            Ok(composed) => {
                (self.window.room, self.window.crowded) = (composed.room, composed.crowded);
                self.asking.request = Some(composed.request);
                self.record.provenance = composed.provenance;
                self.hooks.complain(composed.failed);
                self.hooks.complain_of(composed.troubles);
                self.hooks.injection = composed.injection;
                self.heard.push_back(Input::PromptReady);
            }
            Err(error) => {
                tracing::warn!(%error, "the conversation could not be read; the turn is taken up again");
                self.lost = true;
            }
        }
    }

    async fn prompt(&mut self, model: &Model) -> store::Result<Composed> {
        let (key, vault) = (self.turn.key.clone(), self.turn.engine.store().vault().clone());
        let (user, session, turn) = (self.turn.session.user_id, self.turn.session.id, self.turn.turn_id);
        let (bytes, with_person) = (bytes(model), self.owner.person.is_none());
        let read = move |tx: &mut Tx| read(tx, &vault, &key, (user, session, turn), bytes, with_person);
        let store = self.turn.engine.store();
        let (history, person) = match self.is_short() {
            true => store.glance(read).await?,
            false => store.read(read).await?,
        };
        self.owner.person = person.or(self.owner.person.take());
        self.messages_received(&history.messages).await;
        let pictures = self.turn.engine.pictures(user, &self.turn.key, model, &history.messages).await?;
        let files = match self.turn.folder_with_files() {
            Some(folder) => {
                self.turn.engine.folder_files_for_model(user, &self.turn.key, model, folder).await?
            }
            None => FolderFiles::default(),
        };
        let knowledge = match self.turn.hears_knowledge() {
            true => {
                let (engine, version) = (&self.turn.engine, self.turn.session.keeping.knowledge_version);
                let known = engine.told_knowledge(user, &self.turn.key, version).await?;
                engine.knowledge_words(&known, model, engine.now())
            }
            false => String::new(),
        };
        let (hook_time, custom_prompt) =
            (self.turn.engine.inner.settings.prompt.hook_time, self.turn.engine.custom_prompt());
        let composer = Composer {
            agent: &self.turn.agent,
            resolved: &self.turn.resolved,
            model,
            custom_prompt: &custom_prompt,
            functions: &Function::lines(),
            hook_time,
            declared: Declared::of(&self.turn.session),
            narrowed: self.turn.session.narrowing.as_ref().map(|narrowing| narrowing.label),
            context: self.hook_context(),
            values: self.owner.placeholder_values(&self.turn),
            names: self.names(),
            background: self.background(files, knowledge),
            began: self.turn.session.created_at,
            shown: false,
        };
        Ok(composer.compose(history, &pictures).await)
    }

    /// Has the conversation so few messages that they are read sooner than another thread is woken for them?
    fn is_short(&self) -> bool {
        let steps = u64::from(self.record.state.step);
        self.turn.session.message_count.saturating_add(steps.saturating_mul(STEP_MESSAGES)) <= FEW
    }

    fn names(&self) -> Names {
        let person = self.owner.person.as_ref().map(|person| person.name.clone());
        Names { person, session: self.turn.title().map(|title| (title.to_owned(), self.turn.session.label)) }
    }

    /// What the person has written for more than this conversation.
    ///
    /// THREAT[chat-06] It is for the person's own agents: a prompt that answers whom a bridge speaks for holds none of it.
    fn background(&self, files: FolderFiles, knowledge: String) -> Background {
        if !self.turn.source.rules().hears_private {
            return Background::default();
        }
        let about_me = self.owner.person.as_ref().map(|person| person.about_me.clone()).unwrap_or_default();
        Background {
            about_me,
            folder: self.turn.session.keeping.folder.as_deref().cloned(),
            files,
            knowledge,
        }
    }

    /// What a hook is told, whatever the moment.
    pub(crate) fn hook_context(&self) -> HookContext {
        HookContext {
            user_id: self.turn.session.user_id,
            session_id: Some(self.turn.session.id),
            turn_id: self.turn.turn_id,
            agent_id: self.turn.agent.id,
            source: self.turn.source,
            step: self.record.state.step,
            at: self.turn.engine.now(),
            time_zone: self.owner.time_zone(),
            settings: Default::default(),
            messages: Arc::default(),
        }
    }
}
