//! Two runs of one program, against peers that differ in their words alone: what others see of them.

use super::arrivals;
use crate::{AcceptedProgram, OTHER, PEER, TestRng, TwinRun, run_both, run_frames};
use crafty_lang::ir::Label;
use crafty_value::Time;

/// What others than the peer see: frames to anybody else, their times, and how the run ended, where
/// its labels say that content has no part in that.
fn seen(accepted: &AcceptedProgram, run: TwinRun) -> TwinRun {
    let frames = run.frames.into_iter();
    TwinRun {
        frames: frames
            .filter(|(_, frame)| !is_for_the_peer(frame))
            .collect(),
        end: run.end.filter(|_| accepted.end < Label::Content),
    }
}

/// Whether the outermost address of a frame is the peer's, or the frame asks for its link address.
fn is_for_the_peer(frame: &[u8]) -> bool {
    let tagged = if frame.get(12..14) == Some(&[0x81, 0]) {
        4
    } else {
        0
    };
    let at = |from: usize| frame.get(from + tagged..from + tagged + 4) == Some(&PEER.octets());
    at(30) || frame.get(12..14) == Some(&[8, 6]) && at(38)
}

/// How two peers can be distinguished by what others see, in words; none if they cannot.
pub fn leak(accepted: &AcceptedProgram, tcp: bool, dice: &mut TestRng) -> Option<String> {
    let peers = [(); 2].map(|()| arrivals(tcp, dice));
    let [a, b] = peers
        .clone()
        .map(|frames| seen(accepted, run_frames(&accepted.program, &frames, 0)));
    (a != b).then(|| format!("{a:x?}\n{b:x?}\n{peers:x?}"))
}

/// The same of two programs at once: what the second one, at the address of somebody else, sends
/// because of what the first one told it.
pub fn leak_of_both(
    programs: [&AcceptedProgram; 2],
    tcp: bool,
    dice: &mut TestRng,
) -> Option<String> {
    let both = programs.map(|accepted| &accepted.program);
    let [a, b] = [(); 2].map(|()| {
        let [first, second] = run_both(both, &arrivals(tcp, dice));
        let told = |(_, frame): &(Time, Vec<u8>)| frame.get(30..34) == Some(&OTHER.octets());
        (first.into_iter().filter(told).collect::<Vec<_>>(), second)
    });
    (a != b).then(|| format!("{a:x?}\n{b:x?}"))
}
