use super::*;
use crate::{NotKept, Ports, ProcessError, Processes, Ran, Registry, Run, RunEnd, ToolError, fixture};
use async_trait::async_trait;
use domain::{CapabilityRef, Permission, Sink};
use std::sync::Mutex;

const ALL: Programs = Programs { python: true, uv: true, javascript: true };

/// Gives back what it is told to, and remembers what it was asked.
struct Cage {
    ran: Ran,
    asked: Mutex<Vec<Run>>,
}

#[async_trait]
impl Processes for Cage {
    async fn run(&self, run: Run) -> Result<Ran, ProcessError> {
        self.asked.lock().unwrap().push(run);
        Ok(self.ran.clone())
    }
}

fn ran(end: RunEnd, output: &str, errors: &str) -> Ran {
    let (output, errors) = (output.to_owned(), errors.to_owned());
    let (written, deleted, not_kept) = (Vec::new(), Vec::new(), Vec::new());
    Ran { end, output, errors, order: Vec::new(), took_ms: 12, written, deleted, not_kept, no_room: None }
}

async fn call(
    tool: &dyn Tool,
    settings: Value,
    ran: Ran,
    arguments: Value,
) -> (Result<Value, ToolError>, Vec<Run>) {
    let cage = Arc::new(Cage { ran, asked: Mutex::default() });
    let mut context = fixture::context();
    context.settings = Arc::new(settings.as_object().cloned().unwrap());
    context.ports = Ports::default().with_processes(cage.clone());
    let told = tool.run(&context, arguments).await;
    let asked = cage.asked.lock().unwrap().clone();
    (told, asked)
}

#[tokio::test]
async fn bash_tells_what_a_command_said_and_did() {
    let mut done = ran(RunEnd::Code(3), "out\n", "err\n");
    done.written = vec!["/a.txt".to_owned()];
    done.not_kept = vec![NotKept { path: "/link".to_owned(), why: "it is not a file".to_owned() }];
    let (told, asked) =
        call(&bash::Bash, json!({}), done, json!({ "command": "make it", "cwd": "/workspace/notes" })).await;
    let failed = json!({
        "stdout": "out\n", "stderr": "err\n", "exit_code": 3, "success": false, "duration_ms": 12, "files_written": ["/a.txt"],
        "files_not_kept": [{ "path": "/link", "why": "it is not a file" }],
    });
    assert_eq!(told, Err(ToolError::Unsuccessful(failed)), "another code than 0 is a failure");
    assert_eq!(asked[0].command, ["/bin/bash", "-c", "make it"]);
    assert_eq!((asked[0].folder.as_str(), asked[0].time.as_secs(), asked[0].hosts.len()), ("notes", 30, 0));
}

#[tokio::test]
async fn whatever_does_not_end_well_has_failed_in_every_tool() {
    let tools: [(&dyn Tool, Value); 3] = [
        (&bash::Bash, json!({ "command": "x" })),
        (&python::RunPython { programs: ALL }, json!({ "code": "x" })),
        (&execute_code::ExecuteCode { programs: ALL }, json!({ "language": "bash", "code": "x" })),
    ];
    for (tool, arguments) in tools {
        for end in [
            RunEnd::Code(1),
            RunEnd::Code(137),
            RunEnd::TimedOut,
            RunEnd::OutOfMemory,
            RunEnd::TooManyFiles,
            RunEnd::Cancelled,
        ] {
            let (told, _) = call(tool, json!({}), ran(end, "said", ""), arguments.clone()).await;
            assert!(matches!(told, Err(ToolError::Unsuccessful(_))), "{end:?}: {told:?}");
        }
        let (told, _) = call(tool, json!({}), ran(RunEnd::Code(0), "said", "careful"), arguments).await;
        assert!(told.is_ok(), "words of complaint are no failure");
    }
}

