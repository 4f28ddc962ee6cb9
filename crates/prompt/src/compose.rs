//! From what is stored to what is sent: read, tree, modifiers, hooks, messages, and everything within the window. The one
//! place where prompts are made, for the model and for the preview of what it would be told.

use crate::{
    attached::Pictures,
    conditions::{self, Injection},
    duration, fit_window, flatten,
    history::{self, History, weight},
    label::{
        known_addresses::KnownAddresses,
        provenance_label::{Declared, Provenance},
    },
    modifiers::{self, Modified},
    processes::{self, Trouble},
    run_hook::{self, Failed},
    section_order::{self, Background, CURRENT_TURN, HISTORY, Names, READ_ON},
    superseded_calls, token_count,
    transcript::{self, ToldMessage},
};
use capability::{HookContext, Moment, Resolved, Values};
use domain::{Agent, Label, Message, PromptNode, Role, StopReason, Timestamp, TurnId};
use provider::{Model, ModelRequest};
use std::{sync::Arc, time::Duration};

/// In the place of a conversation that has only begun.
const NOTHING_SAID: &str = "Nothing was said before.";

/// What a prompt is made from, besides the conversation.
pub struct Composer<'a> {
    pub agent: &'a Agent,
    pub resolved: &'a Resolved,
    pub model: &'a Model,
    pub custom_prompt: &'a str,
    /// What every agent may ask of the house in its text, each with a line about it.
    pub functions: &'a [(&'static str, &'static str)],
    pub hook_time: Duration,
    pub declared: Declared,
    /// Of what the maker of a subagent had read when it wrote the agent's instructions.
    pub narrowed: Option<Label>,
    pub context: HookContext,
    /// What placeholders stand for, but for the time.
    pub values: Values,
    /// Of those who talk here.
    pub names: Names,
    pub background: Background,
    /// When the session began.
    pub began: Timestamp,
    /// `true`: a person looks at the tree, also at the words of the conversation.
    pub shown: bool,
}

/// A prompt, and how it came about.
pub struct Composed {
    pub request: ModelRequest,
    pub tree: Vec<PromptNode>,
    /// What the nodes of the conversation stand for.
    pub told: Vec<ToldMessage>,
    /// Modifiers that could do nothing.
    pub idle: Vec<String>,
    pub failed: Vec<Failed>,
    /// Abilities that could do nothing.
    pub troubles: Vec<Trouble>,
    /// What was told because a condition held.
    pub injection: Injection,
    /// Tokens that the conversation may have in it, its summary included.
    pub room: u64,
    /// Something of the conversation had no room.
    pub crowded: bool,
    /// Of everything that the model is told, and of what hooks were shown: they may have repeated it in other words.
    pub provenance: Provenance,
}

impl Composed {
    /// What did not work, in words.
    pub fn warnings(&self) -> Vec<String> {
        let failed = self.failed.iter().map(|failed| failed.words());
        let troubles = self.troubles.iter().map(Trouble::words);
        self.idle.iter().cloned().chain(failed).chain(troubles).chain(self.injection.warnings()).collect()
    }
}

