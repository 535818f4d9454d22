//! A TCP connection segment by segment: what a stack of somebody else's making sent, whether a
//! stack of ours would or not. Acknowledgements are the machine's (`auto`): they depend on what the
//! peer says this time. Options other than the MSS are left out, since their values would be the
//! peer's.

use super::acts::{Act, ActContext, Clock, script as laid};
use super::literal::literal;
use super::{ConversationError, Role, ScriptBody};
use crafty_lang::eval::show;
use crafty_run::recording::{
    Flow, Progress, RecordedPacketView, Recording, Step, options, segment,
};
use crafty_value::Time;
use crafty_wire::FieldKind;

/// The client's side of a connection.
pub fn script(recording: &Recording, flow: &Flow) -> Result<ScriptBody, ConversationError> {
    let began = flow
        .steps
        .first()
        .map_or(Time(0), |step| recording.frames[step.frame].time);
    let (mut clock, mut acts, mut own) = (Clock(began), Vec::new(), Progress::default());
    let mut answers = 0;
    for step in flow.steps.iter().filter(|step| !step.ends.quoted) {
        let Some(view) = recording.view_of(step.frame) else {
            continue;
        };
        let frame = &recording.frames[step.frame];
        if step.from_client {
            if frame.wire_len > frame.octets.len() {
                return Err(ConversationError::Cut(frame.index));
            }
            let statement = said(flow, step, &view, &mut own);
            acts.push(Act::Say {
                after: clock.pause(frame.time),
                statement,
            });
        } else if let Some(pattern) = heard(flow, step, &view) {
            answers += 1;
            let (heard, missed) = (
                format!("print(\"{answers}: answered\")"),
                "missed += 1".to_string(),
            );
            acts.push(Act::Hear {
                timeout: clock.patience(frame.time),
                pattern,
                heard,
                missed,
            });
        }
    }
    let before = format!(
        "\nisn = {}\n{}",
        own.isn.unwrap_or(0),
        if answers > 0 { "missed = 0\n" } else { "" }
    );
    let after = if answers > 0 {
        format!("if missed > 0 {{\nfail \"${{missed}} of {answers} did not come\"\n}}\n")
    } else {
        String::new()
    };
    Ok(laid(
        &acts,
        Role::Client,
        &ActContext {
            before,
            stack: "/IP!(dst=peer)".into(),
            otherwise: String::new(),
            after,
        },
    ))
}

/// The segment as a layer, its sequence number counted from the first.
fn said(flow: &Flow, step: &Step, view: &RecordedPacketView, own: &mut Progress) -> String {
    let layer = step.ends.layer;
    let number = |field| view.number(layer, field).unwrap_or(0);
    if let Some(segment) = segment(view, layer) {
        own.note(&segment);
    }
    let offset = (number("seq") as u32).wrapping_sub(*own.isn.get_or_insert(number("seq") as u32));
    let seq = if offset == 0 {
        "isn".to_string()
    } else {
        format!("isn + {offset}")
    };
    let ack = if view.has(layer, "flags", "ack") {
        ", ack=auto"
    } else {
        ""
    };
    let mss = options(view, layer, "mss").find_map(|(_, size)| <[u8; 2]>::try_from(size).ok());
    let mss = mss.map_or(String::new(), |size| {
        format!(", options=[mss({})]", u16::from_be_bytes(size))
    });
    let data = view.carried(layer);
    let data = if data.is_empty() {
        String::new()
    } else {
        format!("/Bytes({})", literal(data))
    };
    format!(
        "TCP(src={}, dst={}, seq={seq}{ack}, flags={}{mss}){data}",
        flow.client.1,
        flow.server.1,
        flags(view, layer)
    )
}

fn flags(view: &RecordedPacketView, layer: usize) -> String {
    let row = view
        .decoded
        .layers
        .get(layer)
        .and_then(|found| found.layer.field("flags"));
    match row.map(|(_, field)| field.kind) {
        Some(FieldKind::Flags(names)) => {
            show::flags(view.number(layer, "flags").unwrap_or(0), names)
        }
        _ => "0".into(),
    }
}

/// What to wait for; a bare acknowledgement is nothing that one has to wait for.
fn heard(flow: &Flow, step: &Step, view: &RecordedPacketView) -> Option<String> {
    let layer = step.ends.layer;
    let has = |flag| view.has(layer, "flags", flag);
    let told = match view.carried(layer).is_empty() {
        false => ")/Bytes",
        true if has("syn") => ", flags has syn+ack)",
        true if has("rst") => ", flags has rst)",
        true if has("fin") => ", flags has fin)",
        true => return None,
    };
    let ip = if flow.server.0.is_ipv4() { "IP" } else { "IP6" };
    Some(format!(
        "/{ip}(src == peer)/TCP(src == {}, dst == {}{told}",
        flow.server.1, flow.client.1
    ))
}
