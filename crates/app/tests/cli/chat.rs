use super::{err, house, out, refused};
use serde_json::Value;
use testkit::model::{ModelServer, Reply};

#[tokio::test]
async fn once_answers_on_an_empty_store_and_prints_nothing_else() {
    let (_root, program) = house();
    let program = program.env("USER", "ann");
    let output = program.run(&["chat", "--once", "hello"], "").await.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(err(&output), "");
    assert!(out(&output).contains("You said: “hello”"), "{}", out(&output));
    assert!(!out(&output).contains('⚙') && !out(&output).contains('\u{1b}'));
    assert!(program.must(&["user", "list"], "").await.contains("ann"));
}

#[tokio::test]
async fn once_as_json_is_one_object_and_a_session_can_be_gone_on_with() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url());
    model.queue([Reply::text("One"), Reply::text("Two"), Reply::text("Three")]);
    let first: Value =
        serde_json::from_str(&program.must(&["chat", "--json", "--once", "a"], "").await).unwrap();
    assert_eq!(first["outcome"], "completed");
    assert_eq!(first["message"]["content"], "One");
    assert_eq!(first["usage"]["output_tokens"], 10);
    assert!(first["turn_id"].as_str().unwrap().starts_with("turn_"));
    let session = first["session_id"].as_str().unwrap();
    assert_eq!(program.must(&["chat", "--session", session, "--once", "b"], "").await, "Two");
    assert_eq!(model.last_request().unwrap().body["messages"].as_array().unwrap().len(), 4);
    assert_eq!(program.must(&["chat", "--once", "c"], "").await, "Three");
    assert_eq!(model.last_request().unwrap().body["messages"].as_array().unwrap().len(), 2, "a new session");
}

#[tokio::test]
async fn a_models_escape_sequences_are_shown_not_obeyed() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([Reply::text("\u{1b}]0;owned\u{7}\u{1b}[2Jhi\r").in_pieces_of(1)]);
    let text = program.model(&model.url()).must(&["chat", "--once", "x"], "").await;
    assert_eq!(text, "␛]0;owned␇␛[2Jhi␍");
}

#[tokio::test]
async fn a_failed_turn_is_an_exit_code_and_a_reason() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([Reply::status(401)]);
    let output = program.model(&model.url()).run(&["chat", "--once", "x"], "").await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = err(&output);
    assert!(text.contains("majordomo: ") && text.contains("→") && text.contains("/retry"), "{text}");
    assert_eq!(out(&output), "", "stdout is for the reply");
    assert_eq!(text.matches("majordomo: ").count(), 1, "said once: {text}");
}

#[tokio::test]
async fn a_piped_stdin_is_one_message_per_line() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.respond(|request| Reply::text(format!("You said {}.", request.last_user())));
    let text =
        program.model(&model.url()).must(&["chat"], "one\n\n/tmp/x is full\n//tmp is full\ntwo\n").await;
    assert_eq!(text, "You said one.\nYou said /tmp/x is full.\nYou said /tmp is full.\nYou said two.");
}

#[tokio::test]
async fn an_unknown_command_from_a_pipe_goes_to_nobody() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.respond(|request| Reply::text(format!("You said {}.", request.last_user())));
    let output = program.model(&model.url()).run(&["chat"], "/delte everything\nhello\n").await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(out(&output), "You said hello.\n");
    assert!(err(&output).contains("/delte"), "{}", err(&output));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn whole_replies_can_be_shown_instead_of_words() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([Reply::pieces(["On", "e"]), Reply::text("Two")]);
    let lines = "/stream off\na\n/stream\n/stream on\nb\n";
    let text = program.model(&model.url()).must(&["chat"], lines).await;
    let off = "Streaming is off: a reply is shown when it is complete. /stream on changes that.";
    let on = "Streaming is on: words are shown as they arrive. /stream off changes that.";
    assert_eq!(text, format!("{off}\nOne\n{off}\n{on}\nTwo"));
}

#[tokio::test]
async fn the_first_agent_can_search_the_web_where_there_is_a_search_service() {
    for (backend, has) in [("duckduckgo", true), ("none", false)] {
        let (_root, program) = house();
        let model = ModelServer::start().await;
        model.queue([Reply::text("Hello")]);
        let program = program.model(&model.url()).env("USER", "ann").env("MAJORDOMO_SEARCH_BACKEND", backend);
        program.must(&["chat", "--once", "hello"], "").await;
        let shown = program.must(&["agent", "show", "main"], "").await;
        let agent: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let mut expected = vec!["current_time", "attachments", "knowledge", "search", "schedules"];
        expected.extend(has.then_some("web_search"));
        assert_eq!(agent["capabilities"], serde_json::json!(expected), "{backend}");
        let asked = model.requests().remove(0);
        assert_eq!(asked.tool_names().contains(&"web_search"), has, "{:?}", asked.tool_names());
    }
}

