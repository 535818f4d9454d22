//! Every row of every table that a program can use, and those that a program uses: read off its tree.

use crafty_lang::builtins::ALL;
use crafty_lang::driven::LAYERS;
use crafty_lang::ir::{
    Arm, Element, Expr, ExprKind, FieldRef, FieldSetting, FieldTest, Literal, LoopEnd, Meta,
    Operand, OptionArg, OptionLiteral, Out, OutAction, Over, Program, RelOp, SettingValue,
    StackLayer, Statement, StatementKind, StringPiece, Type,
};
use crafty_lang::labels::price::{each_statement, operands, parts};
use crafty_policy::{POWERS, SETTINGS, StatedBy};
use crafty_wire::{FieldKind, Layer, LayerRole, Tlv};
use std::collections::BTreeSet;

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LanguageRow {
    /// The table: `function`, `option`, `counter`, `statement` and so on.
    pub table: &'static str,
    /// What it is called, with its layer.
    pub name: String,
}

fn row(table: &'static str, name: impl Into<String>) -> LanguageRow {
    LanguageRow {
        table,
        name: name.into(),
    }
}

/// Statements and their forms.
const STATEMENTS: &[&str] = &[
    "set",
    "update",
    "record value",
    "part",
    "send",
    "keep",
    "block",
    "else of a block",
    "if",
    "foreach",
    "foreach two",
    "repeat",
    "repeat counted",
    "every",
    "until",
    "for",
    "ask",
    "wait",
    "on",
    "linger",
    "count",
    "out",
    "out block",
    "release",
    "expect",
    "expect or",
    "try",
    "stop",
    "exit",
    "close",
    "abort",
    "fail",
    "print",
    "record",
    "assert",
    "where",
    "auto",
    "hole",
    "nested block",
    "range",
];

const METAS: &[Meta] = &[
    Meta::Ts,
    Meta::TsSource,
    Meta::LastTs,
    Meta::Len,
    Meta::Interface,
    Meta::State,
];

const RELATIONS: &[RelOp] = &[
    RelOp::Eq,
    RelOp::Ne,
    RelOp::Lt,
    RelOp::Le,
    RelOp::Gt,
    RelOp::Ge,
    RelOp::In,
    RelOp::NotIn,
    RelOp::Has,
    RelOp::NotHas,
];

const ACTIONS: &[&str] = &["drop", "hold", "duplicate", "delay", "split"];

/// All rows of all tables.
pub fn rows() -> BTreeSet<LanguageRow> {
    let mut all: BTreeSet<LanguageRow> = ALL.iter().map(|b| row("function", b.name)).collect();
    for layer in LAYERS {
        let named = |name: &str| format!("{}!.{name}", layer.name);
        all.extend(layer.options.iter().map(|o| row("option", named(o.name))));
        all.extend(layer.counters.iter().map(|c| row("counter", named(c.name))));
    }
    let settings = SETTINGS.iter().filter(|s| s.stated_by == StatedBy::Anybody);
    all.extend(settings.map(|s| row("setting", s.key)));
    all.extend(POWERS.iter().map(|p| row("power", p.name)));
    all.extend(STATEMENTS.iter().map(|name| row("statement", *name)));
    all.extend(METAS.iter().map(|meta| row("event", meta.word())));
    all.extend(
        RELATIONS
            .iter()
            .map(|op| row("relation", format!("{op:?}"))),
    );
    all.extend(ACTIONS.iter().map(|name| row("out", *name)));
    for layer in crafty_wire::all() {
        all.insert(row("layer", layer.name));
        if layer.role == LayerRole::Tunnel {
            all.insert(row("carrier", layer.name));
        }
        all.extend(named_options(layer));
    }
    all
}

fn named_options(layer: &Layer) -> Vec<LanguageRow> {
    let lists = layer.fields.iter().filter_map(|f| match f.kind {
        FieldKind::Options(tlv) => Some(tlv),
        _ => None,
    });
    lists.flat_map(|tlv| options_of(layer.name, tlv)).collect()
}

fn options_of(layer: &str, tlv: &Tlv) -> Vec<LanguageRow> {
    let named = |option: &str| row("option of a layer", format!("{layer}.{option}"));
    tlv.options
        .iter()
        .map(|option| named(option.name))
        .collect()
}

