use super::{setting::Origin, *};
use secrecy::ExposeSecret as _;
use std::time::Duration;

fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn parse(text: &str, environment: &[(&str, &str)]) -> Result<Config> {
    Config::parse(Some((PathBuf::from("majordomo.toml"), text.to_owned())), &variables(environment))
}

#[track_caller]
fn refused(text: &str, environment: &[(&str, &str)], parts: &[&str]) {
    let error = parse(text, environment).map(|_| ()).unwrap_err();
    let said = format!("{error} → {}", error.advice().unwrap_or_default());
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
}

#[test]
fn nothing_is_required() {
    let config = Config::parse(None, &[]).unwrap();
    assert_eq!(config.server.bind.value.to_string(), "127.0.0.1:7777");
    assert_eq!(config.limits.steps.value, 25);
    assert_eq!(config.connections.capacity(), ::server::Capacity::default());
    assert_eq!(config.limits.approval_expiry.value, Duration::from_secs(86_400));
    assert_eq!((config.limits.upload_mb.value, config.limits.upload_quota_mb.value), (20, 1_024));
    assert_eq!(config.limits.attached_tokens.value, 24_000);
    assert_eq!((config.schedules.at_once.value, config.schedules.per_person.value), (4, 100));
    assert_eq!(config.limits.compact_at.value, 70);
    assert!(config.defaults.titles.value);
    assert_eq!(config.defaults.custom_prompt.value, "");
    assert!(config.providers.list.is_empty());
    assert!(config.shown().iter().all(|setting| setting.origin == Origin::Default));
    config.server.check_exposure().unwrap();
}

const WHOLE: &str = r#"
[server]
bind = "127.0.0.1:8080"
public_url = "https://home.example/majordomo"
hosts = ["box.lan"]
allow_insecure_http = false
proxies = ["172.30.7.2", "fd00::/8"]

[connections]
total = 9000
uploads_per_person = 4

[store]
url = "sqlite:other.db"

[provider.zeta]
wire = "openai"
base_url = "http://127.0.0.1:11434/v1"
models = ["qwen3:8b"]
price = "free"

[provider.alpha]
base_url = "https://api.example/v1"
api_key_env = "ALPHA_KEY"

[defaults]
model = "zeta/qwen3:8b"

[limits]
steps = 10
approval_expiry = "12h"
"#;

#[test]
fn everything_can_be_set_and_says_where() {
    let without = parse(WHOLE, &[]).unwrap();
    assert!(
        without.providers.notes.iter().any(|note| note.contains("ALPHA_KEY")),
        "{:?}",
        without.providers.notes
    );
    let config = parse(WHOLE, &[("ALPHA_KEY", "sk-secret")]).unwrap();
    assert!(config.providers.notes.is_empty());
    assert_eq!(config.server.hosts.value, ["box.lan"]);
    let proxies: Vec<String> = config.server.proxies.value.iter().map(ToString::to_string).collect();
    assert_eq!(proxies, ["172.30.7.2", "fd00::/8"]);
    assert_eq!(config.defaults.model.as_ref().map(|model| model.value.as_str()), Some("zeta/qwen3:8b"));
    assert_eq!(config.limits.steps.origin, Origin::File { path: "majordomo.toml".into(), line: 30 });
    let [zeta, alpha] = config.providers.list.as_slice() else { panic!("two providers") };
    assert_eq!(
        (zeta.name.as_str(), zeta.prices.usual),
        ("zeta", Some(::provider::Price::FREE)),
        "in the order of the file"
    );
    assert_eq!(alpha.api_key.as_ref().map(|key| key.expose_secret()), Some("sk-secret"));
    let shown = format!("{:?}", config.shown());
    assert!(!shown.contains("sk-secret"), "{shown}");
    assert!(shown.contains("ALPHA_KEY (set)"), "{shown}");
}

