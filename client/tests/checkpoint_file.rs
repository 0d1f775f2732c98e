//! A checkpoint in a file: what it holds, and what is refused.

use std::{error::Error, fs, iter, path::Path};

use client::{
    Checkpoint, CheckpointError, CheckpointStore, Cursor, FileCheckpoints, ListingId, Position,
};

use crate::support::drive::poll;

fn checkpoint(position: Position) -> Checkpoint {
    Checkpoint {
        listing: ListingId::from_text("/items@0123456789abcdef"),
        pages: 7,
        position,
    }
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

        let before = r#"{"version":2,"listing":"/items@0123456789abcdef","pages":7,"cursor":"#;
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
    // What another program left where the next save writes.
    let beside = folder.path().join("crawl.new");
    fs::write(&beside, "left over").expect("written");
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o666)).expect("set");

    let saved = FileCheckpoints::new(&path).save(&at("c-1")).await;

    saved.expect("saved");
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{mode:o}");
}

#[tokio::test]
async fn what_another_crawl_saved_is_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl");
    let conflict = format!(
        "the checkpoint {} was changed or removed since this crawl last read or saved it, \
         and was left as it is; run only one crawl at a time with it, \
         and restart this crawl to continue from the stored checkpoint",
        path.display()
    );
    for old in [None, Some(at("c-1"))] {
        let ours = FileCheckpoints::new(&path);
        if let Some(old) = &old {
            ours.save(old).await.expect("saved");
        }
        // One that was begun apart, and one that is a clone.
        let theirs = FileCheckpoints::new(&path);
        let clone = ours.clone();
        for store in [&ours, &theirs, &clone] {
            assert_eq!(store.load().await.expect("readable"), old);
        }
        theirs.save(&at("theirs")).await.expect("saved");

        for store in [&ours, &clone] {
            let error = store.save(&at("ours")).await.expect_err("it was overtaken");

            assert_eq!(error.to_string(), conflict);
            let saved = FileCheckpoints::new(&path).load().await;
            assert_eq!(saved.expect("readable"), Some(at("theirs")));
        }
        ours.load().await.expect("readable");
        ours.save(&at("ours")).await.expect("begun again");
        let overtaken = theirs.save(&at("theirs")).await;
        overtaken.expect_err("it was overtaken");
        fs::remove_file(&path).expect("removed");
        let removed = ours.save(&at("ours")).await.expect_err("it is gone");
        assert_eq!(removed.to_string(), conflict);
        assert!(!path.exists(), "it was made again");
    }
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
    let two = |rest: &str| format!(r#"{{"version":2,{rest}"#);
    let of = |rest: &str| two(&format!(r#""listing":"secret",{rest}"#));
    let version = |version: u32| format!(r#"{{"version":{version},"cursor":"secret"}}"#);
    for (content, why) in [
        (String::new(), not_json),
        ("secret garbage".to_owned(), not_json),
        ("[1]".to_owned(), not_json),
        (r#"{"cursor":"secret"}"#.to_owned(), not_json),
        (r#"{"version":"2","cursor":"secret"}"#.to_owned(), not_json),
        (
            "\u{feff}".to_owned() + &of(r#""pages":1,"cursor":null}"#),
            not_json,
        ),
        (two(r#""cursor":"secret"}x"#), not_json),
        (two(r#""cursor":"secret"#), not_json),
        (two(r#""cursor":"secret"}"#), incomplete),
        (of(r#""pages":1}"#), incomplete),
        (of(r#""pages":-1,"cursor":null}"#), incomplete),
        (of(r#""pages":4294967296,"cursor":null}"#), incomplete),
        (of(r#""pages":1e2,"cursor":null}"#), incomplete),
        (of(r#""pages":1,"cursor":7}"#), incomplete),
        (of(r#""pages":1,"cursor":["secret"]}"#), incomplete),
        (of(r#""pages":1,"cursor":null,"page":2}"#), incomplete),
        (of(r#""pages":1,"cursor":""}"#), "its cursor is empty"),
        (version(1), "its version 1 does not name its listing"),
        (version(3), "its version is unknown"),
    ] {
        fs::write(&path, &content).expect("written");

        let error = FileCheckpoints::new(&path).load().await;

        let expected = format!(
            "{} is not a checkpoint of this client ({why}); \
             move it away to start from the beginning, or name another file",
            path.display()
        );
        assert_eq!(text(&error.expect_err(&content)), expected);
        assert_eq!(fs::read_to_string(&path).expect("still there"), content);
    }
}

#[tokio::test]
async fn what_cannot_be_read_or_replaced_is_named_with_advice() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let directory = folder.path().join("directory");
    fs::create_dir(&directory).expect("made");
    let failed = |action, path: &Path| {
        format!(
            "cannot {action} the checkpoint {}; check that its folder exists and may be read, \
             and that it is a file which this program may read and replace: ",
            path.display()
        )
    };

    let read = FileCheckpoints::new(&directory).load().await;
    let replaced = FileCheckpoints::new(&directory).save(&at("c-1")).await;
    let inside_missing = missing.join("crawl");
    let nowhere = FileCheckpoints::new(&inside_missing).save(&at("c-1")).await;

    for (error, prefix) in [
        (read.map(|_| ()), failed("read", &directory)),
        (replaced, failed("save", &directory)),
        (nowhere, failed("save", &inside_missing)),
    ] {
        let text = text(&error.expect_err("not a file"));
        let cause = text.strip_prefix(&prefix);
        assert!(cause.is_some_and(|cause| !cause.is_empty()), "{text}");
    }
    let left = fs::read_dir(folder.path()).expect("readable");
    assert_eq!(left.count(), 1, "no temporary file is left");
}

#[tokio::test]
async fn a_save_that_was_dropped_never_overtakes_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl");
    let store = FileCheckpoints::new(&path);
    let mut halfway = 0;
    for round in 0..50 {
        let (older, newer) = (at(&format!("{round}-older")), at(&format!("{round}-newer")));
        let mut dropped = Box::pin(store.save(&older));
        // Once in a while the file is written before anybody asks.
        halfway += u32::from(poll(dropped.as_mut()).is_pending());
        drop(dropped);

        let saved = store.save(&newer).await;
        saved.expect("the dropped one is out of the way");

        assert_eq!(store.load().await.expect("a checkpoint"), Some(newer));
    }
    assert_ne!(halfway, 0);
}
