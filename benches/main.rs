//! Measures what the crate promises, always against something else in the same run.
//!
//! ```text
//! cargo bench                           all of it, some minutes
//! cargo bench -- appending reading      what is named
//! cargo bench -- --quick                small inputs: proves that it runs, measures nothing
//! cargo bench --no-default-features     the library alone, which compiles sooner
//! ```

#![allow(
    clippy::expect_used,
    reason = "a measurement that cannot be made is a failure"
)]

mod appending;
mod following;
mod locking;
#[cfg(feature = "agent")]
mod looping;
mod measure;
mod reading;
#[cfg(feature = "view")]
mod viewing;

#[path = "../samples/make_big.rs"]
#[allow(dead_code, reason = "of the program only the part that writes is used")]
mod make_big;

fn main() {
    let named: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let all: &[(&str, fn())] = &[
        ("reading", reading::main),
        ("appending", appending::main),
        ("following", following::main),
        ("locking", locking::main),
        #[cfg(feature = "agent")]
        ("looping", looping::main),
        #[cfg(feature = "view")]
        ("viewing", viewing::main),
    ];
    for (name, run) in all {
        if named.is_empty() || named.iter().any(|it| it == name) {
            run();
        }
    }
}