impl Composer<'_> {
    pub async fn compose(&self, history: History, pictures: &Pictures) -> Composed {
        let known =
            KnownAddresses::of(&history.messages, self.context.turn_id, self.declared, self.is_own_agent());
        let mut messages = duration::unexpired(history.messages);
        let supersedes = |name: &str| self.resolved.tool(name).is_some_and(|tool| tool.tool.supersedes());
        superseded_calls::shorten(&mut messages, supersedes);
        let (mut troubles, zone) = (Vec::new(), self.context.time_zone.as_str());
        processes::expand(&mut messages, self.resolved, (&self.values, zone), &mut troubles);
        let began = self.values.clone().set_at(self.began, zone);
        let startup = processes::startup(self.resolved, &began, &mut troubles);
        let mut injection = self.injection(&messages, &mut troubles).await;
        // What is told because of something carries its label, also when that itself no longer fits.
        let looked_at = injection.node.as_ref().map(|_| Provenance::of(&messages, self.declared));
        let mut history = History { messages, ..history };
        let summary = history.summary.as_ref().map(history::summary_node);
        let summarised = history.summary.as_ref().map(|summary| (summary.label, summary.up_to_seq));
        let (mut tree, modified) = self.stable_tree(startup.as_deref());
        let tools = if modified.tools_in_words { Vec::new() } else { self.resolved.specs() };
        let mut request = ModelRequest { messages: Vec::new(), tools, parameters: self.agent.parameters };

        let told = conditions::weight(self.model, injection.node.as_ref());
        let room = self.room(&request, &tree, &history.messages).saturating_sub(told);
        let room = modified.history_room.map_or(room, |most| room.min(most));
        let (turn, weigh) = (self.context.turn_id, |message: &Message| weight(message, self.model));
        let left = room.saturating_sub(self.weigh(summary.as_slice(), &[]));
        let cut = fit_window::shorten(&mut history.messages, left, turn, weigh);
        let (messages, left_out) = history.within(left, turn, weigh);
        let mut provenance = Provenance { known, ..Provenance::of(&messages, self.declared) };
        self.add_instructions(&mut provenance);
        self.add_what_is_behind(&mut provenance, looked_at, summarised);
        let reminders = section_order::reminders(self.agent, self.resolved, &messages, left_out);
        let unplaced = section_order::place(&mut tree, reminders);
        tree.extend(unplaced);
        let finished = messages.last().is_some_and(is_finished);
        let (tree, told, current, failed) = self
            .with_conversation(tree, &modified, (summary, injection.node.take()), messages, pictures)
            .await;

        // A person who looks at the tree wants to know what each of its nodes stands for.
        let shown = if self.shown { told.clone() } else { Vec::new() };
        request.messages = flatten::flatten(&tree, told, current);
        flatten::go_on(&mut request.messages, finished);
        request.messages.extend(flatten::last(&tree));
        let (idle, crowded) = (modified.idle, cut || left_out);
        Composed { request, tree, told: shown, idle, failed, troubles, injection, room, crowded, provenance }
    }

    /// What is the same in every call, after the agent's modifiers.
    fn stable_tree(&self, startup: Option<&str>) -> (Vec<PromptNode>, Modified) {
        let stable = section_order::Stable {
            agent: self.agent,
            resolved: self.resolved,
            custom_prompt: self.custom_prompt,
            names: &self.names,
            background: &self.background,
            functions: self.functions,
            time_zone: self.context.time_zone.as_str(),
            startup,
        };
        let mut tree = stable.tree();
        let modifiers = self.agent.prompt_tree.as_ref().map_or(&[][..], |tree| &tree.modifiers);
        let modified = modifiers::modify(&mut tree, modifiers, self.resolved);
        (tree, modified)
    }

    /// What conditions looked at, and what the summary was made of: neither may stand in the prompt itself.
    fn add_what_is_behind(
        &self,
        provenance: &mut Provenance,
        looked_at: Option<Provenance>,
        summarised: Option<(Label, u64)>,
    ) {
        if let Some(Provenance { label, private, untrusted, .. }) = looked_at {
            provenance.add(label, || private.clone().or(untrusted.clone()).unwrap_or_default());
        }
        if let Some((label, up_to)) = summarised {
            let what = || "the summary of earlier messages".to_owned();
            provenance.add(self.declared.label(label, up_to), what);
        }
    }

    fn is_own_agent(&self) -> bool {
        self.agent.user_id == self.context.user_id
    }

    /// What an agent is told by the person who made it: the one who uses it, or another.
    ///
    /// THREAT[label-03] The owner of a shared agent decides what it is told, also tomorrow: its user cannot declare that trusted.
    fn add_instructions(&self, provenance: &mut Provenance) {
        let mine = self.is_own_agent();
        let label = if mine { Label::TRUSTED_COMMON } else { Label::WORST };
        let whose = if mine {
            "the instructions of your agent"
        } else {
            "the instructions of another person's agent"
        };
        provenance.add(label, || whose.to_owned());
        // A title outlives the words that it was made of.
        if let Some((_, label)) = self.names.session {
            provenance.add(label, || "the name of this conversation".to_owned());
        }
        if self.background.is_told() {
            provenance
                .add(Label::TRUSTED_PRIVATE, || "what you wrote about yourself or for a folder".to_owned());
        }
        if !self.background.knowledge.is_empty() {
            provenance.add(Label::TRUSTED_PRIVATE, || "what your agents remember of you".to_owned());
        }
        if let Some(label) = self.background.files.label {
            provenance.add(label, || "a file of the folder".to_owned());
        }
        if let Some(label) = self.narrowed {
            provenance.add(self.declared.beginning(label), || "the instructions of a subagent".to_owned());
        }
    }

    /// The tree with the conversation in it, after the hooks have seen it. Where the current turn begins among what is
    /// told, too.
    async fn with_conversation(
        &self,
        mut tree: Vec<PromptNode>,
        modified: &Modified,
        (summary, conditions): (Option<PromptNode>, Option<PromptNode>),
        messages: Vec<Message>,
        pictures: &Pictures,
    ) -> (Vec<PromptNode>, Vec<ToldMessage>, usize, Vec<Failed>) {
        let hooks = &self.resolved.hooks;
        let mut context = self.context.clone();
        if !hooks.is_empty() {
            context.messages = Arc::new(messages.clone());
        }
        let turn = self.context.turn_id;
        let seen = self.shown || !hooks.is_empty();
        let reads = self.resolved.tool(READ_ON).is_some();
        let told =
            transcript::tell(messages, self.model.id(), &self.context.time_zone, pictures, reads, seen);
        let current = told.iter().position(|told| told.turn == turn).unwrap_or(told.len());
        let earlier = summary.into_iter().chain(nodes(&told, (0, current), seen)).collect();
        put_history(&mut tree, modified, earlier);
        tree.push(
            PromptNode::new(CURRENT_TURN, "")
                .captioned("The current message")
                .from_source([CURRENT_TURN])
                .with_children(nodes(&told, (current, told.len()), seen)),
        );
        tree.extend(conditions);
        let mut failed = Vec::new();
        let time = self.hook_time;
        tree = run_hook::prompts(hooks, Moment::ProcessPrompts, time, &context, tree, &mut failed).await;
        tree = run_hook::prompts(hooks, Moment::FinalizePrompts, time, &context, tree, &mut failed).await;
        if !hooks.is_empty() {
            self.shed(&mut tree, &told, current);
        }
        (tree, told, current, failed)
    }

    /// Tokens that the conversation may have.
    fn room(&self, request: &ModelRequest, tree: &[PromptNode], messages: &[Message]) -> u64 {
        let reminders = section_order::reminders(self.agent, self.resolved, messages, false);
        let words = self.weigh(tree, &[]) + self.weigh(&[reminders], &[]);
        self.limit(request).saturating_sub(words + 50)
    }

    /// Tokens for everything but the answer and the tools.
    fn limit(&self, request: &ModelRequest) -> u64 {
        let model = self.model;
        let reply = model.reply_tokens(&self.agent.parameters).min(model.window() / 4);
        let tools = token_count::of_tools(model, &request.tools);
        model.window().saturating_sub(reply.saturating_add(tools))
    }

    fn weigh(&self, tree: &[PromptNode], told: &[ToldMessage]) -> u64 {
        let own = |node: &PromptNode| token_count::of_node(self.model, node, told);
        tree.iter().filter(|node| node.enabled).map(|node| own(node) + self.weigh(&node.children, told)).sum()
    }

    /// Hooks may have added more than fits: the oldest turns make room.
    fn shed(&self, tree: &mut [PromptNode], told: &[ToldMessage], current: usize) {
        let fixed = ModelRequest { tools: self.resolved.specs(), ..ModelRequest::default() };
        let limit = self.limit(&fixed);
        let mut turns: Vec<TurnId> = told.iter().take(current).map(|told| told.turn).collect();
        turns.dedup();
        let mut weight = self.weigh(tree, told);
        for turn in turns {
            if weight <= limit {
                break;
            }
            let gone = |index: usize| told.get(index).is_some_and(|told| told.turn == turn);
            tree.iter_mut().for_each(|node| switch_off(node, &gone));
            weight = self.weigh(tree, told);
        }
    }
}

