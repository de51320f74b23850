//! Whether asking again makes sense, judged by the kind of a failure alone.

use crate::backend::ErrorClass;

/// What a failure suggests.
///
/// ```
/// use sess::agent::decide::classify::{Bucket, classify};
/// use sess::backend::ErrorClass;
/// assert_eq!(classify(Some(ErrorClass::Http), Some(503)), Bucket::RetrySame);
/// assert_eq!(classify(Some(ErrorClass::Timeout), None), Bucket::Advance);
/// assert_eq!(classify(Some(ErrorClass::Http), Some(401)), Bucket::Abort);
/// ```
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

/// Whether a server refused what it was sent, so that the same request would be refused again:
/// another backend may take it, this one never will. The statuses that speak of the moment (request
/// timeout, conflict, too early, too many requests) are no refusals.
///
/// ```
/// use sess::agent::decide::classify::is_refusal;
/// use sess::backend::ErrorClass;
/// assert!(is_refusal(Some(ErrorClass::Http), Some(422)));
/// assert!(!is_refusal(Some(ErrorClass::Http), Some(429)));
/// ```
pub fn is_refusal(class: Option<ErrorClass>, status: Option<u16>) -> bool {
    match (class, status) {
        (Some(ErrorClass::Http), Some(408 | 409 | 425 | 429)) => false,
        (Some(ErrorClass::Http), Some(300..=499)) => true,
        _ => false,
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

    #[test]
    fn a_refusal_is_of_the_request_and_not_of_the_moment() {
        use ErrorClass::*;
        for status in [
            302, 400, 401, 404, 405, 410, 413, 415, 418, 422, 431, 451, 499,
        ] {
            assert!(is_refusal(Some(Http), Some(status)), "{status}");
        }
        for (class, status) in [
            (Some(Http), Some(408)),
            (Some(Http), Some(409)),
            (Some(Http), Some(425)),
            (Some(Http), Some(429)),
            (Some(Http), Some(500)),
            (Some(Http), None),
            (Some(Timeout), None),
            (Some(Response), None),
            (None, None),
        ] {
            assert!(!is_refusal(class, status), "{class:?} {status:?}");
        }
    }
}
