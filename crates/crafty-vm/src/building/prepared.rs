//! Sends made again and again: the frame is built once, later ones change the bytes of the fields
//! that change.
//!
//! Only where that gives the same bytes as building: fixed lengths, no field that another one's
//! presence or the route depends on, no live state of a connection.

use crate::building::assemble::stack_of;
use crate::building::frame::FrameBuilder;
use crate::building::layer::KeepPacket;
use crate::building::prepared_frame::PreparedFrame;
use crate::building::prepared_frame::is_plain;
use crate::building::prepared_frame::spots;
use crate::building::prepared_frame::write;
use crate::execution::halt::Halt;
use crate::machine::Machine;
use core::net::IpAddr;
use crafty_lang::ir::{self, Send};
use crafty_stack::NeighbourResolution;
use crafty_value::Mac;

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
        let hop = match hop.map(|hop| (hop, self.uplink.neighbours.lookup(self.clocks.now, hop))) {
            Some((hop, NeighbourResolution::Known(mac))) => Some((hop, mac)),
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
        keep: KeepPacket,
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
            let ir::FieldSetting::Value(expr) = value else {
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
            let id = self.uplink.identifications.next(*to);
            prepared.template.patch(*place, u64::from(id & 0xffff));
        }
        Ok(true)
    }

    fn hop_is(&mut self, hop: Option<(IpAddr, Mac)>) -> bool {
        hop.is_none_or(|(hop, mac)| {
            self.uplink.neighbours.lookup(self.clocks.now, hop) == NeighbourResolution::Known(mac)
        })
    }

    fn send_bytes(
        &mut self,
        prepared: &PreparedFrame,
        send: &Send,
        keep: KeepPacket,
    ) -> Option<u64> {
        let octets = prepared.template.octets().to_vec();
        let packet = keep.then(|| self.keep_packet(prepared.bytes.clone()));
        let origin = self.origin(send, octets.len());
        self.submit_one(octets, origin, send.span, packet);
        self.count_out(stack_of(send), prepared.payload);
        packet
    }
}
