//! Looks at sixty-four bytes at once, with one bit for each byte that is of some kind. Text full of
//! escapes is read several times faster by such masks than byte by byte, since a processor guesses
//! wrong at most of the branches that irregular text asks for.

use wide::u8x16;

/// As many vectors as a mask has bits for.
pub(crate) const MOST: usize = 4;

/// The width of a vector register of every common processor, in bytes.
const VECTOR: usize = 16;

/// Some bytes of a text, `N` times sixteen and at most sixty-four. Where the text ends early spaces
/// stand behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<const N: usize>([u8x16; N]);

impl<const N: usize> Block<N> {
    /// How many bytes it has.
    pub(crate) const LENGTH: usize = N * VECTOR;

    /// The bytes from a place on.
    pub(crate) fn at(bytes: &[u8], at: usize) -> Self {
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.as_chunks().0.first_chunk() {
            Some(vectors) => Self::of(vectors),
            None => Self::of(&padded(rest)),
        }
    }

    fn of(bytes: &[[u8; VECTOR]; N]) -> Self {
        let mut vectors = [u8x16::ZERO; N];
        // Not `map`, which is a call of its own here.
        for (vector, bytes) in vectors.iter_mut().zip(bytes) {
            *vector = u8x16::new(*bytes);
        }
        Self(vectors)
    }

    /// The bytes that are this one. The first byte of the text has the lowest bit.
    pub(crate) fn equal(&self, byte: u8) -> u64 {
        self.mask(|bytes| bytes.simd_eq(u8x16::splat(byte)))
    }

    /// The bytes that are one of these.
    pub(crate) fn any_of(&self, set: &[u8]) -> u64 {
        self.mask(|bytes| {
            let equal = |byte: &u8| bytes.simd_eq(u8x16::splat(*byte));
            set.iter().map(equal).fold(u8x16::ZERO, |any, it| any | it)
        })
    }

    /// The bytes up to this one.
    pub(crate) fn at_most(&self, highest: u8) -> u64 {
        self.mask(|bytes| bytes.min(u8x16::splat(highest)).simd_eq(bytes))
    }

    /// The bytes from this one on.
    pub(crate) fn at_least(&self, lowest: u8) -> u64 {
        self.mask(|bytes| bytes.max(u8x16::splat(lowest)).simd_eq(bytes))
    }

    /// The hexadecimal digits, of either case.
    pub(crate) fn hex_digits(&self) -> u64 {
        let within = |bytes: u8x16, first: u8, last: u8| {
            let (first, last) = (u8x16::splat(first), u8x16::splat(last));
            bytes.max(first).min(last).simd_eq(bytes)
        };
        self.mask(|bytes| {
            let lower_case = bytes | u8x16::splat(0x20);
            within(bytes, b'0', b'9') | within(lower_case, b'a', b'f')
        })
    }

    #[inline]
    fn mask(&self, flags_of: impl Fn(u8x16) -> u8x16) -> u64 {
        let vectors = self.0.iter().enumerate();
        vectors.fold(0, |mask, (place, bytes)| {
            mask | u64::from(flags_of(*bytes).to_bitmask()) << (place * VECTOR)
        })
    }
}

#[cold]
fn padded<const N: usize>(bytes: &[u8]) -> [[u8; VECTOR]; N] {
    let mut vectors = [[b' '; VECTOR]; N];
    if let Some(place) = vectors.as_flattened_mut().get_mut(..bytes.len()) {
        place.copy_from_slice(bytes);
    }
    vectors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_its_bit() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        for (index, byte) in bytes.iter().enumerate() {
            let block = Block::<1>::at(&bytes, index);
            let first = |mask: u64| mask & 1 == 1;
            for limit in [0, 0x1F, 0x20, 0x7F, 0x80, 0xF0, 0xFF] {
                assert_eq!(first(block.at_most(limit)), *byte <= limit);
                assert_eq!(first(block.at_least(limit)), *byte >= limit);
                assert_eq!(first(block.equal(limit)), *byte == limit);
                assert_eq!(first(block.any_of(&[limit, 7])), [limit, 7].contains(byte));
            }
            assert_eq!(first(block.hex_digits()), byte.is_ascii_hexdigit());
        }
        let text = b"abbb".repeat(16);
        assert_eq!(
            Block::<MOST>::at(&text, 0).equal(b'a'),
            0x1111_1111_1111_1111
        );
        assert_eq!(Block::<2>::at(&text, 3).equal(b'a'), 0x2222_2222);
    }

    #[test]
    fn spaces_stand_behind_the_end() {
        assert_eq!(Block::<MOST>::at(b"xa", 1).equal(b'a'), 1);
        assert_eq!(Block::<MOST>::at(b"xa", 1).equal(b' '), u64::MAX << 1);
        assert_eq!(Block::<MOST>::at(b"xa", 9).equal(b' '), u64::MAX);
    }
}
