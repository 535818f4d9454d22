//! Random programs made from the grammar are read and formatted the same twice; random damage never
//! does harm.

use super::{accepted, parse};
use crate::MAX_SOURCE;
use crate::render::human;
use std::time::{Duration, Instant};

/// Dice with a seed: splitmix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Productions of the grammar, each with its alternatives: words in `<>` are productions,
/// `<production*>` is any number of them.
const GRAMMAR: &[(&str, &[&str])] = &[
    ("program", &["<line*>"]),
    (
        "line",
        &[
            "<statement>\n",
            "<statement>\n",
            "<statement>;\n",
            "<statement> # why\n",
            "# note\n",
            "\n",
            "<statement>; <statement>\n",
        ],
    ),
    (
        "statement",
        &[
            "BUDGET = <group>",
            "PERMISSIONS = <group>",
            "param <name> = <expr>",
            "param <name>: ip",
            "<name> = <expr>",
            "<name> := <expr>",
            "<name> = <stack>",
            "<name>[<expr>] := <expr>",
            "<name>.<word> := <expr>",
            "<name>[<expr>].<word>[<expr>] += <expr>",
            "<name>[<expr>][<expr>] += <expr>",
            "<name> -= <expr>",
            "<stack>",
            "<stack>",
            "<stack> <block>",
            "<stack> as <name> <block>",
            "<stack> <block> else <name> <block>",
            "if <expr> <block>",
            "if <expr> <block> else if <expr> <block> else <block>",
            "if <expr> <block>\nelse <block>",
            "foreach <name> <sum> <option*> <block>",
            "foreach <name>, <name> <sum> <option*> <block>",
            "foreach <name> <sum> .. <sum> <block>",
            "repeat <option> <option*> as <name> <block>",
            "wait <expr>",
            "on <option*> <arm> <block>",
            "on out drop <option*> <lined>",
            "on out <option*> <lined> <block>",
            "release",
            "expect timeout=<expr> <arm> <block> or <arm> <block> else <block>",
            "expect timeout=<sum>\n<arm> <block> or\n<arm> <block>\nelse <block>",
            "ask tries=<sum> <block> expect timeout=<sum> <arm> <block>",
            "ask tries=<sum> as <name> <block>\nexpect timeout=<sum>\n<arm> <block> or <arm> <block> else <block>",
            "try <block> else <name> <block>",
            "try <block> else <block>",
            "stop",
            "exit",
            "close",
            "abort",
            "fail <expr>",
            "print(<expr>)",
            "record <name> = <expr>, <name>=<expr>",
            "assert <expr>, <expr>",
        ],
    ),
    (
        "block",
        &[
            "{ }",
            "{ <statement> }",
            "{\n<line*>}",
            "{ # open\n<line*>}",
        ],
    ),
    (
        "group",
        &[
            "{ }",
            "{ <entry> }",
            "{ <entry>, <entry>, }",
            "{\n<entry>, # one\n# two\n<entry>\n}",
            "{ <entry>\n<entry> # one\n# two\n<entry>\n}",
        ],
    ),
    ("entry", &["<word>: <value>"]),
    (
        "value",
        &[
            "<group>",
            "[<item>]",
            "[<item>, !<scalar>,]",
            "[ ]",
            "<scalar>",
            "<scalar>",
        ],
    ),
    ("item", &["<value>", "!<scalar>"]),
    (
        "scalar",
        &[
            "<literal>",
            "<name>",
            "<scalar> + <literal>",
            "(<scalar> - <name>) * <literal>",
        ],
    ),
    (
        "option",
        &["every=<expr> ", "count=<sum> ", "until=<expr> "],
    ),
    (
        "stack",
        &[
            "<layer>",
            "/<layer>",
            "/<layer>/<layer>",
            "<layer> / <layer>",
            "<layer>/\n<layer>/<layer>",
            "web/<layer>",
        ],
    ),
    (
        "layer",
        &[
            "<capital>",
            "<capital>(<arg>)",
            "<capital>!(<arg>, <arg>)",
            "<capital>(\n<arg>, # field\n<arg>,\n)",
            "<capital>()",
        ],
    ),
    ("arg", &["<word>=<expr>", "<word>=<expr>", "<expr>"]),
    (
        "arm",
        &[
            "<pattern>",
            "<pattern> where <expr>",
            "<pattern> as <name>",
            "<pattern>\nwhere <expr> as <name>",
        ],
    ),
    (
        "lined",
        &[
            "/<tested>/<tested>",
            "<tested> where <expr>",
            "/<tested>\nas <name>",
        ],
    ),
    (
        "pattern",
        &[
            "/<tested>",
            "/<tested>/*/<tested>",
            "<tested>/<tested>",
            "/<tested>\n/<tested>",
            "/*",
        ],
    ),
    (
        "tested",
        &[
            "<capital>",
            "<capital>!",
            "<capital>(<cond>)",
            "<capital>(<cond>, <cond>)",
            "<capital>(\n<cond>,\n<cond>)",
        ],
    ),
    ("cond", &["<test>", "<test>", "<test> or <test>"]),
    (
        "test",
        &[
            "<field> <relop> <sum>",
            "not <field> <relop> <sum>",
            "<field> in <sum> .. <sum>",
            "(<bare>)",
            "not (<bare>, not <bare>)",
            "not (<bare> or (<bare>, not not <bare>))",
        ],
    ),
    (
        "bare",
        &["<field> <relop> <sum>", "not <field> <relop> <sum>"],
    ),
    ("field", &["<plain>", "<plain>.<word>", "<plain>[<range>]"]),
    (
        "relop",
        &[
            "==", "!=", "<", "<=", ">", ">=", "in", "not in", "has", "not has",
        ],
    ),
    (
        "expr",
        &["<conj>", "<conj>", "<conj> or <conj>", "<conj> or\n<conj>"],
    ),
    (
        "conj",
        &[
            "<neg>",
            "<neg>",
            "<neg> and <neg>",
            "<neg> and # both\n<neg>",
        ],
    ),
    ("neg", &["<compare>", "<compare>", "not <neg>"]),
    (
        "compare",
        &[
            "<sum>",
            "<sum>",
            "<sum> <relop> <sum>",
            "<sum> in <sum> .. <sum>",
        ],
    ),
    (
        "sum",
        &[
            "<product>",
            "<product>",
            "<product> + <product>",
            "<product> - <product>",
            "<product> +\n<product>",
        ],
    ),
    (
        "product",
        &[
            "<unary>",
            "<unary>",
            "<unary> * <unary>",
            "<unary> / (<unary>)",
            "<unary> % <unary>",
        ],
    ),
    (
        "unary",
        &["<postfix>", "<postfix>", "<postfix>", "-<unary>"],
    ),
    (
        "postfix",
        &[
            "<primary>",
            "<primary>",
            "<primary>[<index>]",
            "<primary> .<word>",
            "<primary>[<index>].<word>",
        ],
    ),
    (
        "primary",
        &[
            "<literal>",
            "<literal>",
            "<name>",
            "<name>",
            "<name>(<given>)",
            "<name>(<given>, <given>)",
            "has(<given>, <capital>)",
            "MATCH",
            "STACK",
            "auto",
            "<capital>.<word>",
            "(<expr>)",
            "(\n<expr>\n)",
            "[<expr>, <expr>]",
            "[]",
            "[\n<expr>,\n# last\n<expr>,\n]",
            "{<word>: <expr>, <word>: <expr>}",
            "{\n<word>: <expr>\n# next\n<word>: <expr>,\n}",
        ],
    ),
    ("given", &["<plain>=<expr>", "<expr>", "<capital>"]),
    (
        "index",
        &["<capital>", "<capital>, -1", "<capital>, 1", "<range>"],
    ),
    (
        "range",
        &["<expr>", "<expr> : <expr>", "<expr> :", ": <expr>", ":"],
    ),
    (
        "literal",
        &[
            "0",
            "42",
            "1_000",
            "0x1f",
            "0.5",
            "10ms",
            "1.5s",
            "1MB",
            "\"text\"",
            "\"a${<hole>}b\"",
            "\"${<hole>:>8.2}\"",
            "\"${<hole>:.1%} of ${<hole>:<9.0%}\"",
            "#00",
            "#de_ad",
            "10.0.0.1",
            "10.0.0.0/8",
            "2001:db8::1",
            "fe80::1%eth0",
            "aa:bb:cc:dd:ee:ff",
            "true",
            "false",
        ],
    ),
    (
        "hole",
        &[
            "<name>",
            "p[IP].ttl",
            "b[2 : 6]",
            "a + b * 2",
            "f(\"x\", n)",
        ],
    ),
    ("name", &["a", "b_2", "rtt", "face", "x"]),
    ("plain", &["ttl", "data", "options"]),
    ("word", &["ttl", "data", "close", "in", "dead"]),
    ("capital", &["IP", "TCP", "Bytes", "Eth"]),
];

