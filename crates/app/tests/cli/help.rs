use super::{house, out, refused};

#[tokio::test]
async fn help_names_every_command_and_has_examples() {
    let (_root, program) = house();
    let help = program.must(&["--help"], "").await;
    for word in [
        "serve",
        "chat",
        "user",
        "api-key",
        "schedule",
        "doctor",
        "completions",
        "Examples:",
        "--data",
        "--user",
        "--config",
        "--json",
    ] {
        assert!(help.contains(word), "{word} is not in: {help}");
    }
    let help = program.must(&["chat", "--help"], "").await;
    for word in ["--agent", "--continue", "--session", "--once", "Examples:"] {
        assert!(help.contains(word), "{word} is not in: {help}");
    }
    assert!(!program.data().exists(), "asking for help makes nothing");
}

#[tokio::test]
async fn the_version_is_one_line() {
    let (_root, program) = house();
    let output = program.run(&["--version"], "").await.unwrap();
    assert_eq!(out(&output), format!("majordomo {}\n", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn a_wrong_call_is_exit_code_two() {
    let (_root, program) = house();
    for call in [
        &["dance"][..],
        &[],
        &["user", "add", "ann"],
        &["user", "add", "ann", "--role", "king"],
        &["serve", "--prot"],
    ] {
        let output = program.run(call, "").await.unwrap();
        refused(&output, 2, &[]);
    }
}

#[tokio::test]
async fn shells_are_told_what_can_be_completed() {
    let (_root, program) = house();
    for (shell, word) in
        [("bash", "complete -F"), ("zsh", "#compdef majordomo"), ("fish", "complete -c majordomo")]
    {
        let script = program.must(&["completions", shell], "").await;
        for word in [word, "doctor", "continue", "rotate"] {
            assert!(script.contains(word), "{shell}: {word} is not in: {script}");
        }
        // Where the shell is there, it reads it without complaint.
        let mut check = std::process::Command::new(shell);
        check.arg("-n").stdin(std::process::Stdio::piped());
        if let Ok(mut child) = check.spawn() {
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
            assert!(child.wait().unwrap().success(), "{shell}");
        }
    }
    refused(&program.run(&["completions", "dos"], "").await.unwrap(), 2, &["dos"]);
    assert!(!program.data().exists(), "it makes nothing");
}
