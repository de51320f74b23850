//! Calls to foreign code whose failure must not end a run.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt;

/// Calls it; a panic becomes an error with the panic's message.
pub(in crate::agent) fn shielded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| panic_text(panic.as_ref()))
}

/// The same for a future.
pub(in crate::agent) async fn shielded_wait<T>(wait: impl Future<Output = T>) -> Result<T, String> {
    let waited = AssertUnwindSafe(wait).catch_unwind().await;
    waited.map_err(|panic| panic_text(panic.as_ref()))
}

/// What a panic says.
pub(in crate::agent) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(shielded(|| 1), Ok(1));
        let failed: Result<(), String> = shielded(|| panic!("no {}", "way"));
        assert_eq!(failed, Err("no way".to_owned()));
    }

    #[tokio::test]
    async fn so_does_a_panic_of_a_future() {
        assert_eq!(shielded_wait(async { 1 }).await, Ok(1));
        let failed: Result<(), String> = shielded_wait(async { panic!("no way") }).await;
        assert_eq!(failed, Err("no way".to_owned()));
    }
}
