//! What the calls of one tool add up to.

/// The calls of one tool.
///
/// ```
/// use std::fs::File;
/// use sess::look::timeline::Timeline;
/// let timeline = Timeline::of(File::open("samples/sessions/healthy.jsonl")?)?;
/// for (tool, stats) in timeline.tools.named() {
///     println!("{tool}: {} calls, {} failed, longest {} s", stats.calls, stats.failures, stats.longest);
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ToolStats {
    /// How many there are.
    pub calls: u64,
    /// How many of them ended in an error.
    pub failures: u64,
    /// Of how many it is recorded that nobody knows how they ended.
    pub unknown: u64,
    /// How many have a measured duration.
    pub timed: u64,
    /// The sum of those, in seconds.
    pub seconds: f64,
    /// The longest of those, in seconds.
    pub longest: f64,
    /// Bytes of text in their answers.
    pub result_bytes: u64,
}

impl ToolStats {
    pub(super) fn took(&mut self, seconds: f64) {
        self.timed += 1;
        self.seconds += seconds;
        self.longest = self.longest.max(seconds);
    }
}
