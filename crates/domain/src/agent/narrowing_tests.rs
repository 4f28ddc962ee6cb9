use super::*;
use crate::{AgentId, AgentStatus, CapabilityRef, MarkupSettings, Parameters, Timestamp, UserId};
use uuid::Uuid;

const TOOLS: [&str; 5] = ["*", "add", "divide", "get_weather", "write_file"];

fn agent(allowed: &[String], capabilities: &[&str]) -> Agent {
    Agent {
        id: AgentId::from_uuid(Uuid::nil()),
        user_id: UserId::from_uuid(Uuid::nil()),
        name: "main".to_owned(),
        status: AgentStatus::Active,
        model: Some("house/large".to_owned()),
        system_prompt: "You know the secret of the house.".to_owned(),
        prompt_tree: None,
        capabilities: capabilities.iter().map(|id| CapabilityRef::from(*id)).collect(),
        allowed_tools: allowed.to_vec(),
        handler: Agent::BASIC_HANDLER.to_owned(),
        markup: MarkupSettings::default(),
        parameters: Parameters::default(),
        limits: Limits::default(),
        budget: crate::Budget::NONE,
        tool_rules: Vec::new(),
        abilities_version: 0,
        models_version: 0,
        shared_with: Vec::new(),
        created_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    }
}

fn narrowing(tools: &[String]) -> Narrowing {
    Narrowing {
        label: crate::Label::TRUSTED_PRIVATE,
        name: "helper".to_owned(),
        instructions: "Add numbers.".to_owned(),
        tools: tools.to_vec(),
        capabilities: vec!["test_math".to_owned()],
        model: None,
        limits: Limits { steps: 3, ..Limits::default() },
    }
}

fn some(bits: usize) -> Vec<String> {
    let chosen = TOOLS.iter().enumerate().filter(|(index, _)| bits & (1 << index) != 0);
    chosen.map(|(_, name)| (*name).to_owned()).collect()
}

/// Every pair of lists over five words, and every narrowing of a narrowing: nothing is gained, ever.
#[test]
fn a_narrowed_agent_has_no_tool_that_either_has_not() {
    for agents in 0..32 {
        for first in 0..32 {
            let agent = agent(&some(agents), &["test_math"]);
            let child = agent.narrowed(&narrowing(&some(first)));
            for name in TOOLS.iter().filter(|name| **name != "*") {
                let both = agent.allows_tool(name) && some(first).iter().any(|tool| tool == name);
                assert_eq!(child.allows_tool(name), both, "{name} of {agents:b} and {first:b}");
            }
            assert!(!child.allows_tool("anything"), "{agents:b} and {first:b}");
            for second in 0..32 {
                let grandchild = child.narrowed(&narrowing(&some(second)));
                let gained = |name: &&str| grandchild.allows_tool(name) && !child.allows_tool(name);
                assert_eq!(TOOLS.iter().find(|name| gained(name)), None, "{agents:b} {first:b} {second:b}");
            }
        }
    }
}

#[test]
fn it_is_told_its_instructions_and_nothing_of_the_agent() {
    let agent = agent(&["*".to_owned()], &["test_math", "session_file_system"]);
    let child = agent.narrowed(&narrowing(&["add".to_owned()]));
    assert_eq!((child.name.as_str(), child.system_prompt.as_str()), ("helper", "Add numbers."));
    assert_eq!(child.capabilities, vec![CapabilityRef::from("test_math")]);
    assert_eq!((child.limits.steps, child.model.as_deref()), (3, Some("house/large")));
    // What the agent has lost since is lost to the child.
    let poorer = Agent { capabilities: Vec::new(), ..agent };
    assert_eq!(poorer.narrowed(&narrowing(&["add".to_owned()])).capabilities, Vec::new());
}
