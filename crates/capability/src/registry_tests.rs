use super::*;
use crate::Programs;
use crate::{ToolContext, ToolError};
use async_trait::async_trait;
use domain::{EffectClass, ToolSpec, Workplace};
use serde_json::json;

/// A capability made of names.
struct Made {
    info: CapabilityInfo,
    tools: Vec<&'static str>,
    settings: Option<Value>,
}

impl Made {
    fn new(id: &str, tools: &[&'static str]) -> Self {
        Self { info: CapabilityInfo::builtin(id, id, ""), tools: tools.to_vec(), settings: None }
    }

    fn needing(mut self, id: &str) -> Self {
        self.info = self.info.needing(id);
        self
    }

    fn with_status(mut self, status: CapabilityStatus) -> Self {
        self.info.status = status;
        self
    }
}

impl Capability for Made {
    fn info(&self) -> CapabilityInfo {
        self.info.clone()
    }

    fn prompt(&self, settings: &Settings) -> Option<String> {
        let size = settings.get("size").map(|size| format!(" My size is {size}."));
        Some(format!("I am {}.{}", self.info.id, size.unwrap_or_default()))
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.iter().map(|name| Arc::new(Named(name)) as Arc<dyn Tool>).collect()
    }

    fn settings_schema(&self) -> Option<Value> {
        self.settings.clone()
    }
}

struct Named(&'static str);

#[async_trait]
impl Tool for Named {
    fn spec(&self) -> ToolSpec {
        let parameters = match self.0 {
            "broken" => json!({ "type": 1 }),
            "acting" => {
                json!({ "type": "object", "properties": { "action": { "type": "string", "enum": ["list", "drop"] } } })
            }
            _ => json!({ "type": "object" }),
        };
        ToolSpec { name: self.0.to_owned(), description: String::new(), parameters }
    }

    async fn run(&self, _context: &ToolContext, _arguments: Value) -> Result<Value, ToolError> {
        Ok(json!(self.0))
    }
}

fn registry(capabilities: Vec<Made>) -> Registry {
    capabilities.into_iter().fold(Registry::empty(), |all, made| all.with(Arc::new(made)).unwrap())
}

fn references(ids: &[&str]) -> Vec<CapabilityRef> {
    ids.iter().map(|id| CapabilityRef::from(*id)).collect()
}

fn tools(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn every() -> Vec<String> {
    tools(&["*"])
}

fn names(resolved: &Resolved) -> Vec<&str> {
    resolved.tools.iter().map(|tool| tool.spec.name.as_str()).collect()
}

/// EVERRUNS-02: the order of the agent.
#[test]
fn prompts_and_tools_come_in_the_order_of_the_agent() {
    let registry = registry(vec![Made::new("one", &["a", "b"]), Made::new("two", &["c"])]);
    let forward = registry.resolve(&references(&["one", "two"]), &every()).unwrap();
    assert_eq!(names(&forward), ["a", "b", "c"]);
    assert_eq!(forward.prompts.first().unwrap(), &("one".to_owned(), "I am one.".to_owned()));
    let backward = registry.resolve(&references(&["two", "one"]), &every()).unwrap();
    assert_eq!(names(&backward), ["c", "a", "b"]);
    assert_eq!(backward.prompts.first().unwrap().0, "two");
}

#[test]
fn a_tool_is_found_by_its_name_and_knows_where_it_comes_from() {
    let registry = registry(vec![Made::new("one", &["a", "b"]), Made::new("two", &["c"])]);
    let resolved = registry.resolve(&references(&["one", "two"]), &tools(&["b", "c"])).unwrap();
    assert_eq!(resolved.tool("c").unwrap().capability, "two");
    assert_eq!(resolved.tool("b").unwrap().class, EffectClass::Effect, "the careful default");
    assert!(resolved.tool("a").is_none(), "not among the allowed tools");
    assert_eq!(resolved.specs().len(), 2);
    assert!(registry.resolve(&references(&["one"]), &[]).unwrap().tools.is_empty());
}

/// EVERRUNS-03
#[test]
fn an_unknown_capability_is_named_together_with_the_known_ones() {
    let registry = registry(vec![Made::new("one", &[]), Made::new("two", &[])]);
    let error = registry.check(&references(&["one", "tow"]), &every()).unwrap_err();
    assert_eq!(error, ResolveError::Unknown { id: "tow".to_owned(), known: tools(&["one", "two"]) });
    assert_eq!(error.to_string(), "There is no capability `tow`. Known capabilities are: one, two.");
}

/// EVERRUNS-03
#[test]
fn two_capabilities_with_one_tool_name_are_both_named() {
    let registry = registry(vec![Made::new("one", &["a"]), Made::new("two", &["b", "a"])]);
    let conflict =
        ResolveError::Conflict { tool: "a".to_owned(), first: "one".to_owned(), second: "two".to_owned() };
    let wanted = references(&["one", "two"]);
    assert_eq!(registry.check(&wanted, &every()).unwrap_err(), conflict);
    assert_eq!(registry.check(&wanted, &[]).unwrap_err(), conflict, "also when the tool is not allowed");
    assert_eq!(registry.resolve(&wanted, &every()).unwrap_err(), conflict, "no last one wins in silence");
    assert_eq!(registry.check(&references(&["two"]), &every()), Ok(()));
}

#[test]
fn a_capability_that_clashes_with_itself_is_an_error() {
    let registry = registry(vec![Made::new("one", &["a", "a"]), Made::new("two", &[])]);
    assert!(matches!(registry.check(&references(&["one"]), &[]), Err(ResolveError::Conflict { .. })));
    let twice = ResolveError::Duplicate { id: "two".to_owned() };
    assert_eq!(registry.check(&references(&["two", "two"]), &[]), Err(twice.clone()));
    assert_eq!(registry.resolve(&references(&["two", "two"]), &[]).unwrap_err(), twice);
}

#[test]
fn what_is_coming_soon_is_listed_and_cannot_be_had() {
    let soon = Made::new("soon", &["a"]).with_status(CapabilityStatus::ComingSoon);
    let old = Made::new("old", &["b"]).with_status(CapabilityStatus::Deprecated);
    let registry = registry(vec![soon, old]);
    assert_eq!(registry.list().len(), 2);
    let error = registry.check(&references(&["soon"]), &every()).unwrap_err();
    assert_eq!(error, ResolveError::NotAvailable { id: "soon".to_owned(), remedy: None });
    assert_eq!(registry.check(&references(&["old"]), &every()), Ok(()));
    let resolved = registry.resolve(&references(&["soon", "old"]), &every()).unwrap();
    assert_eq!(resolved.missing, ["soon"]);
    assert_eq!(names(&resolved), ["b"]);
}

/// EVERRUNS-22
#[test]
fn a_capability_that_disappeared_is_reported_as_missing() {
    let registry = registry(vec![Made::new("one", &["a"])]);
    let resolved = registry.resolve(&references(&["gone", "one"]), &tools(&["a", "tool_of_gone"])).unwrap();
    assert_eq!(resolved.missing, ["gone"]);
    assert_eq!(names(&resolved), ["a"]);
    assert_eq!(resolved.prompts.len(), 1);
}

#[test]
fn an_allowed_tool_must_exist() {
    let registry = registry(vec![Made::new("one", &["a"]), Made::new("two", &["b"])]);
    let error = registry.check(&references(&["one"]), &tools(&["a", "b"])).unwrap_err();
    assert_eq!(error, ResolveError::UnknownTool { name: "b".to_owned() });
    assert_eq!(registry.check(&references(&["one"]), &tools(&["a"])), Ok(()));
    assert_eq!(registry.check(&[], &[]), Ok(()));
}

/// EVERRUNS-34
#[test]
fn of_a_tool_that_is_granted_in_part_only_that_part_is_offered() {
    let registry = registry(vec![Made::new("one", &["a", "acting"])]);
    let wanted = references(&["one"]);
    for unknown in ["acting.fly", "a.list", "acting."] {
        let error = registry.check(&wanted, &tools(&[unknown])).unwrap_err();
        assert_eq!(error, ResolveError::UnknownTool { name: unknown.to_owned() });
    }
    assert_eq!(registry.check(&wanted, &tools(&["acting.list"])), Ok(()));
    let actions = |allowed: &[&str]| {
        let resolved = registry.resolve(&wanted, &tools(allowed)).unwrap();
        let spec = resolved.specs().into_iter().find(|spec| spec.name == "acting").unwrap();
        (
            spec.parameters["properties"]["action"]["enum"].clone(),
            resolved.granted_actions("acting").map(<[String]>::to_vec),
        )
    };
    assert_eq!(actions(&["acting.list"]), (json!(["list"]), Some(vec!["list".to_owned()])));
    assert_eq!(actions(&["acting"]), (json!(["list", "drop"]), None), "the control");
}

/// HERO-75
#[test]
fn every_tool_has_an_example_that_it_takes() {
    let registry = Registry::builtin().unwrap();
    let views = registry.list();
    let tools: Vec<&ToolView> = views.iter().flat_map(|view| &view.tools).collect();
    assert!(tools.len() > 10, "{} tools", tools.len());
    for tool in tools {
        let known = registry.tool(&tool.spec.name).unwrap();
        assert_eq!(known.check_arguments(&tool.example()), Ok(()), "{}: {}", tool.spec.name, tool.example());
    }
}

#[test]
fn settings_are_checked_against_their_schema() {
    let mut adjustable = Made::new("adjustable", &[]);
    adjustable.settings = Some(json!({
        "type": "object", "properties": { "size": { "type": "integer" } }, "additionalProperties": false
    }));
    let registry = registry(vec![adjustable, Made::new("fixed", &[])]);
    let check = |id: &str, settings: Value| {
        let settings = settings.as_object().cloned().unwrap_or_default();
        registry
            .check(&[CapabilityRef { id: id.to_owned(), settings }], &[])
            .map_err(|error| error.to_string())
    };
    assert_eq!(check("adjustable", json!({"size": 3})), Ok(()));
    assert_eq!(
        check("adjustable", json!({"size": "big"})).unwrap_err(),
        "The settings of the capability `adjustable` are wrong: parameter `size` must be of type integer."
    );
    assert_eq!(
        check("fixed", json!({"size": 3})).unwrap_err(),
        "The settings of the capability `fixed` are wrong: it has no settings."
    );
}

#[test]
fn settings_reach_the_prompt_and_the_tools() {
    let mut adjustable = Made::new("adjustable", &["a"]);
    adjustable.settings = Some(json!({ "type": "object" }));
    let registry = registry(vec![adjustable]);
    let settings = json!({ "size": 3 }).as_object().unwrap().clone();
    let wanted = [CapabilityRef { id: "adjustable".to_owned(), settings }];
    let resolved = registry.resolve(&wanted, &every()).unwrap();
    assert_eq!(resolved.prompts.first().unwrap().1, "I am adjustable. My size is 3.");
    assert_eq!(resolved.settings("adjustable").get("size"), Some(&json!(3)));
    assert!(resolved.settings("other").is_empty());
}

/// EVERRUNS-21
#[test]
fn what_is_needed_comes_along_unlisted() {
    let registry = registry(vec![Made::new("base", &["b"]), Made::new("top", &["t"]).needing("base")]);
    let wanted = references(&["top"]);
    assert_eq!(registry.check(&wanted, &tools(&["b"])), Ok(()), "its tools may be allowed");
    let resolved = registry.resolve(&wanted, &every()).unwrap();
    assert_eq!(names(&resolved), ["b", "t"]);
    assert_eq!(resolved.prompts.first().unwrap().0, "base");
    let listed = registry.resolve(&references(&["top", "base"]), &every()).unwrap();
    assert_eq!(names(&listed), ["t", "b"], "the order of the agent");
}

#[test]
fn what_is_needed_and_not_there_is_named() {
    let registry = registry(vec![
        Made::new("top", &[]).needing("gone"),
        Made::new("soon", &[]).with_status(CapabilityStatus::ComingSoon),
        Made::new("early", &[]).needing("soon"),
    ]);
    let error = registry.check(&references(&["top"]), &[]).unwrap_err();
    assert_eq!(error.to_string(), "The capability `top` needs `gone`, which is not available.");
    let error = registry.check(&references(&["early"]), &[]).unwrap_err();
    assert_eq!(error.to_string(), "The capability `early` needs `soon`, which is not available.");
    let resolved = registry.resolve(&references(&["top"]), &[]).unwrap();
    assert_eq!(resolved.missing, ["gone"], "shown, never skipped in silence");
    assert_eq!(resolved.prompts.len(), 1);
}

/// EVERRUNS-21
#[test]
fn a_circle_does_not_get_in() {
    let base = registry(vec![Made::new("a", &[]).needing("b"), Made::new("b", &[]).needing("c")]);
    let closing = base.clone().with(Arc::new(Made::new("c", &[]).needing("a"))).err().unwrap();
    assert_eq!(
        closing.to_string(),
        "capabilities need each other in a circle: c needs a needs b needs c; break it"
    );
    assert!(base.clone().with(Arc::new(Made::new("self", &[]).needing("self"))).is_err());
    assert!(base.with(Arc::new(Made::new("c", &[]))).is_ok(), "the control");
}

#[test]
fn a_person_has_more_on_top_of_what_all_have() {
    let shared = registry(vec![Made::new("one", &["a"])]);
    let theirs: [Arc<dyn Capability>; 3] = [
        Arc::new(Made::new("mine", &["m"])),
        Arc::new(Made::new("one", &["stolen"])),
        Arc::new(Made::new("circle", &[]).needing("circle")),
    ];
    let (own, problems) = shared.clone().with_sound(theirs);
    assert_eq!(problems.len(), 2, "an id that is taken, and a circle");
    assert_eq!(own.check(&references(&["one", "mine"]), &tools(&["a", "m"])), Ok(()));
    assert!(own.get("circle").is_none());
    assert!(shared.get("mine").is_none(), "nobody else has it");
}

#[test]
fn features_are_told_once() {
    let mut one = Made::new("one", &[]);
    one.info = one.info.featuring("files");
    let mut two = Made::new("two", &[]);
    two.info = two.info.featuring("files").featuring("plan");
    let registry = registry(vec![one, two]);
    let resolved = registry.resolve(&references(&["one", "two"]), &[]).unwrap();
    assert_eq!(resolved.features, ["files", "plan"]);
}

#[test]
fn a_badly_written_capability_does_not_get_in() {
    let with = |made: Made| registry(vec![Made::new("one", &[])]).with(Arc::new(made)).err();
    assert_eq!(with(Made::new("one", &["x"])).unwrap(), AssemblyError::DuplicateId { id: "one".to_owned() });
    assert!(matches!(with(Made::new("two", &["has space"])), Some(AssemblyError::ToolName { .. })));
    assert!(matches!(with(Made::new("two", &[""])), Some(AssemblyError::ToolName { .. })));
    assert!(matches!(with(Made::new("two", &["broken"])), Some(AssemblyError::Schema { .. })));
    assert_eq!(with(Made::new("two", &["fine"])), None);
}

#[test]
fn arguments_are_checked_by_the_resolved_tool() {
    let registry = Registry::builtin().unwrap();
    let resolved = registry.resolve(&references(&["test_math"]), &every()).unwrap();
    let add = resolved.tool("add").unwrap();
    assert_eq!(add.check_arguments(&json!({"a": 1, "b": 2})), Ok(()));
    assert_eq!(
        add.check_arguments(&json!({"a": 1})),
        Err("the required parameter `b` is missing".to_owned())
    );
}

/// EVERRUNS-35
#[test]
fn the_built_ins_are_listed_as_promised() {
    let registry = Registry::equipped(&everything()).unwrap();
    assert_eq!(
        registry.list(),
        Registry::equipped(&everything()).unwrap().list(),
        "the same order every time"
    );
    insta::assert_json_snapshot!(registry.list());
}

#[test]
fn all_built_ins_fit_together() {
    let registry = Registry::equipped(&everything()).unwrap();
    let views = registry.list();
    let ids: Vec<&str> = views.iter().map(|view| view.info.id.as_str()).collect();
    let wanted = references(&ids);
    assert_eq!(registry.check(&wanted, &every()), Ok(()));
    let resolved = registry.resolve(&wanted, &every()).unwrap();
    assert!(resolved.missing.is_empty());
    assert_eq!(registry.get("test_math").unwrap().tools.len(), 4);
    for id in ["research", "sandbox"] {
        assert_eq!(registry.get(id).unwrap().info.status, CapabilityStatus::Available, "{id}");
    }
}

/// A house where nothing is missing.
fn everything() -> Equipment {
    Equipment { programs: Ok(Programs { python: true, uv: false, javascript: true }), web_search: true }
}

#[test]
fn every_built_in_tool_says_where_it_works() {
    let registry = Registry::equipped(&everything()).unwrap();
    let works = |name: &str| registry.tool(name).unwrap().tool.workplace(&json!({}));
    for (workplace, names) in [
        (Workplace::Sandbox, &["bash", "run_python", "execute_code"][..]),
        (Workplace::SessionFiles, &["read_file", "write_file", "delete_file", "grep_files"]),
        (Workplace::Server, &["get_current_time", "write_todos", "list_agents"]),
        (Workplace::Network, &["web_fetch"]),
        (Workplace::SearchService, &["web_search", "websearch"]),
        (Workplace::OtherAgent, &["send_agent_message", "delegate", "spawn_agent"]),
    ] {
        for name in names {
            assert_eq!(works(name), Some(workplace), "{name}");
        }
    }
    let tools = registry.entries.iter().flat_map(|entry| &entry.tools);
    let silent: Vec<&str> = tools
        .filter(|tool| tool.tool.workplace(&json!({})).is_none())
        .map(|tool| tool.spec.name.as_str())
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
}
