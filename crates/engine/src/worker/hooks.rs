//! The moments of a turn at which hooks are run, and [`HookLog`], what came of them.

use crate::{claim::turn_context::TurnContext, worker::Worker};
use capability::{Execution, Hook, HookContext, HookResult, Moment, Response, Wish};
use domain::{AgentState, CallId, Event, EventBody, Message, Role, TurnError};
use prompt::{
    Injection, Trouble, response_parts,
    run_hook::{self, Failed, Work},
};
use provider::{ModelEvent, ProviderError};
use std::{collections::HashSet, future::Future, pin::Pin, sync::Arc};
use turn::Input;

type HookFuture<'a, T> = Pin<Box<dyn Future<Output = HookResult<T>> + Send + 'a>>;

/// What came of the hooks and abilities of one turn.
#[derive(Default)]
pub(crate) struct HookLog {
    /// Hooks that failed in this turn, and at which moment: they are not run again at that moment.
    muted: HashSet<(String, &'static str)>,
    /// What the session's log is told of them, with the next commit.
    pub(crate) complaints: Vec<TurnError>,
    /// What the model is told because a condition holds; the session's log is told with the next commit.
    pub(crate) injection: Injection,
    /// The `seq` of the newest message of a person that hooks were given.
    received: u64,
}

impl HookLog {
    /// A hook that failed is named in the session's log, and is not run again in the same turn at the moment at which it
    /// failed, or a slow one would slow down every word.
    pub(crate) fn complain(&mut self, failed: Vec<Failed>) {
        for failed in failed {
            if self.muted.insert((failed.capability.clone(), failed.moment.as_str())) {
                self.complaints.push(failed.error());
            }
        }
    }

    /// The same for abilities: said once a turn.
    pub(crate) fn complain_of(&mut self, troubles: Vec<Trouble>) {
        for trouble in troubles {
            if self.muted.insert((trouble.ability.clone(), "ability")) {
                self.complaints.push(trouble.error());
            }
        }
    }

    /// The session's log has been told everything.
    pub(crate) fn stored(&mut self) {
        self.complaints.clear();
        self.injection = Injection::default();
    }

    /// Runs every hook that wants this moment, in the agent's order, with the same thing to look at.
    async fn each<D, T>(
        &mut self,
        turn: &TurnContext,
        context: HookContext,
        (moment, data): (Moment, D),
        call: for<'a> fn(&'a dyn Hook, &'a HookContext, &'a D) -> HookFuture<'a, T>,
    ) -> Vec<T>
    where
        D: Clone + Send + Sync + 'static,
        T: Send + 'static,
    {
        let time = turn.engine.inner.settings.prompt.hook_time;
        let (mut given, mut failed) = (Vec::new(), Vec::new());
        for hook in run_hook::at(&turn.resolved.hooks, moment) {
            if self.muted.contains(&(hook.capability.clone(), moment.as_str())) {
                continue;
            }
            let data = data.clone();
            let work = move |hook: Arc<dyn Hook>, context: HookContext| -> Work<T> {
                Box::pin(async move { call(hook.as_ref(), &context, &data).await })
            };
            match run_hook::run(hook, moment, time, &context, work).await {
                Ok(value) => given.push(value),
                Err(failure) => failed.push(failure),
            }
        }
        self.complain(failed);
        given
    }
}

