//! Random programs over the tables: every setting, function, statement, driven layer with its
//! options and counters, carrier, and literal packet of every layer with its options. What they tell
//! somebody else is compared.

mod arrivals;
mod judge;
mod rows;
mod settings;
mod stacks;
mod statements;
mod terms;

pub use arrivals::{anything, arrivals};
pub use judge::{leak, leak_of_both};
pub use rows::{LanguageRow, rows, used};

use crate::TestRng;
use crafty_lang::driven::DrivenLayer;
use crafty_lang::ir::Type;
use crafty_policy::ExfiltrationMode;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use terms::{FunctionSignature, offers};

/// Makes programs; knows what the functions take.
pub struct ProgramGenerator {
    offers: Vec<FunctionSignature>,
}

impl Default for ProgramGenerator {
    fn default() -> ProgramGenerator {
        ProgramGenerator { offers: offers() }
    }
}

/// A generated program, and which transport its peer speaks.
#[derive(Clone, Debug)]
pub struct Wide {
    /// Its text.
    pub source: String,
    /// Whether its peer is met by TCP.
    pub tcp: bool,
}

impl ProgramGenerator {
    /// A random program under a mode; under `none` it speaks UDP, since connections react.
    pub fn program(&self, mode: ExfiltrationMode, dice: &mut TestRng) -> Wide {
        let mut writer = self.writer(mode, dice);
        let tcp = writer.whole();
        Wide {
            source: writer.text,
            tcp,
        }
    }

    /// A program that uses one of these rows of layers, carriers and their options, if any is of
    /// them; else any program.
    pub fn program_for(&self, wanted: &BTreeSet<LanguageRow>, dice: &mut TestRng) -> Wide {
        let at = dice.below(wanted.len() as u64) as usize;
        let row = wanted.iter().nth(at).cloned();
        let mode = ExfiltrationMode::False;
        let mut writer = self.writer(mode, dice);
        let sent = row.is_some_and(|row| writer.plain(&row));
        match sent {
            true => Wide {
                source: writer.text,
                tcp: false,
            },
            false => self.program(mode, dice),
        }
    }

    fn writer<'g>(&'g self, mode: ExfiltrationMode, dice: &'g mut TestRng) -> WideWriter<'g> {
        WideWriter {
            offers: &self.offers,
            dice,
            mode,
            text: String::new(),
            received: Vec::new(),
            stacks: Vec::new(),
            held: "wait 2ms",
            fresh: 0,
        }
    }
}

struct WideWriter<'g> {
    offers: &'g [FunctionSignature],
    dice: &'g mut TestRng,
    mode: ExfiltrationMode,
    text: String,
    /// The layers of the packet at hand; none outside of handlers.
    received: Vec<&'static str>,
    /// The driven layers around.
    stacks: Vec<&'static DrivenLayer>,
    /// How a block ends that holds segments.
    held: &'static str,
    /// Names of loops and packets must differ.
    fresh: u32,
}

impl WideWriter<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}", text.as_ref());
    }

    fn whole(&mut self) -> bool {
        self.head();
        let layer = self.any_layer();
        let tcp = self.block(layer);
        self.line("wait 5ms");
        self.line("/IP!(dst=10.0.0.3)/UDP!(src=40001, dst=9) {");
        for _ in 0..2 {
            let value = self.term(&Type::Bytes, 2);
            self.line(format!("Bytes({value})"));
        }
        let guard = self.condition(1);
        self.line(format!("if {guard} {{ Bytes(#01) }}"));
        self.line("}");
        if self.dice.percent(20) {
            self.literal_send();
        }
        tcp
    }
}
