//! Any text gets an answer.

use super::check;
use super::edges::programs;

/// A linear congruential generator (Knuth's constants): the same noise in every run.
struct Noise(u64);

impl Noise {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Words of a program, moved, left out, doubled and taken from others.
fn mutated(noise: &mut Noise, programs: &[String]) -> String {
    let mut words = split(&programs[noise.below(programs.len())]);
    for _ in 0..=noise.below(4) {
        let at = noise.below(words.len());
        match noise.below(4) {
            0 => {
                words.remove(at);
            }
            1 => words.insert(at, words[noise.below(words.len())].clone()),
            2 => {
                let other = split(&programs[noise.below(programs.len())]);
                words[at] = other[noise.below(other.len())].clone();
            }
            _ => {
                let with = noise.below(words.len());
                words.swap(at, with);
            }
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

fn split(program: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for c in program.chars() {
        let joins = |w: &String| {
            w.ends_with(|l: char| l.is_alphanumeric() || l == '_')
                && (c.is_alphanumeric() || c == '_')
        };
        match words.last_mut() {
            Some(word) if joins(word) => word.push(c),
            _ => words.push(c.to_string()),
        }
    }
    words
}

#[test]
fn a_mutated_program_is_checked_without_panic() {
    let programs = programs();
    let mut noise = Noise(7);
    let mut checked = 0;
    for _ in 0..4_000 {
        let source = mutated(&mut noise, &programs);
        let answer = check(&source);
        let inside = answer.reports.iter().all(|r| {
            source
                .get(r.span.start as usize..r.span.end as usize)
                .is_some()
        });
        assert!(inside, "a place outside the text:\n{source}");
        checked += usize::from(answer.program.is_some());
    }
    assert!(
        checked > 100,
        "only {checked} mutations still check: the noise is too loud to reach the later passes"
    );
}

/// Texts of the greatest length that would make a careless checker slow.
#[test]
fn long_programs_take_no_long_time() {
    let lines = |line: &dyn Fn(usize) -> String| -> String {
        (0..)
            .map(line)
            .scan(0, |length, l| {
                Some((*length += l.len(), l))
                    .filter(|_| *length < 65_000)
                    .map(|(_, l)| l)
            })
            .collect()
    };
    let programs = [
        lines(&|n| format!("v{n} = unknown_{n}\n")),
        lines(&|n| {
            if n == 0 {
                "v0 = 1\n".into()
            } else {
                format!("v{n} = v{} - v{}\n", n - 1, n - 1)
            }
        }),
        lines(&|n| {
            if n == 0 {
                "v0 = #00\n".into()
            } else {
                format!("v{n} = v{} + v{}\n", n - 1, n - 1)
            }
        }),
        lines(&|n| format!("v{n} = #00 * 1000000\n")),
        lines(&|n| format!("print(MATCH[Ipp].src{n})\n")),
        format!("x = {}1\n", "1 + ".repeat(10_000)),
        format!("x = 1\nx := {}1\nprint(x)\n", "x + ".repeat(14_000)),
        format!("p = 2\nprint({}p)\n", "p + ".repeat(14_000)),
        format!("print({}1 < 2)\n", "1 < 2 and ".repeat(5_000)),
        format!("xs = [{}1]\n", "1, ".repeat(20_000)),
        format!("x = \"{}\"\n", "${1}".repeat(15_000)),
    ];
    for source in programs {
        let before = std::time::Instant::now();
        let answer = check(&source);
        let took = before.elapsed();
        assert!(
            took.as_secs() < 5,
            "{took:?}: {}",
            source.lines().take(3).collect::<Vec<_>>().join(" ")
        );
        assert!(answer.reports.len() < 10_000);
    }
}
