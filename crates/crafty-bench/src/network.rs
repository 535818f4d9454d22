//! What a diagnosis may name: the elements of a network, with the addresses by which a candidate has
//! met them, and the kinds of faults there are.

use crafty_sim::{Lab, NetworkElement, faults};
use serde_json::{Value, json};

/// What stands for "nothing is wrong".
pub(crate) const HEALTHY: &str = "healthy";

/// The form that is shown once the free text is frozen.
pub(crate) fn form(lab: &Lab) -> Value {
    let elements = lab.elements().into_iter().map(|it| {
        let addresses: Vec<String> = it.addresses.iter().map(|it| it.to_string()).collect();
        json!({ "name": it.name, "addresses": addresses })
    });
    let kinds = faults()
        .iter()
        .map(|it| json!({ "name": it.name, "about": it.doc }));
    json!({
        "elements": elements.collect::<Vec<_>>(),
        "kinds": kinds.chain([json!({ "name": HEALTHY, "about": "nothing is wrong in this network" })]).collect::<Vec<_>>(),
    })
}

/// How near a named element is to a true one: 1 for the same, a half for one that touches it.
pub(crate) fn nearness(elements: &[NetworkElement], named: &str, truth: &str) -> f64 {
    let truth = &truth.replace('>', "-");
    let named = &named.replace('>', "-");
    let ends = |name: &str| {
        let found = elements.iter().find(|it| it.name == name);
        found.map_or(&[][..], |it| &it.ends)
    };
    if named == truth {
        return 1.0;
    }
    let touches = ends(named).contains(truth) || ends(truth).contains(named);
    if touches { 0.5 } else { 0.0 }
}