/// The rows that a program uses.
pub fn used(program: &Program) -> BTreeSet<LanguageRow> {
    let mut found = UsedRows::default();
    for entry in &program.settings {
        found.add("setting", entry.setting.key);
        found.setting(&entry.value);
    }
    for (_, value) in &program.constants {
        found.expr(value);
    }
    for stack in &program.stacks {
        found.nested(stack.parent.is_some());
        found.stack(&stack.layers);
    }
    each_statement(&program.body, &mut |statement| found.statement(statement));
    found.0
}

#[derive(Default)]
struct UsedRows(BTreeSet<LanguageRow>);

impl UsedRows {
    fn add(&mut self, table: &'static str, name: impl Into<String>) {
        self.0.insert(row(table, name));
    }

    fn nested(&mut self, continues: bool) {
        if continues {
            self.add("statement", "nested block");
        }
    }

    fn setting(&mut self, value: &SettingValue) {
        match value {
            SettingValue::Word(word, _) => self.add("power", word.as_str()),
            SettingValue::List(items, _) => items.iter().for_each(|(_, item)| self.setting(item)),
            SettingValue::Group(_) | SettingValue::Scalar(_) => {}
        }
    }

    fn stack(&mut self, layers: &[StackLayer]) {
        let mut carrier = Vec::new();
        for layer in layers {
            match layer {
                StackLayer::Literal(literal) => {
                    self.literal(literal);
                    carrier.push(literal.layer);
                }
                StackLayer::Driven(driven) => {
                    for layer in carrier.drain(..) {
                        self.add("carrier", layer.name);
                    }
                    for (option, value) in &driven.options {
                        self.add("option", format!("{}!.{}", driven.kind.name(), option.name));
                        self.value(driven.kind.name(), value);
                    }
                }
            }
        }
    }

    fn literal(&mut self, literal: &Literal) {
        self.add("layer", literal.layer.name);
        for (_, value) in &literal.fields {
            self.value(literal.layer.name, value);
        }
    }

    fn value(&mut self, layer: &str, value: &FieldSetting) {
        match value {
            FieldSetting::Auto(..) => self.add("statement", "auto"),
            FieldSetting::Options(list, _) => self.options(layer, list),
            FieldSetting::Value(_) => {}
        }
        value.expressions().into_iter().for_each(|e| self.expr(e));
    }

