//! A kill at any moment leaves the old checkpoint or the new one.

use std::{
    env, hint,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use client::{Checkpoint, CheckpointStore, FileCheckpoints, ListingId, Position};

use crate::support;

/// Names the checkpoint file to the process that is to be killed.
const FILE: &str = "CLIENT_TEST_CHECKPOINT";

/// Long enough that writing a checkpoint takes several pages of memory.
const PADDING: usize = 20_000;

/// The number that a checkpoint stands for; 0 for none. Anything that was not
/// saved as a whole makes it fail.
async fn progress(path: &Path) -> u64 {
    let loaded = FileCheckpoints::new(path).load().await;
    let loaded = loaded.expect("the old checkpoint or the new one, never anything else");
    match loaded.as_ref().map(Checkpoint::position) {
        None => 0,
        Some(Position::Done) => panic!("no crawl was ever done"),
        Some(Position::At(cursor)) => {
            let number = cursor.as_str().trim_start_matches('.');
            let padding = cursor.as_str().len() - number.len();
            assert_eq!(padding, PADDING, "a whole cursor");
            number.parse().expect("a number that was saved")
        }
    }
}

fn checkpoint(number: u64) -> Checkpoint {
    let cursor = format!("{}{number}", ".".repeat(PADDING));
    support::checkpoint(ListingId::from_text("/items@0"), cursor)
}

#[tokio::test]
#[ignore = "never ends; the test below runs it in a process of its own"]
async fn saves_until_it_is_killed() {
    let path = PathBuf::from(env::var_os(FILE).expect("the file to save to"));
    let store = FileCheckpoints::new(&path);
    for number in progress(&path).await + 1.. {
        store.save(&checkpoint(number)).await.expect("saved");
        io::stderr().write_all(b".").expect("somebody is reading");
    }
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_the_old_checkpoint_or_the_new_one() {
    const KILLS: u32 = 60;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl");
    let mut last = 0;

    for kill in 0..KILLS {
        let mut child = Command::new(env::current_exe().expect("this program"))
            .args(["--ignored", "--exact"])
            .arg("checkpoint_kill::saves_until_it_is_killed")
            .env(FILE, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("this program runs");
        // After one to three saves, and then at some moment of the next.
        let mut dots = vec![0; 1 + kill as usize % 3];
        let stderr = child.stderr.as_mut().expect("piped");
        stderr.read_exact(&mut dots).expect("it saves");
        for _ in 0..u64::from(kill) * 7919 % 60_000 {
            hint::spin_loop();
        }
        child.kill().expect("killed");
        child.wait().expect("ended");

        let now = progress(&path).await;
        let least = last + dots.len() as u64;
        assert!(now >= least, "{now} after {last}, kill {kill}");
        last = now;
    }
}
