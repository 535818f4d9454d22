//! Receive filters: classic BPF as the kernel takes it. The program comes from above; this file
//! only wraps it.

/// One instruction of classic BPF, as `struct sock_filter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BpfInsn {
    /// Operation.
    pub code: u16,
    /// Instructions to skip if true.
    pub jt: u8,
    /// Instructions to skip if false.
    pub jf: u8,
    /// Operand.
    pub k: u32,
}

/// The kernel's limit (`BPF_MAXINSNS`).
pub(crate) const MOST_INSTRUCTIONS: usize = 4096;

const LOAD_ABSOLUTE_WORD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
/// `SKF_AD_OFF + SKF_AD_PKTTYPE`: the kernel's class of the frame.
const PACKET_TYPE: u32 = (libc::SKF_AD_OFF + libc::SKF_AD_PKTTYPE) as u32;

/// The filter with a head that lets every outgoing frame pass, since those are the recapture, and
/// keeps `own` bytes of each. Without a filter all frames pass; of those that come in `snap` bytes
/// are kept.
pub(crate) fn with_recapture(filter: Option<&[BpfInsn]>, snap: u32, own: u32) -> Vec<BpfInsn> {
    let insn = |code, jt, jf, k| BpfInsn { code, jt, jf, k };
    let keep = |octets| insn(RETURN, 0, 0, octets);
    let mut program = vec![
        insn(LOAD_ABSOLUTE_WORD, 0, 0, PACKET_TYPE),
        insn(JUMP_EQUAL, 0, 1, libc::PACKET_OUTGOING.into()),
        keep(own),
    ];
    program.extend_from_slice(filter.unwrap_or(&[keep(snap)]));
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outgoing_frames_pass_whatever_the_filter_says() {
        let refuse_all = [BpfInsn {
            code: RETURN,
            jt: 0,
            jf: 0,
            k: 0,
        }];
        let program = with_recapture(Some(&refuse_all), 1500, 96);
        assert_eq!(program.len(), 4);
        assert_eq!((program[1].k, program[1].jt, program[1].jf), (4, 0, 1));
        assert_eq!(
            program[2],
            BpfInsn {
                code: RETURN,
                jt: 0,
                jf: 0,
                k: 96
            }
        );
        assert_eq!(program[3], refuse_all[0]);
        let all = with_recapture(None, 1500, 96);
        assert_eq!((all[..3].to_vec(), all[3].k), (program[..3].to_vec(), 1500));
    }
}