    fn options(&mut self, layer: &str, list: &[OptionLiteral]) {
        for option in list {
            self.add("option of a layer", format!("{layer}.{}", option.name));
            for arg in &option.args {
                if let OptionArg::Options(inner) = arg {
                    self.options(layer, inner);
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call { builtin, .. } => self.add("function", builtin.name),
            ExprKind::HasLayer { .. } => self.add("function", "has"),
            ExprKind::Counter { counter, .. } => {
                self.add(
                    "counter",
                    format!("{}!.{}", counter.of.name(), counter.name),
                );
            }
            ExprKind::Field { field, .. } => self.field(field),
            ExprKind::Compare(op, ..) => self.add("relation", format!("{op:?}")),
            ExprKind::InRange { negated, .. } => {
                let op = if *negated { RelOp::NotIn } else { RelOp::In };
                self.add("relation", format!("{op:?}"));
            }
            ExprKind::Interpolate(pieces) => self.holes(pieces),
            ExprKind::Record(..) => self.add("statement", "record value"),
            ExprKind::At(of, _) if matches!(of.ty, Type::Record(_)) => {
                self.add("statement", "part");
            }
            _ => {}
        }
        parts(expr).into_iter().for_each(|part| self.expr(part));
    }

    fn holes(&mut self, pieces: &[StringPiece]) {
        if pieces.iter().any(|p| matches!(p, StringPiece::Hole(..))) {
            self.add("statement", "hole");
        }
    }

    fn field(&mut self, field: &FieldRef) {
        if let FieldRef::Meta(meta) = field {
            self.add("event", meta.word());
        }
    }

    fn arm(&mut self, arm: &Arm) {
        if let Some(filter) = &arm.filter {
            self.add("statement", "where");
            self.expr(filter);
        }
        for element in &arm.pattern.elements {
            if let Element::Layer { conditions, .. } | Element::Driven { conditions, .. } = element
            {
                conditions.iter().flatten().for_each(|test| self.test(test));
            }
        }
    }

    fn test(&mut self, test: &FieldTest) {
        self.add("relation", format!("{:?}", test.op));
        self.field(&test.field);
        if matches!(test.operand, Operand::Range(..)) {
            self.add("statement", "range");
        }
        operands(test).for_each(|e| self.expr(e));
    }

    fn statement(&mut self, statement: &Statement) {
        for expr in statement.expressions() {
            self.expr(expr);
        }
        for name in forms(statement) {
            self.add("statement", name);
        }
        match &statement.kind {
            StatementKind::Send { send, .. } => send.layers.iter().for_each(|l| self.literal(l)),
            StatementKind::On { arm, .. } => self.arm(arm),
            StatementKind::Expect { arms, .. } => arms.iter().for_each(|(arm, _)| self.arm(arm)),
            StatementKind::Out(out) => self.out(out),
            _ => {}
        }
    }

    fn out(&mut self, out: &Out) {
        self.arm(&out.arm);
        self.add(
            "out",
            match &out.action {
                OutAction::Drop => "drop",
                OutAction::Hold => "hold",
                OutAction::Duplicate => "duplicate",
                OutAction::Delay(_) => "delay",
                OutAction::Split(_) => "split",
            },
        );
    }
}

/// The forms of a statement, as [`STATEMENTS`] has them: a new kind of statement does not compile
/// without its row.
fn forms(statement: &Statement) -> Vec<&'static str> {
    let also = |is: bool, name| is.then_some(name);
    let pace = |pace: &crafty_lang::ir::LoopPace| {
        [
            also(pace.every.is_some(), "every"),
            also(pace.until.is_some(), "until"),
            also(pace.span.is_some(), "for"),
            also(pace.ended_by == LoopEnd::Answer, "ask"),
        ]
    };
    let (name, forms): (&str, Vec<Option<&'static str>>) = match &statement.kind {
        StatementKind::Set { .. } => ("set", Vec::new()),
        StatementKind::Update { .. } => ("update", Vec::new()),
        StatementKind::Send { into, .. } => ("send", vec![also(into.is_some(), "keep")]),
        StatementKind::Open { otherwise, .. } => {
            ("block", vec![also(otherwise.is_some(), "else of a block")])
        }
        StatementKind::If { .. } => ("if", Vec::new()),
        StatementKind::Foreach {
            second,
            over,
            pace: of,
            ..
        } => ("foreach", {
            let range = matches!(over, Over::Range(..));
            let mut all = vec![also(second.is_some(), "foreach two"), also(range, "range")];
            all.extend(pace(of));
            all
        }),
        StatementKind::Repeat {
            counter, pace: of, ..
        } => ("repeat", {
            let mut all = vec![also(counter.is_some(), "repeat counted")];
            all.extend(pace(of));
            all
        }),
        StatementKind::Wait(_) => ("wait", Vec::new()),
        StatementKind::On { linger, count, .. } => (
            "on",
            vec![
                also(linger.is_some(), "linger"),
                also(count.is_some(), "count"),
            ],
        ),
        StatementKind::Out(out) => ("out", vec![also(out.body.is_some(), "out block")]),
        StatementKind::Release(_) => ("release", Vec::new()),
        StatementKind::Expect { arms, .. } => ("expect", vec![also(arms.len() > 1, "expect or")]),
        StatementKind::Try { .. } => ("try", Vec::new()),
        StatementKind::Stop => ("stop", Vec::new()),
        StatementKind::Exit => ("exit", Vec::new()),
        StatementKind::Close(_) => ("close", Vec::new()),
        StatementKind::Abort(_) => ("abort", Vec::new()),
        StatementKind::Fail(_) => ("fail", Vec::new()),
        StatementKind::Print(_) => ("print", Vec::new()),
        StatementKind::Record { .. } => ("record", Vec::new()),
        StatementKind::Assert(..) => ("assert", Vec::new()),
    };
    std::iter::once(name)
        .chain(forms.into_iter().flatten())
        .collect()
}
