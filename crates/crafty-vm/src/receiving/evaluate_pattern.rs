//! Patterns when their `on` or `expect` starts: operands are computed once.

use crate::execution::halt::Halt;
use crate::machine::Machine;
use crate::receiving::pattern::{
    EvaluatedElement, EvaluatedOperand, EvaluatedPattern, EvaluatedTest,
};
use crafty_lang::ir::{Arm, Element, FieldTest, Operand, Span};
use std::collections::BTreeMap;

impl Machine {
    /// The pattern of an arm with the values that its operands have now.
    pub(crate) fn evaluate_pattern(
        &mut self,
        arm: &Arm,
        span: Span,
    ) -> Result<EvaluatedPattern, Halt> {
        let mut elements = Vec::with_capacity(arm.pattern.elements.len());
        for element in &arm.pattern.elements {
            elements.push(match element {
                Element::Layer { layer, conditions } => {
                    EvaluatedElement::Layer(layer, self.evaluate_conditions(conditions, span)?)
                }
                Element::Driven { kind, conditions } => {
                    EvaluatedElement::Driven(*kind, self.evaluate_conditions(conditions, span)?)
                }
                Element::Any => EvaluatedElement::Any,
                Element::End => EvaluatedElement::End,
            });
        }
        Ok(EvaluatedPattern {
            elements,
            stack: arm.pattern.stack,
            message: arm.pattern.message(),
            tried: BTreeMap::new(),
            searched: BTreeMap::new(),
        })
    }

    fn evaluate_conditions(
        &mut self,
        conditions: &[Vec<FieldTest>],
        span: Span,
    ) -> Result<Vec<Vec<EvaluatedTest>>, Halt> {
        let mut all = Vec::with_capacity(conditions.len());
        for any in conditions {
            all.push(
                any.iter()
                    .map(|test| self.evaluate_test(test, span))
                    .collect::<Result<Vec<_>, _>>()?,
            );
        }
        Ok(all)
    }

    fn evaluate_test(&mut self, test: &FieldTest, span: Span) -> Result<EvaluatedTest, Halt> {
        let operand = match &test.operand {
            Operand::Value(expr) => EvaluatedOperand::Value(self.eval(expr, span)?),
            Operand::Range(low, high) => {
                EvaluatedOperand::Range(self.eval(low, span)?, self.eval(high, span)?)
            }
            Operand::Checksum(state) => EvaluatedOperand::Checksum(state),
            Operand::Option(name) => EvaluatedOperand::Option(name),
        };
        let slice = match &test.slice {
            Some((from, to)) => {
                let from = from.as_ref().map(|e| self.whole(e, span)).transpose()?;
                Some((from, to.as_ref().map(|e| self.whole(e, span)).transpose()?))
            }
            None => None,
        };
        Ok(EvaluatedTest {
            negated: test.negated,
            field: test.field.clone(),
            slice,
            op: test.op,
            operand,
        })
    }
}
