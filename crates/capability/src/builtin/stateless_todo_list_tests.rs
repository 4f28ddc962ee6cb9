use super::*;
use crate::fixture::{failure, run};

fn task(status: &str) -> Value {
    json!({ "content": "Write", "activeForm": "Writing", "status": status })
}

async fn with(statuses: &[&str]) -> Value {
    let todos: Vec<Value> = statuses.iter().map(|status| task(status)).collect();
    run(&WriteTodos, json!({ "todos": todos })).await.unwrap()
}

#[tokio::test]
async fn a_list_is_counted_and_given_back() {
    let result = with(&["completed", "in_progress", "pending", "pending"]).await;
    assert_eq!(result["success"], true);
    assert_eq!(result["total_tasks"], 4);
    let counts = [&result["pending"], &result["in_progress"], &result["completed"]];
    assert_eq!(counts, [&json!(2), &json!(1), &json!(1)]);
    assert_eq!(result["todos"][1], task("in_progress"));
    assert!(result.get("warning").is_none());
    assert!(with(&[]).await.get("warning").is_none(), "an empty list is a list");
    assert!(with(&["completed"]).await.get("warning").is_none());
}

/// EVERRUNS-06: both warnings.
#[tokio::test]
async fn a_list_that_is_not_worked_through_one_by_one_is_warned_about() {
    assert_eq!(with(&["in_progress", "in_progress"]).await["warning"], SEVERAL_BEGUN);
    assert_eq!(with(&["pending", "completed"]).await["warning"], NONE_BEGUN);
    assert_eq!(with(&["in_progress", "in_progress"]).await["success"], true);
}

/// EVERRUNS-06: the task is named, counted from 1.
#[tokio::test]
async fn a_wrong_task_is_named() {
    let wrong = |second: Value| async move {
        failure(&WriteTodos, json!({ "todos": [task("pending"), second] })).await
    };
    assert_eq!(
        wrong(task("done")).await,
        "task 2: parameter `status` must be one of: pending, in_progress, completed"
    );
    let part = json!({ "content": "x", "status": "pending" });
    assert_eq!(wrong(part).await, "task 2: the required parameter `activeForm` is missing");
    let blank = json!({ "content": " ", "activeForm": "x", "status": "pending" });
    assert_eq!(wrong(blank).await, "task 2: parameter `content` must not be empty");
    let bare = json!({ "content": "x", "activeForm": "x" });
    assert_eq!(wrong(bare).await, "task 2: the required parameter `status` is missing");
    assert!(wrong(json!("x")).await.starts_with("task 2: it must be an object"));
    let long = json!({ "content": "x".repeat(501), "activeForm": "x", "status": "pending" });
    assert_eq!(wrong(long).await, "task 2: parameter `content` must have at most 500 characters");
}

#[tokio::test]
async fn what_is_no_list_is_refused() {
    for bad in [json!({}), json!({ "todos": null }), json!({ "todos": {} }), json!({ "todos": "x" })] {
        assert!(failure(&WriteTodos, bad).await.contains("todos"));
    }
    let many = vec![task("pending"); 101];
    assert!(failure(&WriteTodos, json!({ "todos": many })).await.contains("at most 100"));
}

#[tokio::test]
async fn what_does_not_belong_to_a_task_is_left_out() {
    let mut odd = task("pending");
    odd["sender_id"] = json!("somebody");
    let result = run(&WriteTodos, json!({ "todos": [odd] })).await.unwrap();
    assert_eq!(result["todos"][0], task("pending"));
}