#[test]
fn the_environment_wins_over_the_file() {
    let environment = [
        ("MAJORDOMO_SERVER_BIND", "[::1]:9"),
        ("MAJORDOMO_SERVER_HOSTS", "a.example, b.example"),
        ("MAJORDOMO_SERVER_ALLOW_INSECURE_HTTP", "yes"),
        ("MAJORDOMO_SERVER_PROXIES", "127.0.0.1, 10.0.0.0/8"),
        ("MAJORDOMO_STORE_URL", "postgres://ann:secret@db/house?password=secret"),
        ("MAJORDOMO_LIMITS_STEPS", "7"),
        ("MAJORDOMO_CONNECTIONS_STREAMS_PER_PERSON", "50"),
        ("MAJORDOMO_DEFAULTS_MODEL", "demo"),
        ("MAJORDOMO_DATA", "/somewhere"),
        ("MAJORDOMO_LOG", "info"),
    ];
    let config = parse(WHOLE, &environment).unwrap();
    assert_eq!(config.server.bind.value.to_string(), "[::1]:9");
    assert_eq!(config.server.bind.origin, Origin::Variable("MAJORDOMO_SERVER_BIND".to_owned()));
    assert_eq!(config.server.hosts.value, ["a.example", "b.example"]);
    assert!(config.server.allow_insecure_http.value);
    assert_eq!(config.server.proxies.value.len(), 2);
    assert_eq!(config.limits.steps.value, 7);
    let usual = ::server::Capacity::default();
    let wanted =
        ::server::Capacity { connections: 9_000, streams_per_person: 50, uploads_per_person: 4, ..usual };
    assert_eq!(config.connections.capacity(), wanted);
    assert_eq!(config.defaults.model.as_ref().map(|model| model.value.as_str()), Some("demo"));
    let shown = format!("{:?}", config.shown());
    assert!(shown.contains("postgres://ann:•••@db/house?•••") && !shown.contains("secret"), "{shown}");
}

/// The servers of the example believe its proxy, and no other machine.
#[test]
fn the_compose_file_says_what_is_understood() {
    const COMPOSE: &str = include_str!("../../../../deploy/compose.yaml");
    let said = COMPOSE.lines().filter_map(|line| line.trim().split_once(": "));
    let said: Vec<_> =
        said.filter(|(name, value)| name.starts_with("MAJORDOMO_") && !value.starts_with("${")).collect();
    let config = parse("", &said).unwrap();
    assert!(config.server.public_url.is_some());
    let [proxy] = config.server.proxies.value.as_slice() else { panic!("one proxy") };
    assert!(COMPOSE.contains(&format!("ipv4_address: {proxy} ")), "{proxy} is not the proxy");
}

#[test]
fn providers_can_be_changed_and_added_by_variables() {
    let environment = [
        ("MAJORDOMO_PROVIDER_ZETA_MODELS", "a,b"),
        ("MAJORDOMO_PROVIDER_MY_BOX_BASE_URL", "http://10.0.0.2/v1"),
        ("MAJORDOMO_PROVIDER_MY_BOX_API_KEY_ENV", "BOX"),
        ("BOX", "k"),
    ];
    let config = parse(WHOLE, &environment).unwrap();
    let names: Vec<&str> = config.providers.list.iter().map(|provider| provider.name.as_str()).collect();
    assert_eq!(names, ["zeta", "alpha", "my_box"]);
    assert_eq!(
        config.providers.list.first().map(|zeta| zeta.models.clone()),
        Some(vec!["a".to_owned(), "b".to_owned()])
    );
    assert!(config.providers.list.last().is_some_and(|provider| provider.api_key.is_some()));
}

#[test]
fn the_vendors_variables_define_providers_unless_the_file_does() {
    let environment = [("OPENAI_API_KEY", "k"), ("OLLAMA_HOST", "10.0.0.1")];
    let config = parse("[provider.openai]\nbase_url = \"http://box/v1\"\n", &environment).unwrap();
    let [openai, ollama] = config.providers.list.as_slice() else { panic!("two providers") };
    assert_eq!(openai.base_url, "http://box/v1");
    assert!(openai.api_key.is_none(), "a key never goes to a server it was not meant for");
    assert_eq!(ollama.name, "ollama");
    let config = parse("[provider.openai]\nmodels = [\"gpt-4o\"]\n", &environment).unwrap();
    let openai = config.providers.list.first().unwrap();
    assert!(openai.base_url.contains("api.openai.com") && openai.api_key.is_some());
}

#[test]
fn who_searches_and_what_is_at_home_is_set() {
    let text = "[search]\nbackend = \"searxng\"\nurl = \"http://search.lan:8080\"\n[egress]\nprivate_hosts = [\"printer.lan:80\"]\n";
    let config = parse(text, &[]).unwrap();
    assert!(config.search.searcher.is_some());
    assert_eq!(config.egress.private_hosts.value.first().map(|home| home.port), Some(80));
    assert!(parse("", &[]).unwrap().search.searcher.is_some(), "one that takes no account searches");
    let off = parse("[search]\nbackend = \"none\"\n", &[]).unwrap();
    assert!(off.search.searcher.is_none(), "no search where the owner wants none");
    let config = parse("[search]\nbackend = \"brave\"\n", &[("BRAVE_API_KEY", "the-key")]).unwrap();
    assert!(config.search.searcher.as_ref().is_some_and(|searcher| searcher.key().is_some()));
    assert!(!format!("{:?}", config.shown()).contains("the-key"));
    refused("[search]\nbackend = \"altavista\"\n", &[], &["line 2", "search.backend", "duckduckgo"]);
    refused("[search]\nbackend = \"searxng\"\n", &[], &["line 2", "search.backend", "`url`"]);
    refused("[search]\nbackend = \"brave\"\n", &[], &["line 2", "search.backend", "api_key_env"]);
    refused(
        "[egress]\nprivate_hosts = [\"printer.lan\"]\n",
        &[],
        &["line 2", "egress.private_hosts", "printer.lan:80"],
    );
}

