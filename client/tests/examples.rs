//! The examples run, end well, and say what they promise.

use std::{env, process::Command};

/// Runs an example that Cargo built beside this test, and returns what it
/// printed.
fn run(name: &str) -> String {
    let test = env::current_exe().expect("this program");
    let folder = test
        .ancestors()
        .nth(2)
        .expect("target/<profile>/deps/<test>");
    let program = folder
        .join("examples")
        .join(name)
        .with_extension(env::consts::EXE_EXTENSION);

    let output = Command::new(&program).output().unwrap_or_else(|error| {
        panic!(
            "{}: {error}; it is built by `cargo test -p reliable-api-client`, without `--test`",
            program.display()
        )
    });

    let printed = String::from_utf8(output.stdout).expect("text");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{complaints}", output.status);
    assert_eq!(complaints, "");
    for line in printed.lines() {
        assert!(line.chars().count() <= 80, "longer than 80 columns: {line}");
    }
    printed
}

#[test]
fn own_endpoint_tells_what_a_permission_changes() {
    let expected = "\
GET /orders
  response  200 OK
  attempts  2
  stopped   no rule had to stop it

POST /payments, with permission
  response  201 Created
  attempts  2
  stopped   no rule had to stop it

POST /payments, with a key and no permission
  response  503 Service Unavailable
  attempts  1
  stopped   NotEligible

";

    assert_eq!(run("own_endpoint"), expected);
}

#[test]
fn crawl_goes_on_from_its_file() {
    let expected = "\
First run, interrupted after it has processed page 3:
  page 1, record 1: new
  page 1, record 2: new
  page 2, record 3: new
  page 2, record 4: new
  page 3, record 5: new
  page 3, record 6: new
  the file:
  {\"version\":3,
   \"listing\":\"/items@\",
   \"pages\":2,
   \"cursor\":\"page-3\"}
Second run, from the file:
  page 1, record 5: seen before
  page 1, record 6: seen before
  page 2, record 7: new
  page 2, record 8: new
  the file:
  {\"version\":3,
   \"listing\":\"/items@\",
   \"pages\":4,
   \"cursor\":null}
All 8 records are there: {1, 2, 3, 4, 5, 6, 7, 8}
";

    // What follows the template are fingerprints, one of which is of a URL, whose port is
    // new every time.
    let printed = run("crawl");
    let parts: Vec<&str> = printed.split("/items@").collect();
    let masked: Vec<&str> = parts[1..].iter().map(|part| &part[50..]).collect();
    let printed = format!("{}/items@{}", parts[0], masked.join("/items@"));
    assert_eq!(printed, expected);
}
