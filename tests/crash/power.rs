//! What is made to survive a loss of power, and in which order.

use std::fs;

use sess::session::{Durability, Session};
use sess::{Json, Message};

use super::faulty::FaultyDisk;
use super::place::fast_folder;

/// What was asked of the disk, without the questions that change nothing.
fn changes(disk: &FaultyDisk) -> Vec<String> {
    let questions = ["len", "read", "is-at", "access", "lock", "unlock"];
    let all = disk.record().into_iter();
    let changes = all.filter(|it| !questions.contains(&it.as_str()));
    // How long a line is does not matter here, nor what the name before the name is.
    changes
        .map(|it| match it.split_once(' ') {
            Some(("append", _)) => "append".to_owned(),
            Some((what, name)) if name.starts_with(".run.jsonl.") && name.ends_with(".new") => {
                format!("{what} staged")
            }
            _ => it,
        })
        .collect()
}

#[test]
fn a_created_transcript_and_each_line_are_on_the_device_before_they_are_acknowledged() {
    let folder = fast_folder();
    let disk = FaultyDisk::default();
    let options = Session::options()
        .durability(Durability::PowerLoss)
        .disk(disk.clone());
    let path = folder.path().join("run.jsonl");
    let session = options.create(path, Json::empty_object()).unwrap();
    assert_eq!(
        changes(&disk),
        [
            "create staged",
            "append",
            "sync",
            "link run.jsonl",
            "remove staged",
            "sync-folder"
        ]
    );
    session.append_message(Message::user("hello")).unwrap();
    session.append_grants(&[]).unwrap();
    assert_eq!(changes(&disk)[6..], ["append", "sync", "append", "sync"]);
}

#[test]
fn without_power_loss_in_mind_nothing_waits_for_the_device() {
    let folder = fast_folder();
    let disk = FaultyDisk::default();
    let path = folder.path().join("run.jsonl");
    let session = Session::options()
        .disk(disk.clone())
        .create(path, Json::empty_object())
        .unwrap();
    session.append_message(Message::user("hello")).unwrap();
    assert_eq!(
        changes(&disk),
        [
            "create staged",
            "append",
            "link run.jsonl",
            "remove staged",
            "append"
        ]
    );
}

#[test]
fn a_repaired_copy_is_on_the_device_before_it_takes_the_name() {
    let folder = fast_folder();
    let path = folder.path().join("run.jsonl");
    drop(Session::create(&path, Json::empty_object()).unwrap());
    let torn = fs::read_to_string(&path).unwrap() + "{\"id\":";
    fs::write(&path, torn).unwrap();
    let disk = FaultyDisk::default();
    let options = Session::options()
        .durability(Durability::PowerLoss)
        .disk(disk.clone());
    options.keep_cut_bytes(false).load(&path).unwrap();
    let staged = [
        "create run.jsonl.repair",
        "append",
        "sync",
        "rename run.jsonl.repair",
        "sync-folder",
    ];
    assert_eq!(
        changes(&disk)[..6],
        [&["open run.jsonl"], staged.as_slice()].concat()
    );
}
