//! What is received from whom and may decide over what is sent to whom.

use crate::load::LoadedProgram;
use crafty_lang::ir::{Label, Span, StackId};
use crafty_lang::labels::SiteLabels;
use crafty_lang::traffic::layers::{SentStack, is_stream};
use crafty_lang::traffic::{HeardTraffic, KnownSets, Party, SentTraffic, Traffic, size};
use crafty_policy::{ExfiltrationMode, leak};

/// What arrives at some places and may decide over what leaves at another.
#[derive(Clone, Debug)]
pub struct InformationFlow {
    /// The place that sends.
    pub span: Span,
    /// What is received.
    pub carries: Label,
    /// Whose traffic may decide.
    pub from: Vec<Party>,
    /// Who is sent to.
    pub to: Party,
    /// Bits that the receiver may learn from it, at most.
    pub bits: u64,
    /// Whether it may tell something to somebody else than whom it was received from.
    pub elsewhere: bool,
}

/// Every place that reacts.
pub(super) fn of(program: &LoadedProgram, traffic: &Traffic) -> Vec<InformationFlow> {
    let sites = &program.judged.labels.sites;
    let reacting = sites.iter().filter(|site| site.reacts()).count() as u32;
    let lines = traffic.sends.iter();
    let reacts = |line: &&SentTraffic| {
        sites
            .get(line.site.0 as usize)
            .is_some_and(SiteLabels::reacts)
    };
    let lines: Vec<&SentTraffic> = lines.filter(reacts).collect();
    lines
        .into_iter()
        .map(|line| flow(program, traffic, line, reacting))
        .collect()
}

fn flow(
    program: &LoadedProgram,
    traffic: &Traffic,
    line: &SentTraffic,
    reacting: u32,
) -> InformationFlow {
    let site = &program.judged.labels.sites[line.site.0 as usize];
    let from = origins(program, traffic, line, site);
    let elsewhere = !from.iter().all(|from| is_same(from, line));
    InformationFlow {
        span: line.span,
        carries: site.content.max(site.guard),
        to: line.to.clone(),
        bits: bits(program, line, site, reacting),
        from: from.into_iter().map(|(party, _)| party).collect(),
        elsewhere,
    }
}

/// Whose traffic may decide over a line: of one in a handler that nothing else decides over, whoever
/// the handler hears; else everybody whom the program hears.
fn origins(
    program: &LoadedProgram,
    traffic: &Traffic,
    line: &SentTraffic,
    site: &SiteLabels,
) -> Vec<(Party, Option<StackId>)> {
    let alone = |heard: &&HeardTraffic| {
        let inside = |span: Span| span.start <= heard.span.start && heard.span.end <= span.end;
        line.handler.is_some_and(inside) && heard.handler
    };
    let earlier =
        traffic.hears.iter().any(|heard| !heard.handler) || connections(program).next().is_some();
    let by_handler_only = site.content == Label::Clean && !earlier;
    let mut found = Vec::new();
    let hears = traffic.hears.iter();
    for heard in hears.filter(|heard| !by_handler_only || alone(heard)) {
        note(&mut found, heard.from.clone(), heard.stack);
    }
    if !by_handler_only || found.is_empty() {
        for (party, stack) in connections(program) {
            note(&mut found, party, Some(stack));
        }
    }
    found
}

fn note(found: &mut Vec<(Party, Option<StackId>)>, party: Party, stack: Option<StackId>) {
    if !found.contains(&(party.clone(), stack)) {
        found.push((party, stack));
    }
}

/// Peers of blocks that hear by themselves: connections, and what asks above them.
fn connections(program: &LoadedProgram) -> impl Iterator<Item = (Party, StackId)> {
    let known = KnownSets::new(&program.program, &program.bound.values);
    let found: Vec<(Party, StackId)> = (0..program.program.stacks.len() as u32)
        .map(StackId)
        .filter_map(|id| {
            let stack = SentStack::of_block(&program.program, id);
            let hears =
                is_stream(&stack.layers) || stack.layers.iter().any(|layer| layer.name() == "DNS");
            hears.then(|| (crafty_lang::traffic::destination(&known, &stack), id))
        })
        .collect();
    found.into_iter()
}

/// Whether what comes from a party goes to the same party only.
fn is_same((from, stack): &(Party, Option<StackId>), line: &SentTraffic) -> bool {
    match (from, &line.to) {
        (Party::Addresses(from), Party::Addresses(to)) => from.len() == 1 && from == to,
        // Whoever asked is answered.
        (Party::Asker, Party::Asker) => *stack == line.stack || line.stack.is_none(),
        (Party::Computed, Party::Asker) => line.stack.is_none() && line.handler.is_some(),
        (Party::Addresses(from), Party::Asker) => from.len() == 1,
        _ => false,
    }
}

/// Bits of all that the line may send, by the gate's own formula.
fn bits(program: &LoadedProgram, line: &SentTraffic, site: &SiteLabels, reacting: u32) -> u64 {
    let policy = &program.bound.policy;
    let budget = &policy.budget;
    let sends = line.times.map_or(budget.max_packets, |times| {
        let frames = line.size.map_or(1, |size| size.frames.1);
        times.saturating_mul(frames).min(budget.max_packets)
    });
    if policy.exfiltration == ExfiltrationMode::True && site.content == Label::Content {
        let largest = line.size.map_or(size::FRAME.1, |size| size.bytes.1);
        return sends
            .saturating_mul(largest)
            .min(budget.max_bytes)
            .saturating_mul(8);
    }
    let largest = budget.max_bytes.min(size::FRAME.1) as usize;
    let each = leak::reaction_bits(
        leak::slots(budget.max_duration),
        reacting,
        site.chosen.bits(largest),
    );
    sends.saturating_mul(each).min(policy.max_leak_bits)
}
