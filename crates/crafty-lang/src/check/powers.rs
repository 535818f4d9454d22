//! Powers that a frame certainly needs, so that they are reported before the gate refuses it. The
//! gate's own rules are asked; there is no list of powers here.

use super::destination::DestinationCheck;
use super::sample::SampleHeader;
use crate::diagnostics as d;
use crate::ir::{Send, Span, StackId};
use crafty_policy::{Power, Reason, SettingsGroup};
use crafty_syntax::diagnostic::Occurrence;

impl<'p> DestinationCheck<'p> {
    /// Powers that a driven block needs.
    pub fn powers_of_block(&mut self, id: StackId, span: Span) {
        let parts = self.parts_of_opening(id);
        self.powers(parts, span);
    }

    /// Powers that a send needs.
    pub fn powers_of_send(&mut self, send: &'p Send) {
        if let Some(parts) = self.parts_of_send(send) {
            self.powers(parts, send.span);
        }
    }

    fn powers(&mut self, parts: Vec<SampleHeader<'p>>, span: Span) {
        for (power, reason) in self.frame(parts.clone()).missing(self.policy.powers) {
            self.missing_power(power, &reason, &parts, span);
        }
    }

    fn missing_power(
        &mut self,
        power: Power,
        reason: &Reason,
        parts: &[SampleHeader<'p>],
        span: Span,
    ) {
        // Without the layers behind it the frame needs it already: that layer is the reason.
        let whose = (1..=parts.len()).find(|&n| {
            let missing = self.frame(parts[..n].to_vec()).missing(self.policy.powers);
            missing.iter().any(|(other, _)| *other == power)
        });
        let literal = whose.and_then(|n| parts[n - 1].literal);
        let (at, what) = literal.map_or((span, "this".into()), |literal| {
            (literal.span, format!("`{}`", literal.layer.name))
        });
        let report = Occurrence::new(
            &d::missing_power::DIAGNOSTIC,
            at,
            format!("{what} needs the power `{}`: {reason}", power.name()),
        );
        let report = self.setting_fix.add(
            report,
            SettingsGroup::Permissions,
            "powers",
            None,
            power.name(),
        );
        self.reports.push(report);
    }
}