#[test]
fn what_is_wrong_in_the_file_is_named_with_its_line() {
    refused("[server]\nbind = 7777\n", &[], &["line 2", "server.bind", "a text in quotes", "a whole number"]);
    refused("[server]\nbind = \"7777\"\n", &[], &["line 2", "server.bind", "127.0.0.1:7777"]);
    refused("\n\n[server]\nbnd = \"x\"\n", &[], &["line 4", "`bnd`", "Did you mean `bind`?"]);
    refused("[sever]\n", &[], &["line 1", "`sever`", "Did you mean `server`?"]);
    refused(
        "[weather]\n",
        &[],
        &[
            "line 1",
            "`weather`",
            "server, connections, store, defaults, limits, schedules, backup, log, telemetry, search, egress, provider",
        ],
    );
    refused("server = 1\n", &[], &["line 1", "[server]"]);
    refused("[server]\nhosts = [1]\n", &[], &["line 2", "server.hosts", "a list of texts in quotes"]);
    refused("[server]\nhosts = [\"http://x\"]\n", &[], &["line 2", "server.hosts"]);
    refused("[server]\nproxies = [\"caddy\"]\n", &[], &["line 2", "server.proxies", "`caddy`"]);
    refused("[server]\nproxies = [\"0.0.0.0/0\"]\n", &[], &["line 2", "server.proxies"]);
    refused("[server]\npublic_url = \"home\"\n", &[], &["line 2", "server.public_url"]);
    refused("[server]\npublic_url = \"https://a:b@home\"\n", &[], &["line 2", "server.public_url"]);
    refused("[server]\nallow_insecure_http = \"yes\"\n", &[], &["line 2", "server.allow_insecure_http"]);
    refused(
        "[telemetry]\notlp_endpoint = \"collector\"\n",
        &[],
        &["line 2", "telemetry.otlp_endpoint", "4318"],
    );
    refused("[telemetry]\notlp_endpoint = \"http://a:b@c\"\n", &[], &["line 2", "no user name"]);
    refused("[store]\nurl = \"mysql://x\"\n", &[], &["line 2", "store.url", "sqlite:"]);
    refused("[store]\nurl = \"sqlite::memory:\"\n", &[], &["line 2", "store.url"]);
    refused("[defaults]\nmodel = \"gpt\"\n", &[], &["line 2", "defaults.model", "provider/model"]);
    refused("[limits]\nupload_mb = 0\n", &[], &["line 2", "limits.upload_mb", "1 to 1000"]);
    refused("[schedules]\nat_once = 0\n", &[], &["line 2", "schedules.at_once must be 1 to 100, not 0"]);
    refused("[schedules]\nper_person = 10001\n", &[], &["line 2", "schedules.per_person", "1 to 10000"]);
    refused("[limits]\nattached_tokens = 0\n", &[], &["line 2", "limits.attached_tokens", "1 to 1000000"]);
    refused("[limits]\nupload_quota_mb = -1\n", &[], &["line 2", "limits.upload_quota_mb"]);
    refused("[connections]\ntotal = 3\n", &[], &["line 2", "connections.total must be 16 to 1000000, not 3"]);
    refused("[connections]\ntotals = 3\n", &[], &["Did you mean `total`?"]);
    refused("[limits]\ncompact_at = 5\n", &[], &["line 2", "limits.compact_at", "10 to 95"]);
    refused("[limits]\ncompact_at = -1\n", &[], &["line 2", "limits.compact_at"]);
    refused("[defaults]\ntitles = 1\n", &[], &["line 2", "defaults.titles", "true or false"]);
    refused("[limits]\nsteps = 0\n", &[], &["line 2", "limits.steps", "1 to 500"]);
    refused("[limits]\nsteps = 99999999999999999999\n", &[], &["line 2"]);
    refused("[limits]\nretry_for = \"2h\"\n", &[], &["line 2", "limits.retry_for", "90s"]);
    refused("[limits]\nmodel_silence = \"1s\"\n", &[], &["line 2", "limits.model_silence", "120s"]);
    refused("[limits]\nlease = \"2s\"\n", &[], &["line 2", "limits.lease", "15s"]);
    refused("[limits]\napproval_expiry = \"soon\"\n", &[], &["line 2", "limits.approval_expiry", "24h"]);
    refused("[server]\nbind = \"a\"\nbind = \"b\"\n", &[], &["line 3"]);
    refused("[server\n", &[], &["line 1"]);
    refused("[[server]]\n", &[], &["line 1", "server"]);
}

