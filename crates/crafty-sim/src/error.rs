//! What can be wrong with what a caller asks of the lab.

use std::fmt;

/// From so many names on they are not all listed in a message.
const LISTED: usize = 25;

/// Why a lab, a scenario or a fault is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabError {
    /// A name that is not known.
    Unknown {
        /// What it names: `network`, `fault`, `link` …
        kind: &'static str,
        /// The name.
        name: String,
        /// Where it was looked for, if that matters.
        place: Option<String>,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A value that a parameter of a fault does not take.
    Value {
        /// Name of the fault.
        fault: &'static str,
        /// Name of the parameter.
        parameter: &'static str,
        /// What was given.
        text: String,
        /// What is taken, with an example.
        expected: String,
    },
    /// A notation that cannot be read, or a fault that cannot be where it is put: the sentence says
    /// what is wrong and what to write.
    Impossible(String),
    /// A scenario file with mistakes, all of them.
    Scenario(ScenarioError),
}

/// All mistakes of a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// What the file is called.
    pub file: String,
    /// The mistakes in order of their lines; never empty.
    pub problems: Vec<Problem>,
}

/// One mistake of a scenario file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Line of the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub fix: String,
}

impl LabError {
    pub(crate) fn unknown<'a>(
        kind: &'static str,
        name: &str,
        place: Option<&str>,
        known: impl IntoIterator<Item = &'a str>,
    ) -> LabError {
        LabError::Unknown {
            kind,
            name: name.into(),
            place: place.map(String::from),
            known: known.into_iter().map(String::from).collect(),
        }
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::Unknown {
                kind,
                name,
                place,
                known,
            } => {
                write!(f, "there is no {kind} `{name}`")?;
                if let Some(place) = place {
                    write!(f, " in {place}")?;
                }
                let nearest = nearest(name, known.iter().map(String::as_str));
                match (known.len(), nearest) {
                    (1, _) => write!(f, "; there is {}", quoted(known))?,
                    (LISTED.., None) => {
                        let first = quoted(&known[..5]);
                        write!(f, "; there are {}, such as {first}", known.len())?;
                    }
                    (LISTED.., Some(_)) => {}
                    _ => write!(f, "; there are {}", quoted(known))?,
                }
                nearest.map_or(Ok(()), |it| write!(f, "; did you mean `{it}`?"))
            }
            LabError::Value {
                fault,
                parameter,
                text,
                expected,
            } => write!(
                f,
                "the {parameter} of `{fault}` is `{text}`, and must be {expected}"
            ),
            LabError::Impossible(what) => f.write_str(what),
            LabError::Scenario(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LabError {}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.problems.iter().enumerate() {
            if n > 0 {
                writeln!(f)?;
            }
            write!(f, "{}:{}: {}", self.file, problem.line, problem.message)?;
            if !problem.fix.is_empty() {
                write!(f, "; {}", problem.fix)?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

/// Names in backticks, with commas.
pub(crate) fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    quoted.join(", ")
}

/// The known word that is most like `word`, if one is like it at all.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = word.chars().count().div_ceil(3).min(3);
    known
        .map(|it| (distance(word, it), it))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, it)| it)
}

/// Letters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_a_strange_one_is_not() {
        let known = ["loss", "jitter", "duplicate", "r1-r2"];
        for (word, expected) in [
            ("los", Some("loss")),
            ("lsos", Some("loss")),
            ("gitter", Some("jitter")),
            ("r2-r1", Some("r1-r2")),
            ("dupplicate", Some("duplicate")),
            ("", None),
            ("policer", None),
        ] {
            assert_eq!(nearest(word, known.into_iter()), expected, "{word}");
        }
    }
}