#[tokio::test]
async fn in_a_script_other_words_than_yes_or_no_decide_nothing() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("add", serde_json::json!({ "a": 1, "b": 2 }))]),
        _ => Reply::text(request.results_since_user().concat()),
    });
    let program = program.model(&model.url()).env("USER", "ann");
    let file = r#"{"format":"majordomo-agent","version":1,"agent":{"name":"careful","capabilities":["test_math"],
        "tool_rules":[{"tool":"add","action":"ask"}]}}"#;
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("careful.json");
    std::fs::write(&path, file).unwrap();
    program.must(&["chat", "--once", "hello"], "").await;
    program.must(&["agent", "import", path.to_str().unwrap()], "").await;
    let output = program.run(&["chat", "--agent", "careful"], "go\nand buy milk\nn not now\n").await.unwrap();
    let (said, told) = (out(&output), err(&output));
    assert!(told.contains("is waiting for your approval") && told.contains("not sent"), "{told}");
    assert!(said.contains("not now") && !said.contains("milk"), "{said}");
}

#[tokio::test]
async fn a_piped_conversation_in_which_something_failed_is_an_exit_code() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([Reply::status(401), Reply::text("Fine")]);
    let output = program.model(&model.url()).run(&["chat"], "one\ntwo\n").await.unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("Fine") && err(&output).contains("majordomo: "), "{output:?}");
}

#[tokio::test]
async fn commands_in_the_conversation_are_run() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.queue([Reply::text("One"), Reply::status(401), Reply::text("Two")]);
    let lines = "/help\n/help all\n/retry\na\n/sessions\n/stop\n/new\nb\n/retry\n/quit\nnever sent\n";
    let output = program.model(&model.url()).run(&["chat"], lines).await.unwrap();
    let text = out(&output);
    for part in ["`/help all`", "`/session`", "`/quit`", "One\n", "session_", "Nothing is running.", "Two\n"]
    {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
    assert!(err(&output).contains("there is none yet"), "{output:?}");
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn what_does_not_exist_is_said() {
    let (_root, program) = house();
    let once = |rest: &[&'static str]| [&["chat", "--once", "x"], rest].concat();
    refused(
        &program.run(&once(&["--agent", "nobody"]), "").await.unwrap(),
        1,
        &["no agent called nobody", "main"],
    );
    refused(
        &program.run(&once(&["--session", "x"]), "").await.unwrap(),
        1,
        &["`x` is not the id of a conversation"],
    );
    let id = "session_00000000000000000000000000000000";
    refused(&program.run(&once(&["--session", id]), "").await.unwrap(), 1, &["no conversation session_0000"]);
    refused(&program.run(&["chat", "--once", " "], "").await.unwrap(), 1, &["message is empty"]);
    refused(&program.run(&once(&["--user", "eve"]), "").await.unwrap(), 1, &["no account called eve"]);
}

#[tokio::test]
async fn many_at_once_share_one_house() {
    let (_root, program) = house();
    let run = |text: &'static str| {
        let program = program.clone();
        async move { program.run(&["chat", "--once", text], "").await.unwrap() }
    };
    let (a, b, c, d) = tokio::join!(run("a"), run("b"), run("c"), run("d"));
    for (output, text) in [(a, "a"), (b, "b"), (c, "c"), (d, "d")] {
        assert!(output.status.success(), "{output:?}");
        assert_eq!(out(&output).matches("You said").count(), 1, "{output:?}");
        assert!(out(&output).contains(&format!("“{text}”")), "{output:?}");
    }
}

#[tokio::test]
async fn elements_are_shown_and_a_question_is_answered_in_the_next_line() {
    let (_root, program) = house();
    let program = program.env("USER", "ann");
    let output = program.run(&["chat"], "show me what you can do\ncoffee\n").await.unwrap();
    let text = out(&output);
    let shown = [
        "A list",
        "  ☑ Start Majordomo",
        "  ☐ Connect a real model",
        "On the way █",
        "67 %",
        "↗ The API of this server </docs>",
        "┌ A command to copy",
        "│ majordomo doctor",
        "? A prompt can be answered",
        "  1. red",
        "? What may I bring you?",
        "  2. coffee",
        "You chose “coffee”",
    ];
    for piece in shown {
        assert!(text.contains(piece), "{piece} is missing:\n{text}");
    }
    assert!(!text.contains("<progress") && !text.contains("@system("), "{text}");
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn once_says_how_a_question_is_answered() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url());
    model.queue([Reply::text("<ask options=\"a, b\">Which?</ask>"), Reply::text("Good.")]);
    let output = program.run(&["chat", "--once", "x"], "").await.unwrap();
    assert!(!output.status.success());
    assert!(out(&output).contains("? Which?\n  1. a\n  2. b"), "{}", out(&output));
    let told = err(&output);
    let session =
        told.split_whitespace().find(|word| word.starts_with("session_")).expect("how to answer").to_owned();
    let question = told.split_whitespace().find(|word| word.starts_with("question_")).unwrap().to_owned();
    let answer = ["chat", "--session", &session, "--answers", &question, "--once", "2"];
    assert_eq!(program.must(&answer, "").await, "Good.");
    refused(&program.run(&answer, "").await.unwrap(), 1, &["already answered"]);
    refused(&program.run(&["chat", "--answers", "x", "--once", "2"], "").await.unwrap(), 2, &["--session"]);
    assert!(model.last_request().unwrap().last_user().ends_with("completed:\nb"));
}

