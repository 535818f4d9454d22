//! Dice with a name: one stream per element, so that a new element disturbs no other.

/// A stream of pseudo-random numbers, fixed by a seed and a name.
#[derive(Clone, Debug)]
pub(crate) struct RandomStream(u64);

impl RandomStream {
    /// The stream called `name` under `seed`.
    pub fn new(seed: u64, name: &str) -> RandomStream {
        RandomStream(
            name.bytes()
                .fold(mix(seed ^ 0x6c61_6264_6963_6531), |state, byte| {
                    mix(state ^ u64::from(byte))
                }),
        )
    }

    /// The next 64 bits (SplitMix64).
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `limit`, or 0 if there is none.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.roll()) * u128::from(limit)) >> 64) as u64
    }

    /// True in `ppm` of a million cases.
    pub fn hits(&mut self, ppm: i64) -> bool {
        (self.below(1_000_000) as i64) < ppm
    }

    /// A wait with this mean, exponentially distributed: in whole numbers, so that it is the same
    /// on every machine.
    pub fn exponential(&mut self, mean: i64) -> i64 {
        // -ln(u) = -log2(u) * ln 2: leading zeros are the whole part, 16 squarings the fraction.
        let roll = self.roll() | 1;
        let zeros = roll.leading_zeros();
        let mut mantissa = u128::from(roll << zeros);
        let mut log2 = u64::from(zeros + 1) << 16;
        for bit in (0..16).rev() {
            mantissa = (mantissa * mantissa) >> 63;
            if mantissa >> 64 != 0 {
                mantissa >>= 1;
                log2 -= 1 << bit;
            }
        }
        const LN_2: i128 = 45_426; // in 65536ths
        ((i128::from(mean) * i128::from(log2) * LN_2) >> 32) as i64
    }
}

/// The finaliser of SplitMix64.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_fixed_by_seed_and_name() {
        let roll = |seed, name| RandomStream::new(seed, name).roll();
        assert_eq!(roll(1, "r1-r2"), roll(1, "r1-r2"));
        assert_ne!(roll(1, "r1-r2"), roll(2, "r1-r2"));
        assert_ne!(roll(1, "r1-r2"), roll(1, "r2-r1"));
    }

    #[test]
    fn waits_are_exponential() {
        let mut dice = RandomStream::new(7, "x");
        let waits: Vec<i64> = (0..100_000).map(|_| dice.exponential(1_000_000)).collect();
        let mean = waits.iter().sum::<i64>() / 100_000;
        let above = waits.iter().filter(|it| **it > 1_000_000).count();
        assert!((990_000..1_010_000).contains(&mean), "{mean}");
        assert!((36_300..37_300).contains(&above), "{above}: e^-1 is 36.8 %");
        assert!(waits.iter().all(|it| *it >= 0));
    }

    #[test]
    fn one_in_ten_is_about_one_in_ten() {
        let mut dice = RandomStream::new(7, "x");
        let hits = (0..100_000).filter(|_| dice.hits(100_000)).count();
        assert!((9_600..10_400).contains(&hits), "{hits}");
        assert_eq!((0..1000).filter(|_| dice.hits(0)).count(), 0);
        assert_eq!((0..1000).filter(|_| dice.hits(1_000_000)).count(), 1000);
    }
}
