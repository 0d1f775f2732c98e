//! A checkpoint in a file: what it holds, and what is refused.

use std::{error::Error, fs, iter, path::PathBuf};

use client::{
    Checkpoint, CheckpointError, CheckpointStore, Cursor, FileCheckpoints, ListingId, Position,
};

fn checkpoint(position: Position) -> Checkpoint {
    let listing = ListingId::from_text("/items@0123456789abcdef");
    Checkpoint::new(listing, 7, position)
}

fn at(cursor: &str) -> Checkpoint {
    checkpoint(Position::At(Cursor::new(cursor).expect("not empty")))
}

#[tokio::test]
async fn the_file_holds_a_version_the_listing_the_pages_and_the_cursor_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl");
    let store = FileCheckpoints::new(&path);
    assert_eq!(store.load().await.expect("no file yet"), None);

    for (checkpoint, cursor) in [
        (at("a+/=&\"\u{e9}\n"), "\"a+/=&\\\"\u{e9}\\n\""),
        (at("c-1"), r#""c-1""#),
        (checkpoint(Position::Done), "null"),
    ] {
        store.save(&checkpoint).await.expect("saved");

        let before = r#"{"version":3,"listing":"/items@0123456789abcdef","pages":7,"cursor":"#;
        let text = fs::read_to_string(&path).expect("a file");
        assert_eq!(text, format!("{before}{cursor}}}"));
        assert_eq!(store.load().await.expect("loaded"), Some(checkpoint));
    }
    let files = fs::read_dir(folder.path()).expect("readable");
    assert_eq!(files.count(), 1, "nothing is left beside it");
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl");
    let saved = FileCheckpoints::new(&path).save(&at("c-1")).await;

    saved.expect("saved");
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{mode:o}");
}

/// A file beside it may be the running save of another crawl, whatever its name is.
#[tokio::test]
async fn a_load_and_a_save_leave_every_other_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = [
        ".checkpoint-a1b2c3",
        ".checkpoint-913ef19ec3da93c0-x7.tmp",
        "crawl.tmp",
        "another",
    ];
    for name in names {
        fs::write(folder.path().join(name), name).expect("written");
    }
    let store = FileCheckpoints::new(folder.path().join("crawl"));

    store.load().await.expect("no checkpoint yet");
    store.save(&at("c-1")).await.expect("saved");
    store.load().await.expect("loaded");

    for name in names {
        let left = fs::read_to_string(folder.path().join(name));
        assert_eq!(left.expect("it is left"), name);
    }
    let all = fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(all, names.len() + 1);
}

/// The whole text of an error, its causes included.
fn text(error: &CheckpointError) -> String {
    let chain = iter::successors(Some(error as &dyn Error), |&error| error.source());
    let texts: Vec<_> = chain.map(ToString::to_string).collect();
    texts.join(": ")
}

#[tokio::test]
async fn a_file_that_is_no_checkpoint_is_refused_by_name_and_with_advice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl");
    let not_json = "it is not a JSON object with a `version`";
    let incomplete = "it does not hold `listing`, `pages` and `cursor`";
    let of = |rest: &str| format!(r#"{{"version":3,"listing":"secret",{rest}"#);
    let version = |version: u32| format!(r#"{{"version":{version},"cursor":"secret"}}"#);
    for (content, why) in [
        (String::new(), not_json),
        (r#"{"version":"3","cursor":"secret"}"#.to_owned(), not_json),
        (of(r#""pages":1}"#), incomplete),
        (of(r#""pages":1,"cursor":7}"#), incomplete),
        (of(r#""pages":1,"cursor":null,"page":2}"#), incomplete),
        (of(r#""pages":1,"cursor":""}"#), "its cursor is empty"),
        (version(2), "its version is unknown"),
        (version(4), "its version is unknown"),
    ] {
        fs::write(&path, &content).expect("written");

        let store = FileCheckpoints::new(&path);
        let loaded = store.load().await.map(drop);
        // Neither after the failed load nor without one.
        let saved = store.save(&at("ours")).await;
        let saved_unread = FileCheckpoints::new(&path).save(&at("ours")).await;

        let expected = format!(
            "{} is not a checkpoint of this client ({why}); \
             move it away to start from the beginning, or name another file",
            path.display()
        );
        for refused in [loaded, saved, saved_unread] {
            assert_eq!(text(&refused.expect_err(&content)), expected);
        }
        assert_eq!(fs::read_to_string(&path).expect("still there"), content);
    }
}

/// A checkpoint that cannot be saved is found when it is loaded, before the crawl begins.
#[tokio::test]
async fn a_path_that_cannot_take_a_checkpoint_is_found_by_the_load() {
    let folder = tempfile::tempdir().expect("a folder");
    let at_path = |name: &str| folder.path().join(name);
    fs::create_dir(at_path("directory")).expect("made");
    fs::write(at_path("file"), "").expect("written");
    let mut unusable = vec![
        (at_path("directory"), "read"),
        (at_path("missing/crawl"), "replace"),
        (at_path("file/crawl"), "replace"),
        (PathBuf::new(), "replace"),
        (at_path("new/"), "replace"),
        (at_path("new/."), "replace"),
        (at_path(".."), "replace"),
    ];
    if cfg!(target_os = "linux") {
        // Not even root can make a file there.
        unusable.push((PathBuf::from("/proc/crawl"), "replace"));
    }

    for (path, action) in unusable {
        let error = FileCheckpoints::new(&path).load().await;

        let text = text(&error.expect_err("it cannot take a checkpoint"));
        let prefix = format!(
            "cannot {action} the checkpoint {}; check that its folder exists and may be read, \
             and that it is a file which this program may read and replace: ",
            path.display()
        );
        let cause = text.strip_prefix(&prefix);
        assert!(cause.is_some_and(|cause| !cause.is_empty()), "{text}");
    }
    let left = fs::read_dir(folder.path()).expect("readable");
    assert_eq!(left.count(), 2, "no temporary file is left");
}
