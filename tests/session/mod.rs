//! The session layer, by the scenarios of its specification.
//!
//! A test that begins with `s` and a number is the scenario of that number; one test may be several
//! (`s34_s35_…`).
//!
//! | scenarios | where |
//! |---|---|
//! | 11.1: 1–19, 21 | `file` |
//! | 20 a handle that fails | `crash::every_operation` |
//! | 11.2: 22–29, 31–43, 45–48 | `replay` |
//! | 30 grants in a policy, 44 seeding, 49–50 aging | the loop: later |
//! | 11.3: 51–58 | `canonical` |
//! | 59 vectors | `canonical::reference`, `canonical::vectors` |
//! | 11.4: 60–68, 70–72 artifacts | later |
//! | 69 a pending record changed by its reader | `file`, with 12 |
//! | 11.5: 73–82 the live operation | later |
//! | 83–90, 92 | `operations` |
//! | 91 | `file`, with 11 |
//! | 11.6: 93–101 rendering a run context | later |
//! | 11.7: 102–111 | `bytes` |
//! | 112, 119, 120 | `tail` |
//! | 113, 116–118, 123–128 | `failure` |
//! | 114 every byte of an append | `crash::every_byte`, `reference::sweeps` |
//! | 115 between staging and rename | `crash::every_operation` |
//! | 121, 122 full disks, failed writes | `crash::full_disk`, `crash::every_operation` |
//! | 129 reserved keys | `file`, with 4 |
//! | 130–132 | `threads` |
//! | 133–136 several writers | `crash::writers` |
//! | 137, 138 | `properties` |
//! | 139–141 | `semantics` |
//! | 142–144 | `operations` |
//! | 145 | `replay`, with 47 |
//! | 146 | `file`, with 12 |
//! | 147 files of the reference here | `reference`; ours there: it is not at hand |

mod bytes;
mod failure;
mod file;
mod operations;
mod place;
mod properties;
mod replay;
mod semantics;
mod tail;
mod threads;
