//! A file holds a checkpoint, or is refused; what was read can be written and read again.

#![cfg_attr(fuzzing, no_main)]

use std::fs;

use client::{CheckpointError, CheckpointStore, FileCheckpoints};
use fuzz::target;
use tempfile::tempdir;
use tests::wait;

target!(checkpoint);

fn checkpoint(data: &[u8]) {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("crawl");
    fs::write(&file, data).expect("a file");

    match wait(FileCheckpoints::new(&file).load()) {
        Ok(read) => {
            let read = read.expect("the file is there");
            let again = FileCheckpoints::new(folder.path().join("again"));
            wait(again.save(&read)).expect("saved");
            assert_eq!(wait(again.load()).expect("read"), Some(read));
        }
        Err(CheckpointError::Unreadable { why, .. }) => assert!(!why.is_empty()),
        Err(error) => panic!("{error}"),
    }
}
