//! Numbers, bytes and addresses appended as digits: what a packet is shown by most.

use std::io::Write;
use std::net::Ipv6Addr;

/// Two lower-case digits for each byte.
static HEX: [[u8; 2]; 256] = {
    let mut pairs = [[0; 2]; 256];
    let digits = b"0123456789abcdef";
    let mut octet = 0;
    while octet < 256 {
        pairs[octet] = [digits[octet >> 4], digits[octet & 15]];
        octet += 1;
    }
    pairs
};

/// Decimal digits of `number`.
pub fn decimal(out: &mut Vec<u8>, number: u64) {
    aligned(out, number, 0, b' ');
}

/// Decimal digits of a signed `number`.
pub fn signed(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    decimal(out, number.unsigned_abs());
}

/// Decimal digits of `number`, filled up on the left to `width` with `fill`.
pub fn aligned(out: &mut Vec<u8>, mut number: u64, width: usize, fill: u8) {
    let mut digits = [fill; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at.min(digits.len() - width.min(digits.len()))..]);
}

/// Two lower-case digits a byte.
pub fn hex(out: &mut Vec<u8>, octets: &[u8]) {
    let start = out.len();
    out.resize(start + octets.len() * 2, 0);
    for (pair, octet) in out[start..].as_chunks_mut::<2>().0.iter_mut().zip(octets) {
        *pair = HEX[usize::from(*octet)];
    }
}

/// `0x` and the digits that a field of `bits` bits has.
pub fn hexadecimal(out: &mut Vec<u8>, number: u64, bits: u16) {
    let mut digits = [0; 16];
    for (pair, octet) in digits
        .as_chunks_mut::<2>()
        .0
        .iter_mut()
        .zip(number.to_be_bytes())
    {
        *pair = HEX[usize::from(octet)];
    }
    let needed = (64 - number.leading_zeros()).div_ceil(4).max(1) as usize;
    out.extend_from_slice(b"0x");
    out.extend_from_slice(&digits[16 - needed.max(usize::from(bits.div_ceil(4)).min(16))..]);
}

/// An IPv4 address.
pub fn ip4(out: &mut Vec<u8>, address: u64) {
    for (i, octet) in (address as u32).to_be_bytes().into_iter().enumerate() {
        if i > 0 {
            out.push(b'.');
        }
        decimal(out, octet.into());
    }
}

/// An IPv6 address (RFC 5952).
pub fn ip6(out: &mut Vec<u8>, address: u128) {
    let _ = write!(out, "{}", Ipv6Addr::from_bits(address));
}

/// A link address.
pub fn mac(out: &mut Vec<u8>, address: u64) {
    for (i, octet) in address.to_be_bytes()[2..].iter().enumerate() {
        if i > 0 {
            out.push(b':');
        }
        out.extend_from_slice(&HEX[usize::from(*octet)]);
    }
}

/// Printable ASCII as it is, the rest as `\xNN`.
pub fn escaped(out: &mut Vec<u8>, octets: &[u8]) {
    for octet in octets {
        match octet {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x20..=0x7e => out.push(*octet),
            _ => {
                out.extend_from_slice(b"\\x");
                out.extend_from_slice(&HEX[usize::from(*octet)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_the_standard_library() {
        let check = |write: &dyn Fn(&mut Vec<u8>), expected: String| {
            let mut out = b">".to_vec();
            write(&mut out);
            assert_eq!(String::from_utf8_lossy(&out), format!(">{expected}"));
        };
        for n in [
            0,
            1,
            9,
            10,
            255,
            65_535,
            123_456,
            u64::from(u32::MAX),
            10_000_000_000_000_000_000,
            u64::MAX,
        ] {
            check(&|out| decimal(out, n), n.to_string());
            check(&|out| aligned(out, n, 6, b' '), format!("{n:>6}"));
            check(&|out| aligned(out, n, 9, b'0'), format!("{n:09}"));
            check(&|out| hex(out, &n.to_be_bytes()), format!("{n:016x}"));
            for bits in [1, 4, 5, 16, 32, 64] {
                check(
                    &|out| hexadecimal(out, n, bits),
                    format!("{n:#0width$x}", width = 2 + usize::from(bits).div_ceil(4)),
                );
            }
            check(
                &|out| ip4(out, n & 0xffff_ffff),
                std::net::Ipv4Addr::from_bits(n as u32).to_string(),
            );
            let b = n.to_be_bytes();
            check(
                &|out| mac(out, n),
                crafty_value::Mac([b[2], b[3], b[4], b[5], b[6], b[7]]).to_string(),
            );
        }
        let all: Vec<u8> = (0..=255).collect();
        check(
            &|out| escaped(out, &all),
            crafty_lang::eval::show::escaped(&all, usize::MAX),
        );
    }
}
