//! A die of the tests' own: same seed, same packets.

/// The die, with its seed.
pub struct Dice(pub u64);

impl Dice {
    /// Any number.
    pub fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`; zero where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        (self.roll() >> 16) as usize % end.max(1)
    }

    /// Any wide number.
    pub fn wide(&mut self) -> u128 {
        u128::from(self.roll()) << 64 | u128::from(self.roll())
    }
}

/// Rounds of a test: `TEST_ROUNDS=100` makes a hundred times as many.
pub fn rounds(usual: usize) -> usize {
    usual
        * std::env::var("TEST_ROUNDS")
            .ok()
            .and_then(|times| times.parse().ok())
            .unwrap_or(1)
}
