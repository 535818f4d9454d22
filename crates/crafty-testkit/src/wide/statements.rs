//! Statements: every kind, in handlers and in the main program.

use super::WideWriter;
use super::terms::variables;
use crafty_lang::ir::Type;

impl WideWriter<'_> {
    pub(super) fn body(&mut self, most: u64) {
        for _ in 0..1 + self.dice.below(most) {
            self.statement(1);
        }
    }

    /// An assignment in one line.
    fn set(&mut self) -> String {
        let names = variables();
        let (name, ty, _) = names[self.dice.below(names.len() as u64) as usize].clone();
        match (&ty, self.dice.below(4)) {
            (Type::Map(key, item), 0..3) => {
                let (key, value) = (self.term(key, 1), self.term(item, 1));
                format!("{name}[{key}] := {value}")
            }
            (Type::Array(item), 0..2) => {
                let value = self.term(item, 1);
                format!("{name} += {value}")
            }
            (Type::Record(_), 0..2) => format!("row.n += {}", self.term(&Type::Int, 1)),
            (Type::Int, 0) => format!("{name} += {}", self.term(&ty, 1)),
            (Type::Int, 1) => format!("{name} -= {}", self.term(&ty, 1)),
            _ => format!("{name} := {}", self.term(&ty, 2)),
        }
    }

    pub(super) fn statement(&mut self, depth: u32) {
        match self.dice.below(20) {
            0..5 => {
                let set = self.set();
                self.line(set);
            }
            5 => {
                let (value, share) = (self.term(&Type::Str, 2), self.term(&Type::Float, 1));
                self.line(format!("print({value})"));
                self.line(format!("print(\"${{{share}:.1%}}\")"));
            }
            6 => {
                let (value, label) = (self.term(&Type::Int, 1), self.term(&Type::Str, 0));
                self.line(format!("record r = {value}, by={label}"));
            }
            7..9 => {
                let (guard, set) = (self.condition(1), self.set());
                self.line(format!("if {guard} {{ {set} }} else {{ y += 1 }}"));
            }
            9..11 => self.round(depth),
            11 => {
                let set = self.set();
                let other = self.set();
                self.line(format!(
                    "try {{ {set} }} else e {{\nprint(e.message)\n{other} }}"
                ));
            }
            12 if self.received.is_empty() => self.expect(),
            13 => {
                let guard = self.term(&Type::Bool, 1);
                let end = self.dice.one(&["exit", "fail \"no\"", "fail s"]);
                self.line(format!("if {guard} {{ {end} }}"));
            }
            14 => {
                let guard = self.term(&Type::Bool, 1);
                self.line(format!("assert {guard}, \"so\""));
            }
            15 if self.received.is_empty() => {
                let wait = self.term(&Type::Duration, 0);
                self.line(format!("wait min([{wait}, 4ms])"));
            }
            16..18 => self.literal_send(),
            _ => {
                self.line("/IP(dst=10.0.0.2)/TCP(src=40000, dst=7, flags=ack, seq=auto, ack=auto)")
            }
        }
    }

    /// A loop of every form.
    fn round(&mut self, depth: u32) {
        self.fresh += 1;
        let n = self.fresh;
        let every = match self.received.is_empty() {
            true => self.dice.one(&["", " every=1ms", " every=1ms for=4ms"]),
            false => "",
        };
        let head = match self.dice.below(6) {
            0 => format!("foreach i{n} 1..3{every}"),
            1 => format!(
                "foreach k{n}, v{n} {}",
                self.dice.one(&["m", "names", "ints"])
            ),
            2 => format!("foreach w{n} {}", self.dice.one(&["ints", "texts", "m"])),
            3 => format!("repeat count=3{every} until={}", self.condition(0)),
            4 => format!(
                "repeat count=min(max({}, 0), 4) as r{n}",
                self.term(&Type::Int, 0)
            ),
            _ => format!(
                "foreach z{n} 0..min(max({}, 0), 3)",
                self.term(&Type::Int, 0)
            ),
        };
        self.line(format!("{head} {{"));
        let set = self.set();
        self.line(set);
        if self.dice.percent(30) {
            let guard = self.condition(0);
            self.line(format!("if {guard} {{ stop }}"));
        }
        if depth > 0 && self.dice.percent(20) {
            self.statement(0);
        }
        self.line("}");
    }

    fn expect(&mut self) {
        let (set, other) = (self.set(), self.set());
        match self.dice.below(4) {
            0 => self.line(format!(
                "ask tries=2 {{ /IP(dst=10.0.0.2)/UDP(src=40000, dst=7)/Bytes(\"q\") }} expect timeout=2ms /IP/UDP {{ {set} }} else {{ {other} }}"
            )),
            1 => self.line(format!(
                "expect timeout=2ms /IP(ttl >= 3, ttl < 200)/ICMP(type in 3..11) {{ {set} }} or /IP(src != 10.0.0.9)/UDP(src <= 9, dst > 7) {{ {other} }} else {{ x := 5 }}"
            )),
            2 => self.line(format!(
                "expect timeout=2ms /IP/UDP/Bytes(data has #07) where length(MATCH[Bytes].data) > 2 {{ {set} }}"
            )),
            _ => self.line(format!(
                "expect timeout=2ms /IP/TCP(flags not has rst, dst not in 1..9) {{ {set} }} else {{ {other} }}"
            )),
        }
    }
}
