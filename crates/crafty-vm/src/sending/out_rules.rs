//! `on out`: segments of the driven stacks pass the program's rules before they go to the
//! gate. A rule drops, holds, delays, duplicates or cuts what it matches and hands the rest to the
//! rules after it. The stack itself never learns of it, and what the program wrote itself never comes
//! here.

use crate::api::Event;
use crate::execution::halt::Halt;
use crate::execution::halt::{NextInstruction, StepResult};
use crate::execution::packets::PacketEntry;
use crate::execution::steps::{Instruction, OutRuleHead, ProgramCounter};
use crate::execution::thread::{Thread, Wait};
use crate::machine::Machine;
use crate::receiving::admitted::{AdmittedFrame, FrameMetadata};
use crate::receiving::pattern::PatternMatch;
use crate::receiving::view::DecodedPacket;
use crate::sending::outbox::OutgoingFrame;
use crate::sending::rules::FramedSegment;
use crate::sending::rules::OutRule;
use crate::sending::rules::OutRuleAction;
use crate::sending::rules::StackSegment;
use crate::sending::rules::UnhandledSegment;
use crate::sending::rules::WithheldSegment;
use crate::sending::rules::can_cut;
use crafty_lang::ir::{OutAction, Span};
use crafty_policy::{Author, FrameOrigin};
use crafty_stack::tcp::segment;
use crafty_value::{Duration, Time, Value};
use std::sync::Arc;

/// Segments that are held or delayed at most; what comes then is dropped.
const MAX_WITHHELD: usize = 256;
/// Frames that one segment may become.
const MAX_COPIES: usize = 64;
/// Segments that wait for the blocks of their rules at most.
const MAX_UNSEEN: usize = 1024;

impl Machine {
    /// `on out`: from here until its block has ended.
    pub(crate) fn interpose(&mut self, out: &OutRuleHead, span: Span) -> StepResult {
        let action = match &out.action {
            OutAction::Drop => OutRuleAction::Drop,
            OutAction::Hold => OutRuleAction::Hold,
            OutAction::Duplicate => OutRuleAction::Duplicate,
            OutAction::Delay(by) => {
                OutRuleAction::Delay(self.duration(by, span)?.max(Duration::ZERO))
            }
            OutAction::Split(after) => {
                OutRuleAction::Split(usize::try_from(self.whole(after, span)?).unwrap_or(0))
            }
        };
        let left = out
            .count
            .as_ref()
            .map(|e| self.whole(e, span))
            .transpose()?;
        let pattern = self.evaluate_pattern(&out.arm, span)?;
        let (number, depth, head) = (
            self.out_rules.next,
            self.threads.main.scopes.len(),
            self.threads.main.pc,
        );
        self.out_rules.next += 1;
        self.out_rules.rules.push(OutRule {
            number,
            depth,
            head,
            span,
            pattern,
            stack: out.stack,
            action,
            left,
            closing: false,
        });
        Ok(NextInstruction::Next)
    }

    /// `release`: what is held continues, oldest first.
    pub(crate) fn release(&mut self) -> Result<NextInstruction, Halt> {
        let held = self.out_rules.take(|k| k.until.is_none());
        self.continue_through_rules(held);
        Ok(NextInstruction::Next)
    }

    /// What was delayed up to now continues.
    pub(crate) fn send_delayed(&mut self, now: Time) {
        let due = self.out_rules.take(|k| k.until.is_some_and(|t| t <= now));
        self.continue_through_rules(due);
    }

    /// A driven block is left: nothing is held for it any more, and its rules act silently until
    /// its stack has closed.
    pub(crate) fn rules_close(&mut self, depth: usize) {
        for rule in self.out_rules.rules.iter_mut().filter(|r| r.depth >= depth) {
            rule.closing = true;
        }
        let held = self
            .out_rules
            .take(|k| k.depth >= depth && k.until.is_none());
        self.continue_through_rules(held);
    }

    /// Rules deeper than this have ended; what they still keep back leaves now.
    pub(crate) fn rules_end(&mut self, depth: usize) {
        if self.out_rules.rules.is_empty() {
            return;
        }
        self.out_rules.rules.retain(|r| r.depth <= depth);
        let kept = self.out_rules.take(|k| k.depth > depth);
        self.continue_through_rules(kept);
    }

    fn continue_through_rules(&mut self, kept: Vec<WithheldSegment>) {
        for WithheldSegment { framed, rule, .. } in kept {
            self.pass(framed, rule + 1);
        }
    }

