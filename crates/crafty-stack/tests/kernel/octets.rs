//! Streams that are made and checked as they flow: every byte follows from its place, and none is
//! kept.

/// A place in a stream; the salt tells streams apart.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    salt: u64,
    at: usize,
    len: usize,
}

impl Stream {
    /// The beginning of a stream of this length.
    pub fn new(salt: u64, len: usize) -> Stream {
        Stream { salt, at: 0, len }
    }

    /// The next bytes, `most` at most.
    pub fn next(&mut self, most: usize) -> Vec<u8> {
        let end = self.len.min(self.at + most);
        let octets = (self.at..end).map(|n| self.octet(n)).collect();
        self.at = end;
        octets
    }

    /// Steps back: these bytes are still to come.
    pub fn give_back(&mut self, octets: usize) {
        self.at -= octets;
    }

    /// Takes bytes that should be the next ones.
    pub fn check(&mut self, octets: &[u8]) -> Result<(), String> {
        for octet in octets {
            if self.at == self.len {
                return Err(format!("more than the {} bytes sent", self.len));
            }
            if *octet != self.octet(self.at) {
                return Err(format!("byte {} of {} is another", self.at, self.len));
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Whether it is at its end.
    pub fn over(&self) -> bool {
        self.at == self.len
    }

    /// Where it is.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Multiplied out, so that a segment that is off by any distance shows.
    fn octet(&self, at: usize) -> u8 {
        ((at as u64 ^ self.salt << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
    }
}
