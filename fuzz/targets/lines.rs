//! The lines of any bytes are those bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/crash/invariants.rs"]
#[allow(dead_code, reason = "each target uses one of its functions")]
mod invariants;

#[path = "../../tests/crash/place.rs"]
mod place;

fuzz_target!(|bytes: &[u8]| {
    let folder = place::fast_folder();
    invariants::lines_are_the_bytes(folder.path(), bytes);
});
