use super::*;
use crate::{Hit, Ports, Registry, SearchError, SearchResults, fixture};
use domain::CapabilityRef;

struct Found(Vec<&'static str>);

#[async_trait]
impl crate::WebSearch for Found {
    async fn search(&self, query: &str, _limit: usize) -> Result<SearchResults, SearchError> {
        if query == "nothing works" {
            return Err(SearchError::Failed("the search engine says no".to_owned()));
        }
        let hit = |title: &&str| Hit {
            title: (*title).to_owned(),
            url: format!("https://{title}.example/"),
            snippet: format!("all about {query}"),
        };
        Ok(SearchResults { hits: self.0.iter().map(hit).collect(), answer: None })
    }
}

async fn search(arguments: Value) -> Result<Value, ToolError> {
    let mut context = fixture::context();
    context.ports = Ports::default().with_web_search(Arc::new(Found(vec!["one", "two", "three"])));
    Search { name: "web_search" }.run(&context, arguments).await
}

/// HERO-78
#[tokio::test]
async fn results_have_one_form() {
    let told = search(json!({ "query": " boots ", "limit": 2 })).await.unwrap();
    assert_eq!(
        told,
        json!({
            "success": true, "query": "boots", "resultCount": 2,
            "results": [
                { "title": "one", "url": "https://one.example/", "snippet": "all about boots" },
                { "title": "two", "url": "https://two.example/", "snippet": "all about boots" },
            ],
            "content": "1. one\n   https://one.example/\n   all about boots\n2. two\n   https://two.example/\n   all about boots",
        })
    );
    assert_eq!(
        search(json!({ "query": "nothing works" })).await,
        Err(ToolError::failed("the search engine says no"))
    );
}

#[tokio::test]
async fn what_is_no_query_is_refused() {
    for arguments in [
        json!({}),
        json!({ "query": "  " }),
        json!({ "query": "x".repeat(401) }),
        json!({ "query": "x", "limit": 0 }),
    ] {
        assert!(matches!(search(arguments.clone()).await, Err(ToolError::Failed(_))), "{arguments}");
    }
}

#[test]
fn without_a_searcher_there_is_no_tool_and_somebody_is_told_what_to_do() {
    let registry = Registry::empty().with(Arc::new(WebSearch { configured: false })).unwrap();
    let view = registry.get("web_search").unwrap();
    assert!(view.tools.is_empty());
    assert!(view.info.remedy.unwrap().contains("[search]"));
    let refused =
        registry.check(&[CapabilityRef::from("web_search")], &["*".to_owned()]).unwrap_err().to_string();
    assert!(refused.contains("[search]"), "{refused}");
}

#[test]
fn models_are_told_of_one_of_its_two_names() {
    let registry = Registry::empty().with(Arc::new(WebSearch { configured: true })).unwrap();
    let resolved = registry.resolve(&[CapabilityRef::from("web_search")], &["*".to_owned()]).unwrap();
    let told: Vec<String> = resolved.specs().into_iter().map(|spec| spec.name.clone()).collect();
    assert_eq!(told, ["web_search"]);
    assert!(resolved.tool("websearch").is_some(), "the element finds its tool");
}

/// THREAT[html-02]: whoever searches may answer with anything.
#[tokio::test]
async fn what_was_found_is_cut() {
    struct Long;
    #[async_trait]
    impl crate::WebSearch for Long {
        async fn search(&self, _query: &str, _limit: usize) -> Result<SearchResults, SearchError> {
            let long = |url: &str| Hit {
                title: "t\0".repeat(100_000),
                url: url.to_owned(),
                snippet: "s".repeat(1 << 20),
            };
            let hits =
                vec![long("https://a.example/"), long(&format!("https://a.example/{}", "x".repeat(3_000)))];
            Ok(SearchResults { hits, answer: Some("a".repeat(1 << 20)) })
        }
    }
    let mut context = fixture::context();
    context.ports = Ports::default().with_web_search(Arc::new(Long));
    let told = Search { name: "web_search" }.run(&context, json!({ "query": "boots" })).await.unwrap();
    assert_eq!(told["resultCount"], 1, "an address that long is none");
    assert_eq!(told["results"][0]["title"], "t".repeat(TITLE_CHARS));
    assert!(told.to_string().len() < 16_000, "{} bytes", told.to_string().len());
}

/// HERO-98
#[test]
fn an_address_is_for_web_fetch() {
    let spec = Search { name: "websearch" }.spec();
    assert!(spec.description.contains("web_fetch"), "{}", spec.description);
    assert_eq!(spec.parameters["properties"].get("url"), None);
    assert_eq!(spec.parameters["additionalProperties"], false);
}
