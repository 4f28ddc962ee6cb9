//! Running hooks: in the agent's order, each within its time, none able to take the turn with it.

use capability::{Hook, HookContext, HookResult, Moment, ResolvedHook};
use domain::{PromptNode, PromptTree, TurnError};
use std::{future::Future, pin::Pin, sync::Arc, time::Duration};
use tracing::Instrument;

/// What a hook is about to do with its own copy of everything.
pub type Work<T> = Pin<Box<dyn Future<Output = HookResult<T>> + Send>>;

const FAILED: &str = "hook_failed";

/// A hook that did not do its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub capability: String,
    pub moment: Moment,
    problem: String,
}

impl Failed {
    pub fn words(&self) -> String {
        let Self { capability, moment, problem } = self;
        format!("A step of the capability {capability} was skipped ({}): {problem}.", moment.as_str())
    }

    /// As the log of the session tells it. The turn goes on, so there is nothing to retry.
    pub fn error(&self) -> TurnError {
        TurnError { code: FAILED.to_owned(), message: self.words(), retryable: false }
    }
}

/// The hooks of an agent that want to be run at this moment.
pub fn at(hooks: &[ResolvedHook], moment: Moment) -> impl Iterator<Item = &ResolvedHook> {
    hooks.iter().filter(move |hook| hook.hook.moments().contains(&moment))
}

/// THREAT[hook-01]: a hook that never returns, or panics, must not hold the turn up. It runs in a task of its own, which is
/// given up when its time is over.
pub async fn run<T: Send + 'static>(
    hook: &ResolvedHook,
    moment: Moment,
    time: Duration,
    context: &HookContext,
    work: impl FnOnce(Arc<dyn Hook>, HookContext) -> Work<T>,
) -> Result<T, Failed> {
    let context = HookContext { settings: hook.settings.clone(), ..context.clone() };
    let mut task = tokio::spawn(work(Arc::clone(&hook.hook), context).in_current_span());
    let problem = match tokio::time::timeout(time, &mut task).await {
        Ok(Ok(Ok(value))) => return Ok(value),
        Ok(Ok(Err(error))) => error.to_string(),
        Ok(Err(_)) => "it failed".to_owned(),
        Err(_) => {
            task.abort();
            format!("it took longer than {} seconds", time.as_secs_f32())
        }
    };
    tracing::warn!(capability = %hook.capability, moment = moment.as_str(), "a hook failed");
    Err(Failed { capability: hook.capability.clone(), moment, problem })
}

/// Lets each hook change the tree, in order; one that fails, or makes a tree that could not have been saved, leaves it as it
/// was.
pub async fn prompts(
    hooks: &[ResolvedHook],
    moment: Moment,
    time: Duration,
    context: &HookContext,
    mut tree: Vec<PromptNode>,
    failed: &mut Vec<Failed>,
) -> Vec<PromptNode> {
    for hook in at(hooks, moment) {
        let given = tree.clone();
        let work = move |hook: Arc<dyn Hook>, context: HookContext| -> Work<Vec<PromptNode>> {
            Box::pin(async move {
                match moment {
                    Moment::FinalizePrompts => hook.finalize_prompts(&context, given).await,
                    _ => hook.process_prompts(&context, given).await,
                }
            })
        };
        match run(hook, moment, time, context, work).await.and_then(|made| usable(hook, moment, made)) {
            Ok(mut made) => {
                made.iter_mut().for_each(|node| sign(node, &hook.capability));
                tree = made;
            }
            Err(failure) => failed.push(failure),
        }
    }
    tree
}

/// THREAT[hook-02]: what is walked recursively afterwards has a depth and a size.
fn usable(hook: &ResolvedHook, moment: Moment, made: Vec<PromptNode>) -> Result<Vec<PromptNode>, Failed> {
    let mut bytes = 0_usize;
    let mut added = 0_usize;
    let mut waiting: Vec<(&PromptNode, usize)> = made.iter().map(|node| (node, 1)).collect();
    let mut deepest = 0;
    while let Some((node, depth)) = waiting.pop() {
        deepest = deepest.max(depth);
        if node.carries.is_none() {
            added += 1;
            bytes = bytes.saturating_add(node.text.len());
        }
        if deepest > 2 * PromptTree::DEPTH || added > 4 * PromptTree::NODES || bytes > 4 * PromptTree::BYTES {
            let problem = "the tree that it made is too large".to_owned();
            return Err(Failed { capability: hook.capability.clone(), moment, problem });
        }
        waiting.extend(node.children.iter().map(|child| (child, depth + 1)));
    }
    Ok(made)
}

/// Nodes that say of nowhere come from the capability that made them.
fn sign(node: &mut PromptNode, capability: &str) {
    if node.source.is_empty() {
        node.source = vec!["capabilities".to_owned(), capability.to_owned()];
    }
    node.children.iter_mut().for_each(|child| sign(child, capability));
}
