//! The driven layers (`TCP!`): one row each, with options, counters, and what it runs on. The
//! checker, the machine, the review and the manual read them.

mod counter;
mod dns;
mod http;
mod ip;
mod option;
mod tcp;
mod tls;
mod udp;

use crate::ir::DrivenKind;
use core::fmt;
pub use counter::LayerCounter;
use crafty_value::Duration;
pub use option::DrivenOption;

/// A layer that the stack can run.
#[derive(Debug)]
pub struct DrivenLayer {
    /// Which.
    pub kind: DrivenKind,
    /// As written before the `!`; a layer of the tables has the same name.
    pub name: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// The driven layers that it lies directly on.
    pub runs_on: &'static [DrivenKind],
    /// What is below it, as it is usually written.
    pub example_below: &'static str,
    /// Whether what is put on it goes into a stream.
    pub is_stream: bool,
    /// What it tells a peer of what that peer sent, because its protocol has it so; a sentence.
    pub echo: Option<&'static str>,
    /// Names that other tools have for its options, with ours.
    pub misnomers: &'static [(&'static str, &'static str)],
    /// Names that are not option here, and where what they mean is said instead.
    pub elsewhere: &'static [(&'static [&'static str], &'static str)],
    /// What it asks for, where it runs above the transport and makes one request.
    pub request: Option<&'static Request>,
    /// What it sends automatically, in words; none for what sends nothing automatically.
    pub act: Option<&'static DrivenAct>,
    /// How often it sends what it asks in datagrams; none for what asks nothing in them.
    pub repeats: Option<&'static DatagramRepeats>,
    /// What its options must be, beyond their types.
    pub rules: &'static [OptionRule],
    /// Its options.
    pub options: &'static [DrivenOption],
    /// What `STACK[…]` can be asked of it.
    pub counters: &'static [LayerCounter],
}

/// The option by which a layer asks.
#[derive(Debug)]
pub struct Request {
    /// Exactly one of these is set.
    pub one_of: &'static [&'static str],
    /// Message and help where none is.
    pub missing: (&'static str, &'static str),
    /// Message and help where several are.
    pub several: (&'static str, &'static str),
}

/// What a layer sends automatically, in words.
#[derive(Debug)]
pub struct DrivenAct {
    /// Over a connection.
    pub over_connection: &'static str,
    /// Where peers open the connection; none where only the layer below has words for it.
    pub served: Option<&'static str>,
    /// In datagrams, if it does.
    pub in_datagrams: Option<&'static str>,
}

/// How often a question in datagrams is sent: each try is one, and waits for the answer.
#[derive(Debug)]
pub struct DatagramRepeats {
    /// The option with the number of tries.
    pub tries: &'static str,
    /// The option with how long each waits.
    pub each: &'static str,
    /// Bytes of the longest question, link header included.
    pub longest: u64,
}

/// What options of a layer must be, beyond their types.
#[derive(Debug)]
pub enum OptionRule {
    /// What is asked for is a path, which starts with `/`; help where it is a whole URL.
    AsksForPath(&'static str),
    /// An option has no effect without another: both, message and help.
    Needs(&'static str, &'static str, (&'static str, &'static str)),
    /// Options that take certain words only.
    Words {
        /// Each with the word to offer.
        options: &'static [(&'static str, &'static str)],
        /// The words.
        words: &'static [&'static str],
        /// What a word is.
        what: &'static str,
        /// The words, in a sentence.
        known: &'static str,
    },
}

/// What leaving out an option means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// This number.
    Int(i64),
    /// This.
    Bool(bool),
    /// This duration.
    Time(Duration),
    /// This string.
    Text(&'static str),
    /// The number with this name.
    Named(&'static str),
    /// No one value: what it depends on, in words.
    Says(&'static str),
}

impl fmt::Display for Unset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unset::Int(n) => write!(f, "{n}"),
            Unset::Bool(b) => write!(f, "{b}"),
            Unset::Time(duration) => write!(f, "{duration}"),
            Unset::Text(text) => write!(f, "\"{text}\""),
            Unset::Named(words) | Unset::Says(words) => f.write_str(words),
        }
    }
}