#[tokio::test]
async fn the_newest_conversation_is_continued() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url());
    program.set_up().await;
    let none = program.run(&["chat", "--continue", "--once", "x"], "").await.unwrap();
    refused(&none, 1, &["no conversation", "--continue"]);
    program.must(&["agent", "add", "cook", "system_prompt=You cook."], "").await;
    model.respond(|request| Reply::text(format!("{} messages", request.messages().len())));
    assert_eq!(program.must(&["chat", "--agent", "cook", "--once", "a"], "").await, "2 messages");
    assert_eq!(program.must(&["chat", "--once", "b"], "").await, "2 messages");
    assert_eq!(program.must(&["chat", "--continue", "--once", "c"], "").await, "4 messages");
    let cook = ["chat", "-c", "--agent", "cook", "--once", "d"];
    assert_eq!(program.must(&cook, "").await, "4 messages");
    assert!(model.last_request().unwrap().messages()[0].to_string().contains("You cook."));
    assert_eq!(program.must(&["chat", "--continue", "--once", "e"], "").await, "6 messages", "the cook's");
    let both = ["chat", "--continue", "--session", "session_x", "--once", "x"];
    refused(&program.run(&both, "").await.unwrap(), 2, &["cannot be used with"]);
}

#[tokio::test]
async fn files_go_with_a_message() {
    let (root, program) = house();
    let model = ModelServer::start().await;
    let program = program.model(&model.url());
    model.respond(|request| Reply::text(format!("Read: {}", request.raw.contains("milk and bread"))));
    let path = root.path().join("my \"list\".txt");
    std::fs::write(&path, "milk and bread").unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(program.must(&["chat", "--file", path, "--once", "What is it?"], "").await, "Read: true");
    assert_eq!(program.must(&["chat", "--once", "What is it?"], "").await, "Read: false", "the control");

    let lines = format!("/attach {path}\n/attach\nLook\n/new\nAnd now?\n");
    let text = program.must(&["chat"], &lines).await;
    assert_eq!(text.matches("will be sent with your next message").count(), 2, "{text}");
    assert!(text.contains("Read: true\n") && text.ends_with("Read: false"), "with one message: {text}");
    let text = program.must(&["chat"], &format!("/attach {path}\n/attach none\nLook\n")).await;
    assert!(text.ends_with("Read: false"), "{text}");
    let missing = program.run(&["chat", "--file", "/nowhere/x.txt", "--once", "x"], "").await.unwrap();
    refused(&missing, 1, &["/nowhere/x.txt cannot be read", "Check the path"]);
    let folder = program.run(&["chat", "--file", "/", "--once", "x"], "").await.unwrap();
    refused(&folder, 1, &["it is not a file"]);
}

#[tokio::test]
async fn another_model_answers_one_message() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.models(["scripted", "other"]);
    model.respond(|request| Reply::text(request.body["model"].as_str().unwrap().to_owned()));
    let program = program.model(&model.url());
    let text = program.must(&["chat"], "a\n/model once test/other\nb\nc\n/model\n").await;
    let said = "scripted\ntest/other answers your next message only.\nother\nscripted\n";
    assert!(text.starts_with(said), "{text}");
    assert!(
        text.contains("test/scripted") && text.contains("free") && text.contains("default model"),
        "{text}"
    );
}

#[tokio::test]
async fn what_is_remembered_is_said_with_a_slash_in_the_terminal_as_well() {
    let (_root, program) = house();
    let model = ModelServer::start().await;
    model.respond(|_| Reply::text("Hello."));
    let program = program.model(&model.url());
    program.set_up().await;
    let lines =
        "hi\n/remember The key is blue.\n/remember Bins go out on Tuesday.\n/forget 1\n/undo\n/memory list\n";
    let text = program.must(&["chat"], lines).await;
    for part in [
        "Memory 1: The key is blue.",
        "Memory 1 is forgotten: The key is blue.",
        "Memory 1 is as it was before: The key is blue.",
        "Memory 2: Bins go out on Tuesday.",
    ] {
        assert!(text.replace('`', "").contains(part), "{part:?} is not in: {text}");
    }
    assert_eq!(model.requests().len(), 1, "no model had a say");
}