/// A random text of a production. Beyond a depth the first alternative that needs no other
/// production, or the first, is taken.
fn make(dice: &mut Dice, production: &str, depth: usize, out: &mut String) {
    let alternatives = GRAMMAR
        .iter()
        .find(|(name, _)| *name == production)
        .expect("a production")
        .1;
    let chosen = match depth {
        0..13 => dice.one(alternatives),
        _ => alternatives
            .iter()
            .min_by_key(|text| text.contains('<'))
            .expect("an alternative"),
    };
    let mut rest = chosen;
    while let Some((before, after)) = rest.split_once('<') {
        let Some((name, after)) = after.split_once('>').filter(|(name, _)| {
            !name.is_empty() && name.bytes().all(|c| c.is_ascii_lowercase() || c == b'*')
        }) else {
            out.push_str(before);
            out.push('<');
            rest = after;
            continue;
        };
        out.push_str(before);
        rest = after;
        let times = if name.ends_with('*') {
            dice.below(if depth == 0 { 9 } else { 3 })
        } else {
            1
        };
        (0..times).for_each(|_| make(dice, name.trim_end_matches('*'), depth + 1, out));
    }
    out.push_str(rest);
}

fn random_program(seed: u64) -> String {
    let mut out = String::new();
    make(&mut Dice(seed), "program", 0, &mut out);
    out
}

