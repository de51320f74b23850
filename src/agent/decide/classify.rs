//! Whether asking again makes sense, judged by the kind of a failure alone.

use crate::backend::ErrorClass;

/// What a failure suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// It may pass: ask the same backend again.
    RetrySame,
    /// Another backend may do better.
    Advance,
    /// No backend would do better.
    Abort,
}

/// The bucket of a failure. A response without a class is one that says nothing, which may pass.
///
/// ```
/// use sess::agent::decide::classify::{Bucket, classify};
/// use sess::backend::ErrorClass;
/// assert_eq!(classify(Some(ErrorClass::Http), Some(429)), Bucket::Advance);
/// assert_eq!(classify(Some(ErrorClass::Connection), None), Bucket::RetrySame);
/// ```
pub fn classify(class: Option<ErrorClass>, status: Option<u16>) -> Bucket {
    match (class, status) {
        (Some(ErrorClass::Http), Some(400..=404)) => Bucket::Abort,
        (Some(ErrorClass::Http), Some(500..=599)) => Bucket::RetrySame,
        (Some(ErrorClass::Http | ErrorClass::Timeout | ErrorClass::Response), _) => Bucket::Advance,
        (Some(ErrorClass::Connection | ErrorClass::Unknown) | None, _) => Bucket::RetrySame,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 12.6-71
    #[test]
    fn the_table_of_buckets() {
        use ErrorClass::*;
        for (class, status, expected) in [
            (Some(Http), Some(400), Bucket::Abort),
            (Some(Http), Some(401), Bucket::Abort),
            (Some(Http), Some(404), Bucket::Abort),
            (Some(Http), Some(418), Bucket::Advance),
            (Some(Http), Some(422), Bucket::Advance),
            (Some(Http), Some(429), Bucket::Advance),
            (Some(Http), Some(302), Bucket::Advance),
            (Some(Http), None, Bucket::Advance),
            (Some(Http), Some(500), Bucket::RetrySame),
            (Some(Http), Some(599), Bucket::RetrySame),
            (Some(Timeout), None, Bucket::Advance),
            (Some(Connection), None, Bucket::RetrySame),
            (Some(Response), None, Bucket::Advance),
            (Some(Unknown), None, Bucket::RetrySame),
            (None, None, Bucket::RetrySame),
        ] {
            assert_eq!(classify(class, status), expected, "{class:?} {status:?}");
        }
    }
}
