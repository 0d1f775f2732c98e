//! A checkpoint in a file: what it holds, and what is refused.

use std::{error::Error, fs, iter, path::PathBuf};

use client::{
    Checkpoint, CheckpointError, CheckpointStore, Cursor, FileCheckpoints, ListingId, Position,
};

use crate::support::drive::poll;

fn checkpoint(position: Position) -> Checkpoint {
    of_pages(7, position)
}

fn of_pages(pages: u32, position: Position) -> Checkpoint {
    let listing = ListingId::from_text("/items@0123456789abcdef");
    Checkpoint::new(listing, pages, position)
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
    let [theirs_saved, ours_saved] = [8, 9].map(|pages| of_pages(pages, Position::Done));
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
        theirs.save(&theirs_saved).await.expect("saved");

        for store in [&ours, &clone] {
            let error = store.save(&ours_saved).await.expect_err("it was overtaken");

            assert_eq!(error.to_string(), conflict);
            let saved = FileCheckpoints::new(&path).load().await;
            assert_eq!(saved.expect("readable").as_ref(), Some(&theirs_saved));
        }
        ours.load().await.expect("readable");
        ours.save(&ours_saved).await.expect("begun again");
        let overtaken = theirs.save(&theirs_saved).await;
        overtaken.expect_err("it was overtaken");
        fs::remove_file(&path).expect("removed");
        let removed = ours.save(&ours_saved).await.expect_err("it is gone");
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
    let three = |rest: &str| format!(r#"{{"version":3,{rest}"#);
    let of = |rest: &str| three(&format!(r#""listing":"secret",{rest}"#));
    let version = |version: u32| format!(r#"{{"version":{version},"cursor":"secret"}}"#);
    for (content, why) in [
        (String::new(), not_json),
        ("secret garbage".to_owned(), not_json),
        ("[1]".to_owned(), not_json),
        (r#"{"cursor":"secret"}"#.to_owned(), not_json),
        (r#"{"version":"3","cursor":"secret"}"#.to_owned(), not_json),
        (
            "\u{feff}".to_owned() + &of(r#""pages":1,"cursor":null}"#),
            not_json,
        ),
        (three(r#""cursor":"secret"}x"#), not_json),
        (three(r#""cursor":"secret"#), not_json),
        (three(r#""cursor":"secret"}"#), incomplete),
        (of(r#""pages":1}"#), incomplete),
        (of(r#""pages":-1,"cursor":null}"#), incomplete),
        (of(r#""pages":4294967296,"cursor":null}"#), incomplete),
        (of(r#""pages":1e2,"cursor":null}"#), incomplete),
        (of(r#""pages":1,"cursor":7}"#), incomplete),
        (of(r#""pages":1,"cursor":["secret"]}"#), incomplete),
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
async fn a_folder_that_cannot_take_a_checkpoint_is_found_by_the_load() {
    let folder = tempfile::tempdir().expect("a folder");
    let at_path = |name: &str| folder.path().join(name);
    fs::create_dir(at_path("directory")).expect("made");
    fs::write(at_path("file"), "").expect("written");
    let mut unusable = vec![
        (at_path("directory"), "read"),
        (at_path("missing/crawl"), "replace"),
        (at_path("file/crawl"), "replace"),
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