    /// Sends a segment that a connection has made, unless a rule takes it.
    pub(crate) fn send_stack_segment(&mut self, segment: StackSegment) {
        let framed = self.framed(segment, None);
        self.pass(framed, 0);
    }

    fn framed(&mut self, segment: StackSegment, by: Option<Span>) -> FramedSegment {
        let mut build =
            self.build_segment(&segment.pieces, &segment.peer, segment.ecn, &segment.octets);
        let hop = build.fill_below(&mut self.uplink);
        FramedSegment {
            frame: build.encode(),
            segment,
            hop,
            by,
        }
    }

    /// Takes a segment through the rules from this number on.
    fn pass(&mut self, framed: FramedSegment, from: u64) {
        let mut copies = 1;
        let mut waiting = vec![(framed, from)];
        while let Some((framed, from)) = waiting.pop() {
            let Some(at) = self.rule_for(&framed, from) else {
                self.leave_stack(framed);
                continue;
            };
            let rule = &self.out_rules.rules[at];
            let (action, next, span) = (rule.action, rule.number + 1, rule.span);
            match action {
                OutRuleAction::Drop => self.withhold(framed, at, None),
                OutRuleAction::Hold => self.withhold(framed, at, Some(None)),
                OutRuleAction::Delay(by) => {
                    self.withhold(framed, at, Some(Some(self.clocks.now.after(by))))
                }
                OutRuleAction::Duplicate | OutRuleAction::Split(_) if copies >= MAX_COPIES => {
                    waiting.push((framed, next))
                }
                OutRuleAction::Duplicate => {
                    copies += 1;
                    waiting.push((
                        FramedSegment {
                            by: Some(span),
                            ..framed.clone()
                        },
                        next,
                    ));
                    waiting.push((framed, next));
                }
                OutRuleAction::Split(after) => {
                    copies += 1;
                    let parts = self.cut_in_two(framed, after, span);
                    waiting.extend(parts.into_iter().rev().map(|part| (part, next)));
                }
            }
        }
    }

    /// The first rule from this number on that takes a segment; its block is to see it.
    fn rule_for(&mut self, framed: &FramedSegment, from: u64) -> Option<usize> {
        if self.out_rules.rules.is_empty() {
            return None;
        }
        let view = Arc::new(DecodedPacket::of_frame(
            self.uplink.link(),
            framed.frame.clone(),
            framed.frame.len(),
        ));
        let about = self.about_own(framed.frame.len());
        let heard = Arc::new(AdmittedFrame {
            frame: view,
            datagram: None,
            about,
            delivered: Vec::new(),
        });
        for at in 0..self.out_rules.rules.len() {
            let rule = &self.out_rules.rules[at];
            let acts = rule.number >= from
                && rule.left.is_none_or(|n| n > 0)
                && !(rule.closing && rule.action == OutRuleAction::Hold);
            if !acts
                || !self.script.continues(framed.segment.stack, rule.stack)
                || !can_cut(rule.action, &framed.segment.octets)
            {
                continue;
            }
            let Some(found) = rule.pattern.on_packet(&heard.frame, &heard.about) else {
                continue;
            };
            let (head, number) = (rule.head, rule.number);
            if !self.rule_filter_holds(head, &heard, &found) {
                continue;
            }
            self.out_rules.rules[at].left = self.out_rules.rules[at].left.map(|n| n - 1);
            let runs =
                !self.out_rules.rules[at].closing && self.out_rules.unseen.len() < MAX_UNSEEN;
            if runs
                && matches!(&self.script.code.ops[head], Instruction::Out(out) if out.body.is_some())
            {
                self.out_rules.unseen.push_back(UnhandledSegment {
                    rule: number,
                    heard,
                    found,
                    peer: framed.segment.peer.clone(),
                });
            }
            return Some(at);
        }
        None
    }

    /// What is known of a segment that has not left: the time is that of its making.
    fn about_own(&self, len: usize) -> FrameMetadata {
        FrameMetadata {
            time: self.clocks.now,
            source: "clock",
            last: self.clocks.now,
            len: i64::try_from(len).unwrap_or(i64::MAX),
            interface: self.uplink.interface_name(),
            checksum_ready: true,
        }
    }