#[test]
fn prices_and_patience_can_be_set() {
    let config = parse(
        "[provider.x]\nbase_url = \"https://x/v1\"\nprice = { input = 3_000_000, output = 15_000_000, cached = 300_000 }\n\
         [provider.x.prices]\n\"a/b\" = \"free\"\nc = { input = 1, output = 2, stored = 3 }\n\
         [limits]\nretry_for = \"10m\"\nmodel_silence = \"30s\"\n",
        &[],
    )
    .unwrap();
    let prices = &config.providers.list[0].prices;
    let price = |input, output, cached, stored| ::provider::Price { input, output, cached, stored };
    assert_eq!(prices.of("anything"), Some(price(3_000_000, 15_000_000, Some(300_000), None)));
    assert_eq!(prices.of("a/b"), Some(::provider::Price::FREE));
    assert_eq!(prices.of("c"), Some(price(1, 2, None, Some(3))));
    assert_eq!(config.limits.retry_for.value, Duration::from_secs(600));
    assert_eq!(config.limits.model_silence.value, Duration::from_secs(30));
    let usual = parse("", &[]).unwrap().limits;
    assert_eq!(
        (usual.retry_for.value, usual.model_silence.value),
        (Duration::from_secs(90), Duration::from_secs(120))
    );
}

#[test]
fn models_that_see_pictures_can_be_named() {
    let config = parse(
        "[provider.x]\nbase_url = \"https://x/v1\"\n[provider.x.images]\n\"a/b\" = true\nc = false\n",
        &[],
    )
    .unwrap();
    let images = &config.providers.list[0].images;
    assert_eq!(images, &[("a/b".to_owned(), true), ("c".to_owned(), false)].into());
    assert!(format!("{:?}", config.shown()).contains("provider.x.images.a/b"));
}

#[test]
fn what_is_wrong_with_a_provider_is_named_with_its_line() {
    refused("[provider.x]\nwire = \"soap\"\n", &[], &["line 2", "provider.x.wire", "openai", "anthropic"]);
    refused("[provider.x]\n", &[], &["line 1", "provider.x.base_url", "missing"]);
    refused("[provider.x]\nbase_url = \"ftp://x\"\n", &[], &["line 2", "provider.x.base_url"]);
    refused(
        "[provider.x]\nbase_url = \"http://x\"\nprice = \"cheap\"\n",
        &[],
        &["line 3", "provider.x.price"],
    );
    let priced = |line: &str| format!("[provider.x]\nbase_url = \"http://x\"\n{line}\n");
    for (line, words) in [
        ("price = 3", "micro-USD"),
        ("price = { input = 3 }", "`output` is missing"),
        ("price = { input = -3, output = 1 }", "`input` is below 0"),
        ("price = { input = 3.5, output = 1 }", "`input` is not a whole number"),
        ("price = { input = 3, output = 1, tax = 1 }", "there is no `tax`"),
        ("price = { input = 3, output = 9_000_000_000_000 }", "one dollar for each token"),
        ("prices = \"free\"", "must be a table"),
        ("prices = { m = 3 }", "provider.x.prices.m"),
        ("images = true", "must be a table"),
        ("images = { m = \"yes\" }", "provider.x.images.m"),
    ] {
        refused(&priced(line), &[], &["line 3", words]);
    }
    refused(
        "[provider.x]\napi_key = \"a\"\napi_key_env = \"B\"\n",
        &[],
        &["line 3", "provider.x.api_key_env", "contradicts"],
    );
    refused("[provider.x]\napikey = \"a\"\n", &[], &["line 2", "`apikey`", "`api_key`"]);
    refused("[provider.demo]\n", &[], &["line 1", "`demo`"]);
    refused("[provider.\"a/b\"]\n", &[], &["line 1", "a/b"]);
    refused("provider = 3\n", &[], &["line 1", "[provider.NAME]"]);
    refused("[provider]\nx = 3\n", &[], &["line 2", "provider.x"]);
}

