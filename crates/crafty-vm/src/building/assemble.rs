//! The layers of a send: those of its block, literal ones in place of them or on top.

use crate::building::block_layers::{live_fields, piece_is, piece_part};
use crate::building::crafted_flows::FlowEnds;
use crate::building::frame::FrameBuilder;
use crate::building::layer::{EvaluatedLayer, FrameLayer, LiveFields};
use crate::execution::halt::Halt;
use crate::machine::Machine;
use crate::receiving::layers;
use crate::stacks::error::BlockError;
use crate::stacks::open_block::{BlockLayer, IpSettings, PortPair};
use crate::stacks::peer::BlockPeer;
use crafty_lang::ir::{Onto, Send, StackId};
use crafty_wire::FieldValue;

impl Machine {
    /// The layers of a send, those of its block included.
    pub(crate) fn build_on(
        &mut self,
        send: &Send,
        written: Vec<EvaluatedLayer>,
    ) -> Result<FrameBuilder, Halt> {
        let (id, kept, replaced) = match send.onto {
            Onto::Bottom => {
                return Ok(FrameBuilder::of(
                    written
                        .into_iter()
                        .map(|w| FrameLayer::literal(w, &LiveFields::new()))
                        .collect(),
                ));
            }
            Onto::Replace(id, at) => (id, at, true),
            Onto::Above(id, at) => (id, at + 1, false),
        };
        let peer = self.any_peer().cloned();
        let now = self.clocks.now;
        let open = self
            .stacks
            .get(id)
            .ok_or_else(|| self.stack_error(BlockError::BlockClosed, id))?;
        let mut parts: Vec<FrameLayer> = open
            .pieces
            .iter()
            .take(kept)
            .map(|p| piece_part(p, peer.as_ref()))
            .collect();
        for (index, written) in written.into_iter().enumerate() {
            let piece = open
                .pieces
                .get(kept + index)
                .filter(|p| replaced && piece_is(p, written.layer));
            let connection = peer
                .as_ref()
                .and_then(|p| p.connection)
                .or_else(|| self.stacks.connections.of(id));
            let prefill = connection.and_then(|c| self.stacks.connections.prefill(c, now));
            let live = piece
                .map(|p| live_fields(p, peer.as_ref(), prefill))
                .unwrap_or_default();
            parts.push(FrameLayer::literal(written, &live));
        }
        let mut build = FrameBuilder::of(parts);
        build.cuts = kept > 0
            && open.outermost().is_some_and(|ip| ip.df != Some(true))
            && build.outermost_ip().is_some_and(|p| !p.literal);
        Ok(build)
    }

    /// The reset of a flow that the program made of single segments.
    pub(crate) fn build_reset(&self, ends: FlowEnds, seq: u32) -> FrameBuilder {
        let (local, remote) = ends;
        let ip = IpSettings {
            src: Some(local.0),
            dst: Some(remote.0),
            ttl: 64,
            dscp: 0,
            df: None,
        };
        let mut tcp = piece_part(
            &BlockLayer::Tcp(PortPair {
                src: local.1,
                dst: Some(remote.1),
            }),
            None,
        );
        tcp.put("seq", FieldValue::Uint(seq.into()));
        tcp.put_flags("rst");
        FrameBuilder::of(vec![piece_part(&BlockLayer::Ip(ip), None), tcp])
    }

    /// A segment of a connection in the layers of its block.
    pub(crate) fn build_segment(
        &self,
        pieces: &[BlockLayer],
        peer: &BlockPeer,
        ecn: u8,
        segment: &[u8],
    ) -> FrameBuilder {
        let below = pieces
            .split_last()
            .map_or(&[] as &[BlockLayer], |(_, below)| below);
        let mut parts: Vec<FrameLayer> = below.iter().map(|p| piece_part(p, Some(peer))).collect();
        if let Some(ip) = parts.iter_mut().rfind(|p| layers::is_ip(p.layer)) {
            ip.put(
                if ip.layer.name == "IP" {
                    "proto"
                } else {
                    "next"
                },
                FieldValue::Uint(6),
            );
            ip.put("ecn", FieldValue::Uint(ecn.into()));
            if ip.layer.name == "IP"
                && !matches!(
                    below.last(),
                    Some(BlockLayer::Ip(IpSettings {
                        df: Some(false),
                        ..
                    }))
                )
            {
                ip.put_flags("df");
            }
        }
        let data = vec![(0, FieldValue::Bytes(segment.to_vec()))];
        parts.push(FrameLayer::with(layers::bytes_layer(), data));
        FrameBuilder::of(parts)
    }
}

/// The block that a send goes through.
pub(crate) fn stack_of(send: &Send) -> Option<StackId> {
    match send.onto {
        Onto::Bottom => None,
        Onto::Replace(id, _) | Onto::Above(id, _) => Some(id),
    }
}