/// All rows, in the order of the stack.
pub static LAYERS: &[&DrivenLayer] = &[
    &ip::LAYER,
    &udp::LAYER,
    &tcp::LAYER,
    &tls::LAYER,
    &http::LAYER,
    &dns::LAYER,
];

impl DrivenKind {
    /// Its row.
    pub fn layer(self) -> &'static DrivenLayer {
        match self {
            DrivenKind::Ip => &ip::LAYER,
            DrivenKind::Udp => &udp::LAYER,
            DrivenKind::Tcp => &tcp::LAYER,
            DrivenKind::Tls => &tls::LAYER,
            DrivenKind::Http => &http::LAYER,
            DrivenKind::Dns => &dns::LAYER,
        }
    }

    /// Its name, without `!`.
    pub fn name(self) -> &'static str {
        self.layer().name
    }

    /// Whether it asks a peer above the transport, and has no address of its own.
    pub fn is_session(self) -> bool {
        let transport = [DrivenKind::Udp, DrivenKind::Tcp];
        self.layer()
            .runs_on
            .iter()
            .any(|below| transport.contains(below))
    }

    /// Whether what is put on it goes into a stream.
    pub fn is_stream(self) -> bool {
        self.layer().is_stream
    }

    /// The row of an option.
    pub fn option(self, name: &str) -> Option<&'static DrivenOption> {
        self.layer().options.iter().find(|row| row.name == name)
    }

    /// The row of a counter.
    pub fn counter(self, name: &str) -> Option<&'static LayerCounter> {
        self.layer().counters.iter().find(|row| row.name == name)
    }
}

/// The driven layer of this name.
pub fn named(name: &str) -> Option<DrivenKind> {
    LAYERS
        .iter()
        .find(|layer| layer.name == name)
        .map(|layer| layer.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Type;
    use crafty_value::Value;

    #[test]
    fn each_row_is_of_its_layer_and_each_name_stands_once() {
        for layer in LAYERS {
            assert_eq!(layer.kind.layer().name, layer.name);
            assert!(crafty_wire::layer(layer.name).is_some(), "{}", layer.name);
            for (at, row) in layer.options.iter().enumerate() {
                assert_eq!(row.of, layer.kind, "option `{}`", row.name);
                let twice = layer.options[..at].iter().any(|o| o.name == row.name);
                assert!(!twice, "option `{}` of {}", row.name, layer.name);
            }
            for (at, row) in layer.counters.iter().enumerate() {
                assert_eq!(row.of, layer.kind, "counter `{}`", row.name);
                let twice = layer.counters[..at].iter().any(|c| c.name == row.name);
                assert!(!twice, "counter `{}` of {}", row.name, layer.name);
            }
        }
    }

    #[test]
    fn defaults_have_the_type_of_their_option() {
        for row in LAYERS.iter().flat_map(|layer| layer.options) {
            let Some(value) = row.default_value() else {
                assert!(matches!(row.unset, Unset::Says(_)), "`{}`", row.name);
                continue;
            };
            let fits = matches!(
                (&value, row.ty()),
                (Value::Int(_), Type::Int)
                    | (Value::Bool(_), Type::Bool)
                    | (Value::Duration(_), Type::Duration)
                    | (Value::Str(_), Type::Str)
            );
            assert!(fits, "`{}` of {:?}", row.name, row.of);
        }
    }

    #[test]
    fn what_is_asked_for_and_what_is_called_otherwise_are_options() {
        for layer in LAYERS {
            let asked = layer.request.into_iter().flat_map(|r| r.one_of);
            let meant = layer.misnomers.iter().map(|(_, ours)| ours);
            let repeats = layer.repeats.into_iter().flat_map(|r| [&r.tries, &r.each]);
            let ruled = layer.rules.iter().flat_map(|rule| match rule {
                OptionRule::AsksForPath(_) => Vec::new(),
                OptionRule::Needs(option, other, _) => vec![option, other],
                OptionRule::Words { options, .. } => options.iter().map(|it| &it.0).collect(),
            });
            for name in asked.chain(meant).chain(repeats).chain(ruled) {
                assert!(
                    layer.kind.option(name).is_some(),
                    "`{name}` of {}",
                    layer.name
                );
            }
        }
    }
}
