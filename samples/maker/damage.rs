//! What crashes, editors and file systems do to a transcript.

/// The last line was being written when the process was killed.
pub fn with_torn_end(file: &[u8]) -> Vec<u8> {
    let start = last_line(file);
    file[..start + (file.len() - start) * 3 / 5].to_vec()
}

/// Line `number` (from 1) lost its second half, and the file went on.
pub fn with_half_a_line(file: &[u8], number: usize) -> Vec<u8> {
    let mut damaged = Vec::new();
    for (index, line) in file.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if index + 1 == number {
            damaged.extend_from_slice(&line[..line.len() / 2]);
            damaged.push(b'\n');
        } else {
            damaged.extend_from_slice(line);
        }
    }
    damaged
}

/// The power went: the file has its new length, but the last line was never stored.
pub fn with_nul_end(file: &[u8]) -> Vec<u8> {
    let mut damaged = file[..last_line(file)].to_vec();
    damaged.resize(file.len(), 0);
    damaged
}

/// Two whole records on the last line, as two writers without a lock leave them.
pub fn with_glued_end(file: &[u8]) -> Vec<u8> {
    let mut damaged = file.to_vec();
    damaged.remove(last_line(file) - 1);
    damaged
}

/// An editor ended every line its own way.
pub fn with_crlf(file: &[u8]) -> Vec<u8> {
    let lines = file.split_inclusive(|&byte| byte == b'\n');
    lines
        .flat_map(|line| [&line[..line.len() - 1], b"\r\n"].concat())
        .collect()
}

/// Whole, but for the last line feed.
pub fn without_last_byte(file: &[u8]) -> Vec<u8> {
    file[..file.len() - 1].to_vec()
}

/// Where the last line of a file that ends in a line feed begins.
fn last_line(file: &[u8]) -> usize {
    let before_end = &file[..file.len() - 1];
    before_end
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1)
}
