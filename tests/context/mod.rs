//! How large a request is, how it is made smaller, and what surrounds it.

mod artifacts;