impl Worker {
    async fn each<D, T>(
        &mut self,
        moment: Moment,
        data: D,
        call: for<'a> fn(&'a dyn Hook, &'a HookContext, &'a D) -> HookFuture<'a, T>,
    ) -> Vec<T>
    where
        D: Clone + Send + Sync + 'static,
        T: Send + 'static,
    {
        let context = self.hook_context();
        self.hooks.each(&self.turn, context, (moment, data), call).await
    }

    fn has_hooks(&self, moment: Moment) -> bool {
        run_hook::at(&self.turn.resolved.hooks, moment).next().is_some()
    }

    /// What people have said in this turn since the last look.
    pub(crate) async fn messages_received(&mut self, messages: &[Message]) {
        if !self.has_hooks(Moment::UserMessageReceived) {
            return;
        }
        let (turn, heard) = (self.turn.turn_id, self.hooks.received);
        let is_new =
            |message: &&Message| message.role == Role::User && message.turn_id == turn && message.seq > heard;
        for message in messages.iter().filter(is_new) {
            self.hooks.received = message.seq;
            self.each(Moment::UserMessageReceived, message.clone(), |hook, context, message| {
                hook.user_message_received(context, message)
            })
            .await;
        }
    }

    /// The statuses among events that have just been stored.
    pub(crate) async fn statuses_changed(&mut self, events: &[Event]) {
        if !self.has_hooks(Moment::AgentStatusChanged) {
            return;
        }
        for event in events {
            if let EventBody::AgentStatus { state } = &event.body {
                self.status_changed(*state).await;
            }
        }
    }

    pub(crate) async fn status_changed(&mut self, state: AgentState) {
        self.each(Moment::AgentStatusChanged, state, |hook, context, state| {
            hook.agent_status_changed(context, *state)
        })
        .await;
    }

    pub(crate) async fn response_updated(&mut self, event: &Option<Result<ModelEvent, ProviderError>>) {
        let Some(Ok(ModelEvent::Text(text))) = event else { return };
        if self.has_hooks(Moment::ResponseUpdate) {
            self.each(Moment::ResponseUpdate, text.clone(), |hook, context, text| {
                hook.response_update(context, text)
            })
            .await;
        }
    }

    /// What the turn hears of an input that hooks may add to: a wish for another round comes before the end of the message,
    /// so that the machine knows of it when it decides how to go on.
    pub(crate) async fn after_hooks(&mut self, input: Input) -> Input {
        match &input {
            Input::ModelDone { .. } => {
                let wish = self.response_complete().await;
                self.asking.draft.duration = wish.duration;
                if wish.another_round {
                    self.heard.push_front(input);
                    return Input::RoundWanted;
                }
                input
            }
            Input::CallDone { call, .. } => {
                self.tool_executed(*call).await;
                input
            }
            _ => input,
        }
    }

    async fn response_complete(&mut self) -> Wish {
        let wanted = [Moment::ResponseComplete, Moment::PostProcess].map(|moment| self.has_hooks(moment));
        if wanted == [false, false] {
            return Wish::default();
        }
        let calls =
            self.asking.draft.text_calls.iter().chain(&self.asking.draft.calls).map(|call| call.name.clone());
        let response = Response { text: self.asking.draft.text.clone(), calls: calls.collect() };
        let complete = self
            .each(Moment::ResponseComplete, response.clone(), |hook, context, response| {
                hook.response_complete(context, response)
            })
            .await;
        let parts = response_parts(self.turn.agent.prompt_tree.as_deref(), &response.text);
        let processed = self
            .each(Moment::PostProcess, (response, parts), |hook, context, (response, parts)| {
                hook.post_process(context, response, parts)
            })
            .await;
        together(complete.into_iter().chain(processed))
    }

    async fn tool_executed(&mut self, call: CallId) {
        if !self.has_hooks(Moment::ToolExecuted) {
            return;
        }
        let (Some(planned), Some(outcome)) = (self.calls.calls.get(&call), self.calls.results.get(&call))
        else {
            return;
        };
        let execution = Execution {
            call_id: call,
            name: planned.name.clone(),
            arguments: planned.arguments.clone(),
            status: outcome.status,
            content: outcome.content.clone(),
        };
        let wishes = self
            .each(Moment::ToolExecuted, execution, |hook, context, execution| {
                hook.tool_executed(context, execution)
            })
            .await;
        // Another round follows every call anyway.
        let wish = together(wishes.into_iter());
        if let Some(outcome) = self.calls.results.get_mut(&call) {
            outcome.duration = wish.duration;
        }
    }
}

/// One hook that wants another round is enough; of several durations the last one counts.
fn together(wishes: impl Iterator<Item = Wish>) -> Wish {
    wishes.fold(Wish::default(), |all, wish| Wish {
        another_round: all.another_round || wish.another_round,
        duration: wish.duration.or(all.duration),
    })
}