#[test]
fn what_is_wrong_in_the_environment_is_named_by_its_variable() {
    refused("", &[("MAJORDOMO_SERVER_BIND", "x")], &["MAJORDOMO_SERVER_BIND", "server.bind"]);
    refused("", &[("MAJORDOMO_SERVER_BNID", "x")], &["MAJORDOMO_SERVER_BNID", "`bind`"]);
    refused("", &[("MAJORDOMO_LIMITS_STEPS", "many")], &["MAJORDOMO_LIMITS_STEPS", "a whole number"]);
    refused("", &[("MAJORDOMO_PROVIDER_X_COLOUR", "red")], &["MAJORDOMO_PROVIDER_X_COLOUR"]);
    refused("", &[("MAJORDOMO_PROVIDER_X_WIRE", "soap")], &["MAJORDOMO_PROVIDER_X_WIRE", "anthropic"]);
}

#[test]
fn there_is_one_master_key() {
    let both = [("MAJORDOMO_MASTER_KEY", "00"), ("MAJORDOMO_STORE_MASTER_KEY_FILE", "k")];
    refused("", &both, &["master_key_file", "MAJORDOMO_MASTER_KEY"]);
    let config = parse("", &[("MAJORDOMO_MASTER_KEY", "very-secret")]).unwrap();
    assert!(!format!("{config:?} {:?}", config.shown()).contains("very-secret"));
}

#[test]
fn beyond_loopback_needs_tls_or_a_decision() {
    let open = |text: &str| parse(text, &[]).unwrap().server.check_exposure();
    let error = open("[server]\nbind = \"0.0.0.0:7777\"\n").unwrap_err();
    assert!(error.to_string().contains("line 2: server.bind 0.0.0.0:7777"), "{error}");
    assert!(error.advice().unwrap().contains("allow_insecure_http"));
    open("[server]\nbind = \"[::]:7777\"\npublic_url = \"http://home\"\n").unwrap_err();
    open("[server]\nbind = \"0.0.0.0:7777\"\npublic_url = \"https://home\"\n").unwrap();
    open("[server]\nbind = \"0.0.0.0:7777\"\nallow_insecure_http = true\n").unwrap();
    open("[server]\nbind = \"[::ffff:127.0.0.1]:1\"\n").unwrap();
}

#[test]
fn a_flag_wins_over_everything() {
    let server = parse(WHOLE, &[]).unwrap().server;
    let bound = server.clone().with_bind(Some("localhost:0")).unwrap();
    assert_eq!(bound.bind.value.to_string(), "127.0.0.1:0");
    assert_eq!(bound.bind.origin.to_string(), "--bind");
    assert!(server.with_bind(Some("everywhere")).is_err());
}

#[test]
fn relative_files_lie_in_the_data_directory() {
    let data = crate::data::DataDirectory::locate(Some(Path::new("/house"))).unwrap();
    let database = |url: &str| {
        let environment = variables(&[("MAJORDOMO_STORE_URL", url)]);
        Config::parse(None, &environment).unwrap().store.database(&data)
    };
    assert_eq!(database("sqlite:majordomo.db"), Database::Sqlite("/house/majordomo.db".into()));
    assert_eq!(database("sqlite:///elsewhere/x.db"), Database::Sqlite("/elsewhere/x.db".into()));
    assert_eq!(database("postgres://h/d"), Database::Postgres("postgres://h/d".to_owned()));
    let config = Config::parse(None, &[]).unwrap();
    assert_eq!(config.store.master_key_file(&data), Path::new("/house/master.key"));
}

#[test]
fn a_named_file_must_exist_and_the_usual_one_need_not() {
    let root = tempfile::tempdir().unwrap();
    let missing = root.path().join("majordomo.toml");
    assert!(Config::load(None, &missing, &[]).unwrap().file.is_none());
    let error = Config::load(Some(&missing), &missing, &[]).unwrap_err();
    assert!(error.to_string().contains("majordomo.toml"), "{error}");
}

#[test]
fn the_house_may_add_to_every_prompt_and_its_words_are_not_shown() {
    let config = parse("[defaults]\ncustom_prompt = \"We eat at seven.\"\n", &[]).unwrap();
    assert_eq!(config.defaults.custom_prompt.value, "We eat at seven.");
    let shown = format!("{:?}", config.shown());
    assert!(shown.contains("16 characters") && !shown.contains("We eat at seven"), "{shown}");
    let long = format!("[defaults]\ncustom_prompt = \"{}\"\n", "x".repeat((1 << 20) + 1));
    refused(&long, &[], &["defaults.custom_prompt", "1 MB"]);
}
