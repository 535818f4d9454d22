//! Sends made again and again: the frame is built once, later ones change the bytes of the fields
//! that change.
//!
//! Only where that gives the same bytes as building: fixed lengths, no field that another one's
//! presence or the route depends on, no live state of a connection.

use crate::building::frame::FrameBuilder;
use crate::building::send::stack_of;
use crate::execution::thread::Halt;
use crate::machine::Machine;
use crate::receiving::view;
use core::net::IpAddr;
use core::ops::Range;
use crafty_lang::ir::{self, ExprKind, Literal, Send};
use crafty_stack::Resolution;
use crafty_value::{Mac, Value};
use crafty_wire::{Auto, Field, FieldValue, Kind, Layer, Slot, Template, When};

/// A send whose frame is ready but for what changes.
#[derive(Debug)]
pub(crate) struct PreparedFrame {
    template: Template,
    spots: Vec<ChangingField>,
    /// The identifications that are ours to count, and for whom.
    ids: Vec<((usize, Slot), IpAddr)>,
    hop: Option<(IpAddr, Mac)>,
    bytes: Option<Range<usize>>,
    /// Of the block that it goes through: a block opened again is another one.
    generation: Option<u64>,
    /// Bytes of the datagram, if a driven IP would cut it where the path takes less.
    cut_from: Option<usize>,
    payload: i64,
}

/// A field that changes: which literal layer, which of its fields as written, and where its bytes
/// lie.
#[derive(Debug)]
struct ChangingField {
    literal: usize,
    field: usize,
    place: FieldLocation,
}

#[derive(Debug)]
enum FieldLocation {
    Number((usize, Slot)),
    Octets(Range<usize>),
}

impl Machine {
    /// Keeps the frame of a send for the next time, if all that changes in it has a fixed place.
    pub(crate) fn prepare(
        &mut self,
        send: &Send,
        build: &FrameBuilder,
        hop: Option<IpAddr>,
        may_cut: bool,
    ) {
        let serves = stack_of(send).is_some_and(|id| self.stacks.serves(id));
        if serves || !send.layers.iter().all(is_plain) {
            return;
        }
        let hop = match hop.map(|hop| (hop, self.neighbours.lookup(self.clock, hop))) {
            Some((hop, Resolution::Known(mac))) => Some((hop, mac)),
            Some(_) => return,
            None => None,
        };
        let mut template = build.template();
        if let Some((_, mac)) = hop {
            template.patch_bytes(0, &mac.0);
        }
        let first = build.first_literal(send.layers.len());
        let Some(spots) = spots(&template, send, first) else {
            return;
        };
        let octets = template.octets().len();
        let prepared = PreparedFrame {
            spots,
            ids: build
                .own_ids()
                .into_iter()
                .filter_map(|(part, field, to)| Some((template.place(part, field)?, to)))
                .collect(),
            hop,
            bytes: build.bytes_in(template.octets()),
            generation: stack_of(send).and_then(|id| self.stacks.generation(id)),
            cut_from: may_cut.then_some(octets - build.link_bytes + build.label_bytes),
            payload: build.transport_payload,
            template,
        };
        let site = send.site.0 as usize;
        if self.prepared.len() <= site {
            self.prepared.resize_with(site + 1, || None);
        }
        self.prepared[site] = Some(Box::new(prepared));
    }

    /// Sends by the prepared frame; `None` if there is none that fits, and then nothing has
    /// happened.
    pub(crate) fn send_prepared(
        &mut self,
        send: &Send,
        keep: bool,
    ) -> Option<Result<Option<u64>, Halt>> {
        let site = send.site.0 as usize;
        let mut prepared = self.prepared.get_mut(site)?.take()?;
        match self.renew(&mut prepared, send) {
            Ok(false) => None,
            Ok(true) => {
                let sent = self
                    .before_send(send)
                    .map(|()| self.send_bytes(&prepared, send, keep));
                self.prepared[site] = Some(prepared);
                Some(sent)
            }
            Err(halt) => {
                self.prepared[site] = Some(prepared);
                Some(Err(halt))
            }
        }
    }

