//! Bytes as a literal of the language: a string where it is mostly text, else hexadecimal. Whatever
//! the bytes are, the literal is one value: nothing of them can end it.

/// Bytes of hexadecimal on a line.
const ON_A_LINE: usize = 48;
/// The same byte so often at the end is written once.
const RUN: usize = 16;

/// The argument of `Bytes(…)`.
pub fn literal(octets: &[u8]) -> String {
    let plain = |octet: &u8| matches!(octet, 0x20..=0x7e | b'\n' | b'\r' | b'\t');
    let text = octets.iter().filter(|octet| plain(octet)).count();
    let is_text =
        !octets.is_empty() && text * 4 >= octets.len() * 3 && !octets.ends_with(&[octets[0]; RUN]);
    if is_text {
        format!("\"{}\"", octets.iter().map(escaped).collect::<String>())
    } else {
        sum(octets)
    }
}

/// Bytes that may be beside an operator: hexadecimal, a run at the end written once.
pub fn sum(octets: &[u8]) -> String {
    let run = octets.last().map_or(0, |last| {
        octets
            .iter()
            .rev()
            .take_while(|octet| *octet == last)
            .count()
    });
    let (start, run) = octets.split_at(octets.len() - if run >= RUN { run } else { 0 });
    let lines = start.chunks(ON_A_LINE).map(hexadecimal);
    let end = run
        .first()
        .map(|octet| format!("#{octet:02x} * {}", run.len()));
    let parts: Vec<String> = lines.chain(end).collect();
    if parts.is_empty() {
        "bytes(\"\")".into()
    } else {
        parts.join(" +\n")
    }
}

fn hexadecimal(octets: &[u8]) -> String {
    format!(
        "#{}",
        octets
            .iter()
            .map(|octet| format!("{octet:02x}"))
            .collect::<String>()
    )
}

fn escaped(octet: &u8) -> String {
    match octet {
        b'\n' => "\\n".into(),
        b'\r' => "\\r".into(),
        b'\t' => "\\t".into(),
        b'"' => "\\\"".into(),
        b'\\' => "\\\\".into(),
        b'$' => "\\$".into(),
        0x20..=0x7e => char::from(*octet).into(),
        _ => format!("\\x{octet:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::literal;
    use crafty_lang::check::check as checked;

    #[test]
    fn any_bytes_are_one_literal() {
        let every: Vec<u8> = (0..=255).collect();
        let rows: [&[u8]; 7] = [
            b"GET / HTTP/1.0\r\n\r\n",
            b"\"); fail \"",
            b"${now()} $x \\",
            b"}\n}\n# \x1b[2J",
            b"text\xff\x80\x00 and more text",
            &every,
            b"\n",
        ];
        for octets in rows {
            let text = literal(octets);
            assert!(
                text.bytes().all(|b| matches!(b, 0x20..=0x7e | b'\n')),
                "{text}"
            );
            let head = "PERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { udp: [40000] }\n";
            let reports = checked(&format!(
                "{head}/IP!(dst=192.0.2.1)/UDP!(dst=9) {{\nBytes({text})\n}}\n"
            ))
            .reports;
            assert!(reports.is_empty(), "{text}: {reports:?}");
        }
    }

    #[test]
    fn forms() {
        let check = |octets: &[u8], wanted: &str| assert_eq!(literal(octets), wanted);
        check(b"", "bytes(\"\")");
        check(&[0; 20], "#00 * 20");
        check(&[&[7][..], &[0; 99]].concat(), "#07 +\n#00 * 99");
        check(b"a\"b$", "\"a\\\"b\\$\"");
        check(&[1, 2], "#0102");
        check(b"caf\xc3\xa9 du Nord", "\"caf\\xc3\\xa9 du Nord\"");
    }
}
