//! Random programs that use what the label rules speak of: branches, loops, waits, handlers, maps,
//! operations that fail, `try`, `stop`, `fail`, sends of values and of lengths.

use crate::TestRng;
use crafty_policy::ExfiltrationMode;

/// A generated program.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its text.
    pub source: String,
    /// First bytes that its patterns ask for.
    pub asked: Vec<u8>,
}

/// A random program under a mode.
pub fn program(mode: ExfiltrationMode, dice: &mut TestRng) -> Generated {
    let mut writer = SourceWriter {
        dice,
        text: String::new(),
        indent: 0,
        asked: Vec::new(),
        fresh: 0,
        handler: false,
        received: false,
        starred: false,
        loops: 0,
    };
    writer.head(mode);
    writer.body();
    Generated {
        source: writer.text,
        asked: writer.asked,
    }
}

struct SourceWriter<'d> {
    dice: &'d mut TestRng,
    text: String,
    indent: usize,
    asked: Vec<u8>,
    /// Names of loop counters must differ from all that is visible.
    fresh: u32,
    /// Whether this is a handler's body.
    handler: bool,
    /// Whether `MATCH` is there.
    received: bool,
    /// Whether it may have layers that its pattern does not name.
    starred: bool,
    loops: u32,
}

const VARIABLES: &[&str] = &["x", "y", "z"];
const MAPS: &[&str] = &["m1", "m2"];

