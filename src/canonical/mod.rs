//! JSON as this crate holds, writes and compares it.
//!
//! [`Json`] is a document kept as its text. Written anew it has two forms, both without white
//! space, with keys sorted by code point at every depth, the last of equal keys standing, and
//! strings escaped as [`write_string`] does it:
//!
//! - [compact](Json::compact), which keeps the spelling of every number: what is stored;
//! - [canonical](Json::canonical), which gives numbers one spelling: what is compared and digested.
//!
//! Only JSON is taken for JSON: no leading zeros, no raw control characters inside strings. But all
//! of it is: any depth, any number, and escapes that stand for half a surrogate pair.
//!
//! # Canonical numbers
//!
//! How a number is spelled says what kind it is, and kinds are never equal: `1`, `1.0` and `1e0`
//! are three numbers.
//!
//! | spelling | canonical |
//! |---|---|
//! | no point, no exponent | the same digits at any size; `-0` is `0` |
//! | a point, no exponent | without trailing zeros, but with at least one fractional digit: `1.50` is `1.5`, `2.00` is `2.0`, `-0.0` is `0.0` |
//! | an exponent | the double, in the shortest digits that read back as it: `1e2` is `100e0`, `1e-5` is `1e-05`, `1e15` is `1e+15` |
//!
//! The forms follow LLM::Agent, whose digests agree with ours in this subset: text in Unicode
//! normal form C; decimals of at most 19 fractional digits; doubles in range. Decimals are rounded
//! half up as it does: to 6 fractional digits when the denominator of the reduced fraction is
//! below 100,000, else to one more than that denominator has digits. Only fractions that reduce
//! far lose digits: `0.0078125` is 1/128 and becomes `0.007813`, `0.0078123` stays.
//!
//! Outside the subset we keep what was given: text is not normalised, and keys are compared by
//! code point; a decimal with more than 19 fractional digits keeps them all; a double out of range
//! (`1e400`) keeps its token.

mod arguments;
mod block;
mod build;
mod digest;
mod escape;
mod json;
mod members;
mod number;
mod parse;
mod pattern;
mod quoted;
mod sort;
mod token;
mod unescape;
mod walk;
mod write;

pub use arguments::{canonical_arguments, canonical_arguments_of};
pub use digest::{Sha256Hex, digest_of_json, digest_of_text};
pub use escape::write_string;
pub use json::Json;
pub(crate) use members::{Members, elements, member, members};
pub use parse::JsonError;
pub use pattern::{EmptyPattern, ToolPattern};
pub use unescape::{Unescaped, unescape};
pub(crate) use walk::Walk;
