//! The few fields of a frame that a claim may speak of. Reads frames by itself: the benchmark judges
//! no tool with that tool's own decoder.

use std::net::IpAddr;

/// What a frame is, as far as claims go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameFields {
    pub src: Option<IpAddr>,
    pub dst: Option<IpAddr>,
    /// `icmp`, `icmp6`, `tcp`, `udp`, `arp`, or the protocol's number.
    pub protocol: String,
    pub src_port: Option<u16>,
    pub dst_port: Option<u16>,
    pub icmp_type: Option<u8>,
    pub icmp_code: Option<u8>,
    /// Flags of TCP in the order of the header: `SA` for a SYN-ACK.
    pub flags: String,
    pub ttl: Option<u8>,
    /// Bytes of the datagram.
    pub length: usize,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Reads a frame of Ethernet.
pub(crate) fn fields(frame: &[u8]) -> Option<FrameFields> {
    let packet = frame.get(14..)?;
    let mut fields = FrameFields {
        length: packet.len(),
        ..FrameFields::default()
    };
    match u16_at(frame, 12)? {
        0x0806 => fields.protocol = "arp".into(),
        0x0800 => v4(packet, &mut fields)?,
        0x86dd => v6(packet, &mut fields)?,
        _ => return None,
    }
    Some(fields)
}

fn v4(packet: &[u8], fields: &mut FrameFields) -> Option<()> {
    let head = usize::from(packet.first()? & 15) * 4;
    let address = |at: usize| {
        Some(IpAddr::from(
            <[u8; 4]>::try_from(packet.get(at..at + 4)?).ok()?,
        ))
    };
    (fields.src, fields.dst) = (address(12), address(16));
    fields.ttl = packet.get(8).copied();
    fields.length = usize::from(u16_at(packet, 2)?);
    let is_first = u16_at(packet, 6)? & 0x1fff == 0;
    upper(
        *packet.get(9)?,
        is_first.then(|| packet.get(head..))?,
        fields,
    )
}

fn v6(packet: &[u8], fields: &mut FrameFields) -> Option<()> {
    let address = |at: usize| {
        Some(IpAddr::from(
            <[u8; 16]>::try_from(packet.get(at..at + 16)?).ok()?,
        ))
    };
    (fields.src, fields.dst) = (address(8), address(24));
    fields.ttl = packet.get(7).copied();
    fields.length = usize::from(u16_at(packet, 4)?) + 40;
    upper(*packet.get(6)?, packet.get(40..), fields)
}

fn upper(protocol: u8, segment: Option<&[u8]>, fields: &mut FrameFields) -> Option<()> {
    let segment = segment.unwrap_or_default();
    fields.protocol = match protocol {
        1 => "icmp".into(),
        58 => "icmp6".into(),
        6 => "tcp".into(),
        17 => "udp".into(),
        other => other.to_string(),
    };
    match protocol {
        1 | 58 => {
            fields.icmp_type = segment.first().copied();
            fields.icmp_code = segment.get(1).copied();
        }
        6 | 17 => {
            fields.src_port = u16_at(segment, 0);
            fields.dst_port = u16_at(segment, 2);
        }
        _ => {}
    }
    if protocol == 6 {
        let bits = segment.get(13).copied().unwrap_or(0);
        let names = "FSRPAUEC".chars().enumerate();
        fields.flags = names
            .filter(|(bit, _)| bits >> bit & 1 == 1)
            .map(|it| it.1)
            .collect();
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syn_ack_and_an_icmp_error_are_read() {
        let mut frame = vec![0; 14 + 40];
        frame[12] = 8;
        frame[14] = 0x45;
        frame[17] = 40;
        frame[22] = 61;
        frame[23] = 6;
        frame[26..30].copy_from_slice(&[10, 0, 0, 1]);
        frame[36..38].copy_from_slice(&[0x1f, 0x90]);
        frame[47] = 0x12;
        let it = fields(&frame).unwrap();
        assert_eq!(
            (
                it.protocol.as_str(),
                it.flags.as_str(),
                it.dst_port,
                it.ttl,
                it.length
            ),
            ("tcp", "SA", Some(8080), Some(61), 40)
        );
        assert_eq!(it.src, Some("10.0.0.1".parse().unwrap()));
        frame[23] = 1;
        frame[34] = 3;
        frame[35] = 4;
        let it = fields(&frame).unwrap();
        assert_eq!(
            (it.protocol.as_str(), it.icmp_type, it.icmp_code),
            ("icmp", Some(3), Some(4))
        );
        for len in 0..frame.len() {
            let _ = fields(&frame[..len]);
        }
    }
}
