//! A transcript of any lines is replayed like a plain list.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/crash/model.rs"]
#[allow(dead_code, reason = "each target uses one of its functions")]
mod model;

#[path = "../../tests/crash/place.rs"]
mod place;

fuzz_target!(|bytes: &[u8]| {
    let folder = place::fast_folder();
    model::a_load_is_what_the_model_says(folder.path(), bytes);
});