#[test]
fn random_programs_are_read_and_laid_out_the_same_twice() {
    let mut broken = Vec::new();
    let mut long = 0;
    for seed in 0..400 {
        let program = random_program(seed);
        long += usize::from(program.len() > 200);
        broken.extend(accepted(&program).err());
    }
    let shortest = broken.iter().min_by_key(|why| why.len());
    assert!(
        broken.is_empty(),
        "{} broken; the shortest:\n{}",
        broken.len(),
        shortest.map_or("", |why| why)
    );
    assert!(long > 100, "only {long} programs of some length");
}

/// Any text: it ends soon, its reports can be shown and their fixes made, and all places lie in the
/// text.
#[track_caller]
fn survive(source: &str) {
    let start = Instant::now();
    let parsed = parse(source);
    let taken = start.elapsed();
    assert!(
        taken < Duration::from_secs(2),
        "{taken:?} for {} bytes: {:.80}",
        source.len(),
        source
    );
    for report in parsed.reports.iter().take(8) {
        assert!(human(source, "p.crafty", report, false).ends_with('\n'));
        report.fixes.iter().for_each(|fix| drop(fix.apply(source)));
    }
    if parsed.reports.is_empty() && source.len() < 4096 {
        accepted(source).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// Pieces that are likely to confuse.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "/",
    "//",
    "*",
    "!",
    "=",
    ":=",
    "==",
    "..",
    ".",
    ",",
    ";",
    ":",
    "::",
    "#",
    "# ",
    "\"",
    "${",
    "'",
    "\\",
    "\n",
    "\r",
    " ",
    "0",
    "9",
    "f",
    "IP",
    "if ",
    "else ",
    "on ",
    "or ",
    "not ",
    "in ",
    "expect ",
    "ask ",
    "BUDGET = {",
    "\u{202e}",
    "é",
    "|",
    "&&",
    "?",
    "5m",
    "%",
    "-",
    "foreach ",
    "as ",
];

#[test]
fn random_damage_does_no_harm() {
    let mut dice = Dice(7);
    for seed in 0..1_500 {
        let mut text = random_program(seed);
        for _ in 0..1 + dice.below(4) {
            let mut at = dice.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let end = (at..=text.len())
                .filter(|n| text.is_char_boundary(*n))
                .nth(dice.below(4))
                .unwrap_or(text.len());
            let piece = if dice.below(3) == 0 {
                ""
            } else {
                dice.one(PIECES)
            };
            text.replace_range(at..end, piece);
        }
        survive(&text);
    }
}

#[test]
fn random_pieces_do_no_harm() {
    let mut dice = Dice(11);
    for _ in 0..2_000 {
        let count = dice.below(40);
        let text: String = (0..count).map(|_| dice.one(PIECES)).collect();
        survive(&text);
    }
}

/// What fills the longest texts.
const FILLINGS: &[&str] = &[
    "(",
    "[",
    "{",
    "{}",
    "}",
    ")",
    "x",
    "a:",
    "1.",
    "1:",
    "f(",
    "a[",
    "x = f(\n",
    "x = [1,\n",
    "if a{",
    "if a{}",
    "BUDGET={",
    "BUDGET={a:{",
    "\"",
    "\"${",
    "${",
    "\"\\",
    "'",
    "#",
    "#a",
    "# \n",
    "//",
    "/IP",
    "/IP(",
    "IP!",
    "!",
    "-",
    "not ",
    "x=1;",
    "x=1 ",
    "x=a.b",
    "a+",
    "a=b\n",
    "on /IP(a==1,",
    "else ",
    "é",
    "\u{202e}",
    "\u{202e}x",
    "\u{201c}",
    "\r",
    "\n",
    "for (",
    "while ",
    "foreach x in ",
    "print(",
    "x = = ",
    "TIMEOUT = X\n",
    "X.",
    "x = TIMEOUT_A1 + ",
    "5m ",
    "&&",
    "a<b<",
    "x[1]=",
    "x[1:2]",
    "{a:1,",
    "a=1 }",
    "[{",
    "try{}",
    "expect ",
    "as ",
    ":=",
    "# c\n{",
    "x = 1 # c\n",
    "\"${a}\"",
    "\"${\"a\"}\"",
];

#[test]
fn the_longest_texts_take_linear_time() {
    for piece in FILLINGS {
        survive(&piece.repeat(MAX_SOURCE / piece.len()));
    }
}
