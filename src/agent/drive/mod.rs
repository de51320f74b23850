//! The driver: owns everything that changes during a run, and carries out what `decide` decides.
//!
//! One spawned task plays one run. Every step answers [`Step`](end::Step); its error says that the
//! run is over, so that `?` is how a run ends, well or badly.

mod attempt;
mod batch;
mod claim;
mod compaction;
mod conversation;
mod driver;
mod end;
mod group;
mod inject;
mod observe;
mod park;
mod round;
mod round_trip;
mod seed;
mod settle;
mod site;
mod stream;
mod task;
mod turn;

pub(super) use site::Shape;
pub(super) use stream::StreamSlot;
pub(super) use task::Task;