impl SourceWriter<'_> {
    fn head(&mut self, mode: ExfiltrationMode) {
        self.line("BUDGET = { max_duration: 3s, max_packets: 4000, max_packets_per_secs: 4000, max_bytes: 1MB }");
        self.line(&format!(
            "PERMISSIONS = {{ destinations: [10.0.0.2], exfiltration: {} }}",
            mode.name()
        ));
        self.line("PORTS = { udp: [40000] }");
        for name in VARIABLES {
            self.line(&format!("{name} = 0"));
        }
        for name in MAPS {
            self.line(&format!("{name} = map(key=0, default=0)"));
        }
        self.line("r = {a: 0, b: 0}");
        self.line("rows = map(key=0, default={n: 0, k: 0})");
        // Assigned here, so that none of them is a constant.
        self.line("x := 1");
        self.line("y := 2");
        self.line("z := 3");
    }

    fn body(&mut self) {
        self.open("/IP!(dst=10.0.0.2)/UDP!(src=40000, dst=7)");
        for _ in 0..1 + self.dice.below(2) {
            self.on();
        }
        self.block(2, 4);
        self.line("wait 8ms");
        self.send();
        self.block(1, 3);
        self.close();
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn open(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn pattern(&mut self) -> String {
        match self.dice.below(4) {
            0 => "/IP!/UDP!/Bytes".into(),
            1 => "/IP/*/UDP/Bytes".into(),
            _ => {
                let octet = 1 + self.dice.below(2) as u8;
                self.asked.push(octet);
                format!("/IP!/UDP!/Bytes(data[0:1] == #{octet:02x})")
            }
        }
    }

    fn on(&mut self) {
        let linger = if self.dice.percent(30) {
            " linger=20ms"
        } else {
            ""
        };
        let count = if self.dice.percent(20) {
            " count=1"
        } else {
            ""
        };
        let pattern = self.pattern();
        self.open(&format!("on{linger}{count} {pattern}"));
        let before = (self.handler, self.received, self.starred);
        (self.handler, self.received, self.starred) = (true, true, pattern.contains('*'));
        self.block(2, 3);
        (self.handler, self.received, self.starred) = before;
        self.close();
    }

    fn block(&mut self, depth: u32, most: u64) {
        for _ in 0..1 + self.dice.below(most) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.dice.below(100) {
            0..20 => {
                let (name, value) = (self.dice.one(VARIABLES), self.expr(2));
                self.line(&format!("{name} := {value}"));
            }
            20..24 => {
                let (part, key, value) = (self.dice.one(&["n", "k"]), self.expr(1), self.expr(1));
                match self.dice.below(4) {
                    0 => self.line(&format!("rows[{key}].{part} += {value}")),
                    1 => self.line(&format!("rows[{key}] := {{n: {value}, k: {key}}}")),
                    2 => self.line(&format!("r := {{a: {value}, b: {key}}}")),
                    _ => self.line(&format!("r.a := {value}")),
                }
            }
            24..32 => {
                let (map, key, value) = (self.dice.one(MAPS), self.expr(1), self.expr(1));
                self.line(&format!("{map}[{key}] := {value}"));
            }
            32..37 => {
                let (map, key) = (self.dice.one(MAPS), self.expr(1));
                self.line(&format!("{map} := remove({map}, {key})"));
            }
            37..52 if depth > 0 => self.branch(depth),
            52..58 if depth > 0 => match self.dice.below(3) {
                0 => self.tally(),
                _ => self.repeat(depth),
            },
            58..62 if depth > 0 => self.attempt(depth),
            62..65 if depth > 0 && !self.handler => self.expect(depth),
            65..67 if depth > 0 && !self.handler => self.ask(depth),
            67..73 if !self.handler => {
                let ms = 1 + self.dice.below(3);
                self.line(&format!("wait {ms}ms"));
            }
            73..75 if self.loops > 0 => self.line("stop"),
            75..77 => self.ending(),
            77..80 if self.starred => {
                // A value that is only told, of a field that this packet lacks or may lack.
                let (lacking, value) = (
                    self.dice
                        .one(&["MATCH[ICMP].mtu", "MATCH[TCP].options.mss"]),
                    self.expr(1),
                );
                self.line(&format!("print(\"${{{lacking}}} ${{{value}}}\")"));
                self.line(&format!("record r = max({lacking}, {value}), by={lacking}"));
            }
            _ => self.send(),
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        self.open(&format!("if {condition}"));
        self.block(depth - 1, 2);
        self.indent -= 1;
        self.line("} else {");
        self.indent += 1;
        self.block(depth - 1, 2);
        self.close();
    }

    fn repeat(&mut self, depth: u32) {
        let count = self.expr(1);
        let every = if !self.handler && self.dice.percent(50) {
            " every=1ms"
        } else {
            ""
        };
        self.open(&format!("repeat count=min({count}, 4){every}"));
        self.loops += 1;
        self.block(depth - 1, 2);
        self.loops -= 1;
        self.close();
    }

    /// A loop that only computes: over a range that is not bounded, or over a map's keys and values.
    fn tally(&mut self) {
        let (name, by) = (self.dice.one(VARIABLES), self.expr(1));
        self.fresh += 1;
        let n = self.fresh;
        let (head, item) = match self.dice.below(3) {
            0 => (format!("foreach k{n} 0..{}", self.expr(1)), format!("k{n}")),
            1 => (
                format!("repeat count=max({}, 0) as k{n}", self.expr(1)),
                format!("k{n}"),
            ),
            _ => {
                let item = self.dice.one(&["k", "v"]);
                let map = self.dice.one(MAPS);
                (format!("foreach k{n}, v{n} {map}"), format!("{item}{n}"))
            }
        };
        self.open(&head);
        self.line(&format!("{name} := ({name} + {item} + {by}) % 97"));
        if self.dice.percent(30) {
            let condition = self.condition();
            self.line(&format!("if {condition} {{ stop }}"));
        }
        self.close();
    }

    fn attempt(&mut self, depth: u32) {
        self.open("try");
        self.block(depth - 1, 2);
        self.indent -= 1;
        self.line("} else {");
        self.indent += 1;
        self.block(depth - 1, 2);
        self.close();
    }

    fn expect(&mut self, depth: u32) {
        let pattern = self.pattern();
        self.open(&format!("expect timeout=5ms {pattern}"));
        let before = (self.received, self.starred);
        (self.received, self.starred) = (true, pattern.contains('*'));
        self.block(depth - 1, 2);
        (self.received, self.starred) = before;
        self.indent -= 1;
        self.line("} else {");
        self.indent += 1;
        self.block(depth - 1, 2);
        self.close();
    }

    /// A question with tries; a `stop` in it ends a loop around.
    fn ask(&mut self, depth: u32) {
        let tries = self.expr(1);
        self.open(&format!("ask tries=min(max({tries}, 1), 3)"));
        self.block(depth - 1, 2);
        self.send();
        self.indent -= 1;
        let pattern = self.pattern();
        self.line(&format!("}} expect timeout=3ms {pattern} {{"));
        self.indent += 1;
        let before = (self.received, self.starred);
        (self.received, self.starred) = (true, pattern.contains('*'));
        self.block(depth - 1, 2);
        (self.received, self.starred) = before;
        self.indent -= 1;
        self.line("} else {");
        self.indent += 1;
        self.block(depth - 1, 2);
        self.close();
    }

    fn ending(&mut self) {
        let condition = self.condition();
        match self.dice.below(3) {
            0 => self.line(&format!("assert {condition}")),
            1 => self.line(&format!("if {condition} {{ exit }}")),
            _ => self.line(&format!("if {condition} {{ fail \"no\" }}")),
        }
    }

    fn send(&mut self) {
        let value = self.expr(1);
        match self.dice.below(4) {
            0 => self.line(&format!("Bytes(#00 * min(max({value}, 0), 9))")),
            1 => {
                let octet = self.dice.below(256);
                self.line(&format!("Bytes(#{octet:02x})"));
            }
            _ => self.line(&format!("Bytes(byte(min(max({value}, 0), 255)))")),
        }
        self.fresh += 1;
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expr(1), self.expr(1));
        match self.dice.below(4) {
            0 => format!("has({}, {a})", self.dice.one(MAPS)),
            1 => format!("{a} < {b}"),
            _ => format!("{a} == {b}"),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.dice.percent(45) {
            return self.leaf();
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.dice.below(7) {
            0 => format!("({a} + {b}) % 97"),
            1 => format!("({a} - {b}) % 97"),
            2 => format!("div({a}, {b})"),
            3 => format!("{}[{a}]", self.dice.one(MAPS)),
            4 => format!("length({})", self.dice.one(MAPS)),
            5 => format!("max({a}, {b})"),
            _ => format!("bit_and({a}, {b})"),
        }
    }

    fn leaf(&mut self) -> String {
        if self.received && self.dice.percent(40) {
            return match self.dice.below(3) {
                0 => "length(MATCH[Bytes].data)".into(),
                _ => format!("int(MATCH[Bytes].data[{}])", self.dice.below(2)),
            };
        }
        match self.dice.below(6) {
            0..2 => self.dice.below(4).to_string(),
            2 => {
                let (part, key) = (self.dice.one(&["n", "k"]), self.dice.one(VARIABLES));
                match self.dice.below(3) {
                    0 => format!("rows[{key}].{part}"),
                    1 => "r.b".into(),
                    _ => "r.a".into(),
                }
            }
            _ => self.dice.one(VARIABLES).to_string(),
        }
    }
}
