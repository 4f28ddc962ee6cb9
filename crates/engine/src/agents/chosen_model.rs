//! The model that a person chooses in a conversation, for all that follows or for one message. They choose among the models
//! of the house, and only with agents of their own: the owner of a shared agent has decided what it costs and who reads what
//! it is told.
//!
//! What they choose is stored beside the conversation and the message, readable, as ids and numbers are. So it must be a name.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use domain::{Agent, AgentId, UserId, is_name};
use provider::Model;

/// The longest name of a model.
const MODEL_CHARS: usize = 300;

impl Engine {
    /// Whether this person may have this agent ask this model, and whether there is such a model.
    pub(crate) fn check_chosen_model(&self, user: UserId, agent: &Agent, model: &str) -> Result<()> {
        if agent.user_id != user {
            let detail = "model: You can choose the model in conversations with your own agents. This agent is another person's.";
            return Err(Error::forbidden("model_not_yours", detail));
        }
        // A provider may be asked for a model that it does not list, so any words could stand behind its name.
        if model.chars().any(char::is_whitespace) {
            let detail = "model: The name of a model that is chosen for a conversation has no spaces.";
            return Err(Error::invalid("unknown_model", detail));
        }
        self.check_model(model)
    }

    /// The same for an agent that is not read yet.
    pub(crate) async fn check_chosen_model_of(
        &self,
        user: UserId,
        agent: AgentId,
        model: &str,
    ) -> Result<()> {
        let agent = self.agent(user, agent).await?;
        self.keep_up_with(&agent).await?;
        self.check_chosen_model(user, &agent, model)
    }

    /// Whether there is such a model.
    pub(crate) fn check_model(&self, model: &str) -> Result<()> {
        self.known_model(model).map(drop)
    }

    /// The whole name of a model that there is.
    pub(crate) fn known_model(&self, model: &str) -> Result<String> {
        if !is_name(model, MODEL_CHARS) {
            let detail = format!(
                "model: The name of a model must have 1 to {MODEL_CHARS} characters, without control characters and without \
                 spaces around it."
            );
            return Err(Error::invalid("unknown_model", detail));
        }
        let known = self.models().resolve(Some(model));
        let named = |model: Model| model.id().to_owned();
        known.map(named).map_err(|error| Error::invalid("unknown_model", error.detail))
    }
}