    /// A `where` sees the segment as `MATCH`; a block of the rule that runs meanwhile keeps its
    /// own.
    fn rule_filter_holds(
        &mut self,
        head: ProgramCounter,
        heard: &Arc<AdmittedFrame>,
        found: &PatternMatch,
    ) -> bool {
        let code = Arc::clone(&self.script.code);
        let Instruction::Out(out) = &code.ops[head] else {
            return false;
        };
        let Some(filter) = &out.arm.filter else {
            return true;
        };
        let before = self.values.variables.get(out.arm.packet).clone();
        let id = self.values.packets.add(PacketEntry::Frame {
            heard: Arc::clone(heard),
            whole: false,
            found: found.clone(),
        });
        let _ = self
            .values
            .variables
            .set(out.arm.packet, Value::Packet(id), out.arm.span);
        let holds = self.filter_holds(filter);
        let _ = self
            .values
            .variables
            .set(out.arm.packet, before, out.arm.span);
        self.values.packets.remove(id);
        holds
    }

    /// Keeps a segment back until a moment or until `release`, or forever.
    fn withhold(&mut self, framed: FramedSegment, at: usize, until: Option<Option<Time>>) {
        let OutRule {
            number,
            depth,
            span,
            ..
        } = self.out_rules.rules[at];
        self.stacks.connections.withheld(framed.segment.connection);
        match until {
            Some(until) if self.out_rules.kept.len() < MAX_WITHHELD => {
                let framed = FramedSegment {
                    by: Some(span),
                    ..framed
                };
                self.out_rules.kept.push(WithheldSegment {
                    framed,
                    rule: number,
                    depth,
                    until,
                });
            }
            _ => {
                let why = "an `on out` of the program dropped it";
                self.note_unsent(&framed.segment.packets, span, why);
                let before = self.uplink.outbox.next_frame();
                self.journal.record(Event::Withheld {
                    octets: framed.frame,
                    before,
                    span,
                    time: self.clocks.now,
                });
            }
        }
    }

    fn cut_in_two(
        &mut self,
        framed: FramedSegment,
        after: usize,
        span: Span,
    ) -> Vec<FramedSegment> {
        let peer = &framed.segment.peer;
        let Some(parts) = segment::cut(&framed.segment.octets, after, peer.local, peer.remote)
        else {
            return vec![framed];
        };
        parts
            .into_iter()
            .map(|octets| {
                self.framed(
                    StackSegment {
                        octets,
                        ..framed.segment.clone()
                    },
                    Some(span),
                )
            })
            .collect()
    }

    fn leave_stack(&mut self, framed: FramedSegment) {
        let FramedSegment {
            segment,
            frame,
            hop,
            by,
        } = framed;
        let info = self.script.block(segment.stack);
        let (line, site) = (by.unwrap_or(info.span), info.site.0);
        let origin = FrameOrigin {
            author: Author::Stack,
            site,
            reactive: true,
            chosen_bits: 0,
        };
        self.dispatch(
            OutgoingFrame {
                whole: None,
                pieces: vec![frame],
                origin,
                line,
                packets: segment.packets,
            },
            hop,
        );
    }

    /// Starts the block of a rule for the next segment that it took, if the main program waits.
    pub(crate) fn start_out_rule_block(&mut self) -> bool {
        if self.out_rules.unseen.is_empty()
            || !self
                .threads
                .main
                .wait
                .as_ref()
                .is_some_and(Wait::is_waiting_statement)
        {
            return false;
        }
        let code = Arc::clone(&self.script.code);
        while let Some(UnhandledSegment {
            rule,
            heard,
            found,
            peer,
        }) = self.out_rules.unseen.pop_front()
        {
            let Some(rule) = self
                .out_rules
                .rules
                .iter()
                .find(|r| r.number == rule && !r.closing)
            else {
                continue;
            };
            let (Instruction::Out(out), stack) = (&code.ops[rule.head], rule.stack) else {
                continue;
            };
            let Some(body) = out.body else { continue };
            let mut thread = Thread::at(body, heard.about.time.max(self.threads.main.time));
            thread.peer = self.stacks.serves(stack).then_some(peer);
            let id = self.values.packets.add(PacketEntry::Frame {
                heard,
                whole: false,
                found,
            });
            let _ = self
                .values
                .variables
                .set(out.arm.packet, Value::Packet(id), out.arm.span);
            self.threads.handler = Some(thread);
            self.clocks.reacted = true;
            self.sweep();
            return true;
        }
        false
    }
}
