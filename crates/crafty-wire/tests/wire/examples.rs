//! The example of every layer builds, and reads back as the layers that it names.

use crafty_wire::{Decoded, all, decode, encode};

use crate::golden::oddities;
use crate::notation::Text;

/// Layers that only the sender knows to be there.
const UNSEEN: &[(&str, &str)] = &[("PW", "a pseudowire begins like any MPLS payload")];

#[test]
fn examples_read_back() {
    let mut wrong = Vec::new();
    for layer in all()
        .iter()
        .filter(|layer| UNSEEN.iter().all(|row| row.0 != layer.name))
    {
        let stack = Text(layer.example).stack();
        let (mut octets, mut decoded) = (Vec::new(), Decoded::new());
        encode(&stack, &mut octets);
        decode(stack[0].layer(), &octets, octets.len(), &mut decoded);
        let named: Vec<&str> = stack.iter().map(|header| header.layer().name).collect();
        let found: Vec<&str> = decoded
            .layers
            .iter()
            .map(|found| found.layer.name)
            .collect();
        let odd: Vec<String> = oddities(&octets, &decoded)
            .into_iter()
            .filter(|odd| !odd.ends_with("NotVerifiable"))
            .collect();
        if named != found || !odd.is_empty() {
            wrong.push(format!("{}\nfound {found:?} {odd:?}", layer.example));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(all().len() >= 60, "only {} layers", all().len());
}