    /// Writes what changes; false if it does not fit the frame.
    fn renew(&mut self, prepared: &mut PreparedFrame, send: &Send) -> Result<bool, Halt> {
        let open = stack_of(send).and_then(|id| self.stacks.get(id));
        let too_long = prepared
            .cut_from
            .zip(open)
            .is_some_and(|(octets, open)| octets > open.path_mtu);
        if too_long
            || open.map(|o| o.generation) != prepared.generation
            || !self.hop_is(prepared.hop)
        {
            return Ok(false);
        }
        for spot in &prepared.spots {
            let literal = &send.layers[spot.literal];
            let (index, value) = &literal.fields[spot.field];
            let ir::FieldValue::Value(expr) = value else {
                return Ok(false);
            };
            let value = self.eval(expr, literal.span)?;
            if !write(
                &mut prepared.template,
                &spot.place,
                &literal.layer.fields[*index],
                &value,
            ) {
                return Ok(false);
            }
        }
        for (place, to) in &prepared.ids {
            let id = self.identifications.next(*to);
            prepared.template.patch(*place, u64::from(id & 0xffff));
        }
        Ok(true)
    }

    fn hop_is(&mut self, hop: Option<(IpAddr, Mac)>) -> bool {
        hop.is_none_or(|(hop, mac)| {
            self.neighbours.lookup(self.clock, hop) == Resolution::Known(mac)
        })
    }

    fn send_bytes(&mut self, prepared: &PreparedFrame, send: &Send, keep: bool) -> Option<u64> {
        let octets = prepared.template.octets().to_vec();
        let packet = keep.then(|| self.keep_packet(prepared.bytes.clone()));
        self.submit_one(octets, self.origin(send), send.span, packet);
        self.count_out(stack_of(send), prepared.payload);
        packet
    }
}

/// Whether a literal layer may be part of a prepared frame: segments have live state, other lists
/// no fixed place.
fn is_plain(literal: &Literal) -> bool {
    let changes = |value: &ir::FieldValue| !matches!(value, ir::FieldValue::Value(e) if matches!(e.kind, ExprKind::Constant(_)));
    let fixed = |(index, value): &(usize, ir::FieldValue)| {
        !changes(value) || is_fixed(literal.layer, &literal.layer.fields[*index], value)
    };
    literal.layer.name != "TCP" && literal.fields.iter().all(fixed)
}

/// Whether changing a field changes its own bytes only.
fn is_fixed(layer: &'static Layer, field: &Field, value: &ir::FieldValue) -> bool {
    let number = matches!(
        field.kind,
        Kind::Uint | Kind::Named(_) | Kind::Flags(_) | Kind::Ip4 | Kind::Mac
    );
    let decides = layer.fields.iter().any(|f| match f.when {
        When::Always => false,
        When::In(by, _) | When::NotIn(by, _) | When::Has(by, _) => by == field.name,
    });
    let plain =
        matches!(field.auto, Auto::Default(_)) && !decides && !layer.pseudo.contains(&field.name);
    matches!(value, ir::FieldValue::Value(_)) && (view::is_bytes(layer) || number && plain)
}

fn spots(template: &Template, send: &Send, first: usize) -> Option<Vec<ChangingField>> {
    let mut spots = Vec::new();
    for (literal, layer) in send.layers.iter().enumerate() {
        for (field, (index, value)) in layer.fields.iter().enumerate() {
            if matches!(value, ir::FieldValue::Value(e) if matches!(e.kind, ExprKind::Constant(_)))
            {
                continue;
            }
            let place = match view::is_bytes(layer.layer) {
                true => FieldLocation::Octets(template.span(first + literal, *index)?),
                false => FieldLocation::Number(template.place(first + literal, *index)?),
            };
            spots.push(ChangingField {
                literal,
                field,
                place,
            });
        }
    }
    Some(spots)
}

fn write(template: &mut Template, place: &FieldLocation, field: &Field, value: &Value) -> bool {
    match (place, value) {
        (FieldLocation::Octets(range), Value::Bytes(octets)) if range.len() == octets.len() => {
            template.patch_bytes(range.start, octets)
        }
        (FieldLocation::Number(place), value) => match view::to_wire(field, value) {
            Ok(FieldValue::Uint(bits)) => template.patch(*place, bits),
            _ => return false,
        },
        _ => return false,
    }
    true
}