#[tokio::test]
async fn folders_are_those_of_the_session() {
    for (written, meant) in [
        ("", ""),
        (".", ""),
        ("/", ""),
        ("/workspace", ""),
        ("a/b", "a/b"),
        ("/workspace/a/", "a"),
        ("./a", "a"),
    ] {
        let (_, asked) = call(
            &bash::Bash,
            json!({}),
            ran(RunEnd::Code(0), "", ""),
            json!({ "command": "x", "cwd": written }),
        )
        .await;
        assert_eq!(asked[0].folder, meant, "{written}");
    }
    for written in ["..", "../x", "/workspace/../etc", "a//b", "a/./b", "a\0b"] {
        let (told, asked) = call(
            &bash::Bash,
            json!({}),
            ran(RunEnd::Code(0), "", ""),
            json!({ "command": "x", "cwd": written }),
        )
        .await;
        assert!(matches!(told, Err(ToolError::Failed(_))) && asked.is_empty(), "{written} was taken");
    }
}

#[tokio::test]
async fn a_call_takes_no_longer_than_the_agent_may() {
    for (settings, asked_for, seconds) in [
        (json!({}), None, 30),
        (json!({}), Some(90), 90),
        (json!({}), Some(600), 120),
        (json!({ "timeout_seconds": 10 }), None, 10),
        (json!({ "timeout_seconds": 10 }), Some(60), 10),
        (json!({ "timeout_seconds": 300 }), Some(200), 200),
    ] {
        let arguments =
            asked_for.map_or(json!({ "command": "x" }), |time| json!({ "command": "x", "timeout": time }));
        let (_, asked) = call(&bash::Bash, settings, ran(RunEnd::Code(0), "", ""), arguments).await;
        assert_eq!(asked[0].time.as_secs(), seconds);
    }
}

/// STAVROBOT-32
#[tokio::test]
async fn python_answers_in_the_words_of_the_contract() {
    let python = python::RunPython { programs: ALL };
    for (done, words) in [
        (ran(RunEnd::Code(0), "hello\n", ""), "hello"),
        (ran(RunEnd::Code(0), "hello\n", "careful\n"), "hello\nstderr:\ncareful"),
        (ran(RunEnd::Code(2), "", ""), "Exit code: 2."),
        (ran(RunEnd::Code(1), "a\n", "b\n"), "a\nstderr:\nb\nExit code: 1."),
        (ran(RunEnd::TimedOut, "", ""), "Process timed out after 30 seconds."),
        (ran(RunEnd::Code(0), "", ""), "Script produced no output."),
    ] {
        let succeeds = done.end == RunEnd::Code(0);
        let (told, asked) = call(&python, json!({}), done, json!({ "code": "print()" })).await;
        assert_eq!(told.is_ok(), succeeds, "{words}");
        assert_eq!(told.unwrap_or_else(|error| error.to_result())["output"], words);
        assert_eq!(
            (asked[0].input.as_slice(), asked[0].command.last().unwrap().as_str()),
            (&b"print()"[..], "-")
        );
    }
}

#[tokio::test]
async fn packages_come_by_uv_or_not_at_all() {
    let arguments = json!({ "code": "import requests", "dependencies": ["requests>=2", "numpy"] });
    let with = python::RunPython { programs: ALL };
    let (_, asked) = call(&with, json!({}), ran(RunEnd::Code(0), "", ""), arguments.clone()).await;
    let input = String::from_utf8(asked[0].input.clone()).unwrap();
    assert_eq!(input, "# /// script\n# dependencies = [\"requests>=2\",\"numpy\"]\n# ///\nimport requests");
    assert_eq!(asked[0].hosts, ["pypi.org", "files.pythonhosted.org"]);
    let without = python::RunPython { programs: Programs { uv: false, ..ALL } };
    let (told, asked) = call(&without, json!({}), ran(RunEnd::Code(0), "", ""), arguments).await;
    assert!(
        matches!(told, Err(ToolError::Failed(words)) if words.contains("uv") && words.contains("standard library"))
    );
    assert!(asked.is_empty());
    for hostile in
        ["git+https://evil.example/x", "x @ https://evil.example/x.whl", "-r x", "a\n# b", "", "/tmp/x"]
    {
        let arguments = json!({ "code": "x", "dependencies": [hostile] });
        let (told, asked) = call(&with, json!({}), ran(RunEnd::Code(0), "", ""), arguments).await;
        assert!(told.is_err() && asked.is_empty(), "{hostile} was taken");
    }
}

