//! Hooks that note when they are run, and go wrong on demand.

use async_trait::async_trait;
use capability::{
    Capability, CapabilityInfo, Execution, Hook, HookContext, HookError, HookResult, Moment, Response, Wish,
};
use domain::{AgentState, Message, PromptNode};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

/// The capability `hooked`: runs at every moment.
#[derive(Clone, Default)]
pub struct Hooks {
    shared: Arc<Mutex<Script>>,
}

#[derive(Clone, Copy)]
pub enum Wrong {
    Fails,
    Panics,
    NeverReturns,
}

#[derive(Default)]
pub struct Script {
    /// What was heard, in order.
    pub heard: Vec<String>,
    pub wrong: HashMap<&'static str, Wrong>,
    /// How many further rounds it asks for.
    pub rounds: u32,
    /// Added to the end of the tree.
    pub adds: Option<PromptNode>,
    /// For results of tools.
    pub duration: Option<u32>,
}

impl Hooks {
    pub fn script(&self) -> MutexGuard<'_, Script> {
        self.shared.lock().unwrap()
    }

    pub fn heard(&self) -> Vec<String> {
        self.script().heard.clone()
    }

    async fn hear(&self, moment: Moment, what: &str) -> HookResult<()> {
        let name = moment.as_str();
        let wrong = {
            let mut script = self.script();
            script.heard.push(format!("{name} {what}").trim_end().to_owned());
            script.wrong.get(name).copied()
        };
        match wrong {
            None => Ok(()),
            Some(Wrong::Fails) => Err(HookError("it does not like this".to_owned())),
            Some(Wrong::Panics) => panic!("this hook was asked to panic"),
            Some(Wrong::NeverReturns) => std::future::pending().await,
        }
    }
}

impl Capability for Hooks {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("hooked", "Hooked", "Hooks for the tests.")
    }

    fn hooks(&self) -> Vec<Arc<dyn Hook>> {
        vec![Arc::new(self.clone())]
    }
}

#[async_trait]
impl Hook for Hooks {
    fn moments(&self) -> &'static [Moment] {
        &[
            Moment::UserMessageReceived,
            Moment::AgentStatusChanged,
            Moment::ProcessPrompts,
            Moment::FinalizePrompts,
            Moment::ResponseUpdate,
            Moment::ResponseComplete,
            Moment::ToolExecuted,
            Moment::PostProcess,
        ]
    }

    async fn user_message_received(&self, _: &HookContext, message: &Message) -> HookResult<()> {
        self.hear(Moment::UserMessageReceived, &message.content).await
    }

    async fn agent_status_changed(&self, _: &HookContext, state: AgentState) -> HookResult<()> {
        self.hear(Moment::AgentStatusChanged, &format!("{state:?}")).await
    }

    async fn process_prompts(
        &self,
        context: &HookContext,
        mut tree: Vec<PromptNode>,
    ) -> HookResult<Vec<PromptNode>> {
        self.hear(Moment::ProcessPrompts, &format!("step {}", context.step)).await?;
        tree.extend(self.script().adds.clone());
        Ok(tree)
    }

    async fn finalize_prompts(&self, _: &HookContext, tree: Vec<PromptNode>) -> HookResult<Vec<PromptNode>> {
        self.hear(Moment::FinalizePrompts, "").await?;
        Ok(tree)
    }

    async fn response_update(&self, _: &HookContext, new: &str) -> HookResult<()> {
        self.hear(Moment::ResponseUpdate, new).await
    }

    async fn response_complete(&self, _: &HookContext, response: &Response) -> HookResult<Wish> {
        self.hear(Moment::ResponseComplete, &response.text).await?;
        let mut script = self.script();
        let another_round = script.rounds > 0;
        script.rounds = script.rounds.saturating_sub(1);
        Ok(Wish { another_round, duration: None })
    }

    async fn tool_executed(&self, _: &HookContext, execution: &Execution) -> HookResult<Wish> {
        self.hear(Moment::ToolExecuted, &format!("{} {:?}", execution.name, execution.status)).await?;
        Ok(Wish { another_round: false, duration: self.script().duration })
    }

    async fn post_process(&self, _: &HookContext, _: &Response, parts: &[PromptNode]) -> HookResult<Wish> {
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        self.hear(Moment::PostProcess, &texts.join("|")).await?;
        Ok(Wish::default())
    }
}