/// The agent has said what it wanted to say.
fn is_finished(message: &Message) -> bool {
    message.role == Role::Assistant && message.stop_reason == Some(StopReason::Completed)
}

/// The conversation in the tree. `seen`: a person or a hook looks at the nodes, and wants to know what each of them is.
pub(crate) fn nodes(told: &[ToldMessage], (from, to): (usize, usize), seen: bool) -> Vec<PromptNode> {
    let told = told.iter().enumerate().take(to).skip(from);
    let named = |told: &ToldMessage| {
        let id = told.id.to_string();
        PromptNode::new(id.clone(), told.words.clone()).from_source([HISTORY.to_owned(), id])
    };
    let node = |told: &ToldMessage| if seen { named(told) } else { PromptNode::new("", "") };
    told.map(|(index, told)| PromptNode { role: Some(told.role), carries: Some(index), ..node(told) })
        .collect()
}

fn put_history(tree: &mut [PromptNode], modified: &Modified, mut nodes: Vec<PromptNode>) {
    let id = modified.history_at.as_deref().unwrap_or(HISTORY);
    let Some(place) = tree.iter_mut().find_map(|node| node.find_mut(id)) else { return };
    if nodes.is_empty() && modified.history_at.is_some() {
        place.text = NOTHING_SAID.to_owned();
    }
    place.children.append(&mut nodes);
}

fn switch_off(node: &mut PromptNode, gone: &impl Fn(usize) -> bool) {
    if node.carries.is_some_and(gone) {
        node.enabled = false;
    }
    node.children.iter_mut().for_each(|child| switch_off(child, gone));
}