#[tokio::test]
async fn code_runs_in_the_languages_that_are_there() {
    let all = execute_code::ExecuteCode { programs: ALL };
    for (language, program) in [("bash", "/bin/bash"), ("python", "python3"), ("javascript", "node")] {
        let (told, asked) = call(
            &all,
            json!({}),
            ran(RunEnd::Code(0), "x", ""),
            json!({ "language": language, "code": "c" }),
        )
        .await;
        assert_eq!(told.unwrap()["stdout"], "x");
        assert!(asked[0].command.iter().any(|word| word == program) && asked[0].input == b"c");
    }
    let few = execute_code::ExecuteCode { programs: Programs::default() };
    let (told, _) =
        call(&few, json!({}), ran(RunEnd::Code(0), "", ""), json!({ "language": "python", "code": "c" }))
            .await;
    assert_eq!(told, Err(ToolError::failed("parameter `language` must be one of: bash")));
    assert_eq!(few.spec().parameters["properties"]["language"]["enum"], json!(["bash"]));
}

#[tokio::test]
async fn files_that_have_no_room_are_an_error_that_names_them() {
    let mut done = ran(RunEnd::Code(0), "made it\n", "");
    done.no_room = Some("/big.bin: there is no room".to_owned());
    let tools: [(&dyn Tool, Value); 2] = [
        (&bash::Bash, json!({ "command": "x" })),
        (&python::RunPython { programs: ALL }, json!({ "code": "x" })),
    ];
    for (tool, arguments) in tools {
        let (told, _) = call(tool, json!({}), done.clone(), arguments).await;
        let Err(ToolError::Failed(words)) = told else { panic!("{told:?}") };
        assert!(words.contains("/big.bin") && words.contains("made it"), "{words}");
    }
}

#[test]
fn what_reaches_nobody_stays_inside_and_everything_asks() {
    let hosts = json!({ "hosts": ["example.com"] }).as_object().unwrap().clone();
    let plain = Settings::new();
    let python = python::RunPython { programs: ALL };
    let packages = json!({ "code": "x", "dependencies": ["requests"] });
    let cases: [(&dyn Tool, &Settings, Value, Sink); 5] = [
        (&bash::Bash, &plain, json!({}), Sink::Inside),
        (&bash::Bash, &hosts, json!({}), Sink::Outside),
        (&python, &plain, json!({ "dependencies": [] }), Sink::Inside),
        (&python, &plain, packages, Sink::Outside),
        (&execute_code::ExecuteCode { programs: ALL }, &hosts, json!({}), Sink::Outside),
    ];
    for (tool, settings, arguments, sink) in cases {
        let terms = tool.terms(settings, &arguments);
        assert_eq!((terms.permission, terms.sink), (Permission::Ask, sink), "{}", tool.spec().name);
    }
}

/// EVERRUNS-29
#[test]
fn without_a_cage_there_are_no_tools_and_the_remedy_is_told() {
    let missing = Err("install bubblewrap".to_owned());
    let (cage, none) = (Sandbox::new(&Ok(ALL)), Sandbox::new(&missing));
    assert_eq!((cage.tools().len(), none.tools().len()), (3, 0));
    let files = Arc::new(super::super::session_file_system::SessionFileSystem);
    let registry = Registry::empty().with(files).unwrap().with(Arc::new(none)).unwrap();
    let refused =
        registry.check(&[CapabilityRef::from("sandbox")], &["*".to_owned()]).unwrap_err().to_string();
    assert_eq!(refused, "the capability `sandbox` is not available here: install bubblewrap");
    let resolved = registry.resolve(&[CapabilityRef::from("sandbox")], &["*".to_owned()]).unwrap();
    assert!(resolved.missing.contains(&"sandbox".to_owned()), "an agent that had it is told that it is gone");
}
