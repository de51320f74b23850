//! A program on a terminal, and what stands on its screen.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::Pid;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program on a terminal.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    pub master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    pub seen: Arc<Mutex<Seen>>,
}

/// What came out of it: the bytes, and the screen they make.
pub struct Seen {
    pub bytes: Vec<u8>,
    pub screen: vt100::Parser,
}

impl Terminal {
    pub fn start(command: CommandBuilder) -> Self {
        let size = PtySize {
            rows: 24,
            cols: 80,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut out = pair.master.try_clone_reader().unwrap();
        let seen = Arc::new(Mutex::new(Seen {
            bytes: Vec::new(),
            screen: vt100::Parser::new(size_of(24), size_of(80), 0),
        }));
        let theirs = Arc::clone(&seen);
        thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut block) {
                let mut seen = theirs.lock().unwrap();
                seen.bytes.extend_from_slice(&block[..count]);
                seen.screen.process(&block[..count]);
            }
        });
        Self {
            child,
            keys: pair.master.take_writer().unwrap(),
            master: pair.master,
            seen,
        }
    }

    /// The viewer on a file.
    pub fn view(file: &Path) -> Self {
        Self::sess([file.as_os_str()])
    }

    /// The command with these words.
    pub fn sess(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sess"));
        command.args(words);
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        Self::start(command)
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    pub fn text(&self) -> String {
        self.seen.lock().unwrap().screen.screen().contents()
    }

    #[track_caller]
    pub fn wait_for(&self, what: &str) {
        self.wait_until(what, |screen| screen.contents().contains(what));
    }

    #[track_caller]
    pub fn wait_until(&self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) {
        let begun = Instant::now();
        while !holds(self.seen.lock().unwrap().screen.screen()) {
            assert!(
                begun.elapsed() < PATIENCE,
                "no {what:?} in\n{}",
                self.text()
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn pid(&self) -> Pid {
        let pid = self.child.process_id().unwrap();
        Pid::from_raw(pid.try_into().unwrap()).unwrap()
    }

    /// Waits for the end, and checks that the terminal is as it was. The exit status.
    #[track_caller]
    pub fn ended(mut self) -> (u32, Vec<u8>, String) {
        let status = self.child.wait().unwrap();
        self.wait_until("the first screen", |screen| !screen.alternate_screen());
        let seen = self.seen.lock().unwrap();
        let screen = seen.screen.screen();
        assert!(!screen.hide_cursor(), "the cursor is shown");
        let mouse = screen.mouse_protocol_mode();
        assert_eq!(mouse, vt100::MouseProtocolMode::None);
        (status.exit_code(), seen.bytes.clone(), screen.contents())
    }
}

pub fn size_of(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}
