//! Rules of this repository that no compiler keeps: what is in which list, which crate may know
//! which, what each dependency's licence is, and where a clock may be read.

use crate::tool::{root, run};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Folders whose files each add one thing, and the files there that do not.
const LISTS: &[(&str, &[&str])] = &[
    ("crates/crafty-syntax/src/diagnostics", &[]),
    ("crates/crafty-lang/src/diagnostics", &[]),
    ("crates/crafty-lang/src/builtins", &["prelude"]),
    ("crates/crafty-wire/src/protocols", &[]),
    ("crates/crafty-policy/src/rules", &[]),
    ("crates/crafty-sim/src/faults", &[]),
    ("crates/crafty-sim/src/link/discipline", &[]),
    ("crates/crafty-sim/src/services", &[]),
    ("crates/crafty/src/commands", &[]),
    ("crates/crafty-mcp/src/tools", &[]),
    ("crates/crafty/src/schema", &[]),
    ("crates/crafty-findings/src/findings", &[]),
    ("crates/crafty-referee/src/rules", &[]),
];

/// Which crates of this workspace each may use. Nothing else is allowed.
const MAY_USE: &[(&str, &[&str])] = &[
    ("crafty-value", &[]),
    ("crafty-wire", &["crafty-value"]),
    ("crafty-policy", &["crafty-value"]),
    ("crafty-capture", &["crafty-value"]),
    ("crafty-referee", &["crafty-value"]),
    (
        "crafty-findings",
        &["crafty-value", "crafty-wire", "crafty-sim"],
    ),
    (
        "crafty-follow",
        &["crafty-value", "crafty-wire", "crafty-stack"],
    ),
    ("crafty-stack", &["crafty-value", "crafty-wire"]),
    ("crafty-apps", &["crafty-value", "crafty-wire"]),
    (
        "crafty-sim",
        &["crafty-value", "crafty-wire", "crafty-referee"],
    ),
    ("crafty-net", &["crafty-value"]),
    (
        "crafty-bench",
        &[
            "crafty-value",
            "crafty-capture",
            "crafty-sim",
            "crafty-net",
            "crafty-portals",
        ],
    ),
    (
        "crafty-portals",
        &["crafty-value", "crafty-capture", "crafty-sim", "crafty-net"],
    ),
    (
        "crafty-perf",
        &[
            "crafty-value",
            "crafty-wire",
            "crafty-stack",
            "crafty-net",
            "crafty-endpoint",
        ],
    ),
    ("crafty-syntax", &["crafty-value"]),
    (
        "crafty-lang",
        &[
            "crafty-value",
            "crafty-wire",
            "crafty-policy",
            "crafty-syntax",
        ],
    ),
    (
        "crafty-vm",
        &[
            "crafty-value",
            "crafty-wire",
            "crafty-policy",
            "crafty-stack",
            "crafty-apps",
            "crafty-lang",
        ],
    ),
    (
        "crafty-testkit",
        &[
            "crafty-value",
            "crafty-wire",
            "crafty-policy",
            "crafty-syntax",
            "crafty-lang",
            "crafty-vm",
        ],
    ),
    (
        "crafty-run",
        &[
            "crafty-value",
            "crafty-wire",
            "crafty-policy",
            "crafty-capture",
            "crafty-findings",
            "crafty-referee",
            "crafty-sim",
            "crafty-net",
            "crafty-syntax",
            "crafty-lang",
            "crafty-vm",
        ],
    ),
    (
        "crafty-print",
        &[
            "crafty-value",
            "crafty-wire",
            "crafty-policy",
            "crafty-capture",
            "crafty-findings",
            "crafty-referee",
            "crafty-follow",
            "crafty-syntax",
            "crafty-lang",
            "crafty-vm",
            "crafty-run",
        ],
    ),
    (
        "crafty-mcp",
        &[
            "crafty-value",
            "crafty-wire",
            "crafty-policy",
            "crafty-capture",
            "crafty-syntax",
            "crafty-lang",
            "crafty-sim",
            "crafty-vm",
            "crafty-net",
            "crafty-run",
            "crafty-print",
        ],
    ),
    (
        "crafty-endpoint",
        &[
            "crafty-value",
            "crafty-wire",
            "crafty-policy",
            "crafty-stack",
            "crafty-net",
            "crafty-run",
        ],
    ),
    (
        "crafty",
        &[
            "crafty-endpoint",
            "crafty-mcp",
            "crafty-bench",
            "crafty-portals",
            "crafty-value",
            "crafty-wire",
            "crafty-policy",
            "crafty-capture",
            "crafty-findings",
            "crafty-referee",
            "crafty-sim",
            "crafty-net",
            "crafty-syntax",
            "crafty-lang",
            "crafty-run",
            "crafty-print",
        ],
    ),
];

/// Crates that face the outside: what they say is read by other programs.
const MAY_KNOW_JSON: &[&str] = &[
    "crafty-print",
    "crafty-bench",
    "crafty-mcp",
    "crafty-endpoint",
    "crafty",
    "crafty-perf",
];

/// Crates that cannot name a socket, a file, a clock or a thread.
const WITHOUT_STD: &[&str] = &[
    "crafty-value",
    "crafty-wire",
    "crafty-policy",
    "crafty-stack",
];

/// The one crate with system calls.
const MAY_BE_UNSAFE: &str = "crafty-net";

/// What `cargo metadata` says, for this platform.
pub fn metadata() -> Json {
    let words = [
        "cargo",
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        "x86_64-unknown-linux-gnu",
    ];
    let ran = run(&words).expect(0);
    serde_json::from_str(&ran.out).expect("JSON of cargo")
}

/// Files that are part of the repository.
pub fn files(ends: &str) -> Vec<PathBuf> {
    let ran = run(&[
        "git",
        "ls-files",
        "-co",
        "--exclude-standard",
        &format!("*{ends}"),
    ])
    .expect(0);
    ran.out
        .lines()
        .map(PathBuf::from)
        .filter(|f| root().join(f).is_file())
        .collect()
}

/// A file's text, by its path in the repository.
pub fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .collect()
}

#[test]
fn each_file_stands_in_its_list() {
    for (folder, apart) in LISTS {
        let list = text(format!("{folder}/mod.rs"));
        let listed = words(&list);
        for entry in std::fs::read_dir(root().join(folder))
            .expect("a folder")
            .flatten()
        {
            let path = entry.path();
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let is_row = (path.extension().is_some_and(|e| e == "rs")
                || path.join("mod.rs").is_file())
                && name != "mod"
                && !apart.contains(&name.as_str());
            assert!(
                !is_row || listed.contains(name.as_str()),
                "add the word `{name}` to the list in {folder}/mod.rs"
            );
        }
    }
}

#[test]
fn dependencies_point_down_only() {
    let metadata = metadata();
    let members = members(&metadata);
    let allowed: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    assert_eq!(
        members.keys().map(String::as_str).collect::<BTreeSet<_>>(),
        allowed.keys().copied().collect(),
        "a crate without a rule here"
    );
    for (name, uses) in members {
        for used in uses
            .iter()
            .filter(|u| u.kind.is_none() && allowed.contains_key(u.name.as_str()))
        {
            assert!(
                allowed[name.as_str()].contains(&used.name.as_str()),
                "{name} may not use {}",
                used.name
            );
        }
    }
}

#[test]
fn only_crates_that_face_the_outside_know_json() {
    for (name, uses) in members(&metadata()) {
        let knows = uses
            .iter()
            .any(|used| used.kind.is_none() && used.name.contains("json"));
        assert_eq!(
            knows,
            MAY_KNOW_JSON.contains(&name.as_str()),
            "{name}: values come out of the engine, and `crafty-print` makes JSON of them"
        );
    }
}

/// Rust sources that print or end the process, except for tests.
#[test]
fn only_commands_print_and_end_the_process() {
    let words = [
        "println!(",
        "eprintln!(",
        "io::stdout()",
        "io::stderr()",
        "process::exit(",
    ];
    for file in files(".rs") {
        let shown = file.display().to_string();
        let apart = [
            "crates/crafty/",
            "crates/crafty-perf/",
            "/tests/",
            "/examples/",
            "tests.rs",
        ];
        if apart.iter().any(|part| shown.contains(part)) {
            continue;
        }
        let source = text(&file);
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for word in words {
            assert!(!code.contains(word), "{shown}: `{word}`: give a value back");
        }
    }
}

/// A run that sends for real has asked policy, approval and ledger: what sends is opened in these files, the
/// media that use it take an answer that only `admit_run` makes, and two commands ask.
#[test]
fn every_live_run_is_admitted_by_one_function() {
    let rules: [(&str, &[&str]); 11] = [
        (
            "Port::open(",
            &["crates/crafty-run/src/media/live/socket.rs"],
        ),
        (
            "Socket::open(",
            &["crates/crafty-run/src/media/live/mod.rs"],
        ),
        ("LiveMedium::new(", &["crates/crafty/src/commands/run.rs"]),
        // Frames of the simulated network, into a namespace of its own.
        ("Tun::open(", &["crates/crafty-portals/src/portal.rs"]),
        (
            "Tun::open_with(",
            &["crates/crafty-endpoint/src/endpoint.rs"],
        ),
        (
            "EndpointMedium::new(",
            &["crates/crafty-endpoint/src/endpoint.rs"],
        ),
        (
            "Endpoint::open(",
            &["crates/crafty/src/commands/endpoint.rs"],
        ),
        (
            "is_for(program)",
            &[
                "crates/crafty-endpoint/src/medium.rs",
                "crates/crafty-run/src/media/live/mod.rs",
            ],
        ),
        ("AdmittedRun {", &["crates/crafty-run/src/admission/mod.rs"]),
        (
            "AdmissionDesk {",
            &["crates/crafty-run/src/admission/mod.rs"],
        ),
        (
            "admit_run(",
            &[
                "crates/crafty-run/src/admission/mod.rs",
                "crates/crafty/src/commands/endpoint.rs",
                "crates/crafty/src/commands/run.rs",
            ],
        ),
    ];
    let sources: Vec<(String, String)> = files(".rs")
        .into_iter()
        .map(|file| (file.display().to_string(), text(&file)))
        .filter(|(name, _)| {
            !name.contains("/tests/")
                && !name.starts_with("crates/crafty-net/")
                && !name.starts_with("crates/crafty-perf/")
        })
        .collect();
    for (word, places) in rules {
        let is_call = |line: &str| {
            let code = line.trim_start();
            let own = |before: char| !before.is_alphanumeric() && before != '_';
            !code.starts_with("//")
                && code
                    .match_indices(word)
                    .any(|(at, _)| code[..at].chars().next_back().is_none_or(own))
        };
        let uses = |(name, source): &&(String, String)| {
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            code.lines().any(is_call).then_some(name.clone()).is_some()
        };
        let found: Vec<&str> = sources
            .iter()
            .filter(uses)
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(found, places, "`{word}`");
    }
}

/// A dependency as a manifest names it.
pub struct Use {
    /// The crate.
    pub name: String,
    /// Nothing, `dev` or `build`.
    pub kind: Option<String>,
}

/// The crates of this workspace with what their manifests name.
pub fn members(metadata: &Json) -> BTreeMap<String, Vec<Use>> {
    let inside = metadata["workspace_members"].as_array().expect("members");
    let packages = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .filter(|p| inside.contains(&p["id"]));
    packages
        .map(|p| {
            (
                word(&p["name"]),
                p["dependencies"]
                    .as_array()
                    .expect("dependencies")
                    .iter()
                    .map(used)
                    .collect(),
            )
        })
        .collect()
}

fn used(dependency: &Json) -> Use {
    Use {
        name: word(&dependency["name"]),
        kind: dependency["kind"].as_str().map(str::to_string),
    }
}

fn word(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_string()
}

#[test]
fn crates_keep_the_rule_that_they_are() {
    for (name, _) in MAY_USE {
        let lib = ["lib.rs", "main.rs"]
            .map(|f| format!("crates/{name}/src/{f}"))
            .into_iter()
            .find(|f| root().join(f).exists());
        let lib = text(lib.expect("a crate has a root"));
        assert!(
            lib.starts_with("//!"),
            "{name} does not say first what it is"
        );
        assert!(
            lib.contains("#![forbid(unsafe_code)]") || *name == MAY_BE_UNSAFE,
            "{name} must forbid unsafe code"
        );
        assert!(
            lib.contains("no_std") || !WITHOUT_STD.contains(name),
            "{name} must be no_std"
        );
    }
}

#[test]
fn only_one_file_asks_the_time() {
    for file in files(".rs") {
        let shown = file.display().to_string();
        let apart = shown == "crates/crafty-net/src/clock.rs"
            || ["/tests/", "/examples/", "tests.rs", "crates/crafty-perf/"]
                .iter()
                .any(|p| shown.contains(p));
        let source = text(&file);
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for clock in ["Instant::now(", "SystemTime::now(", "clock_gettime("] {
            assert!(
                apart || !code.contains(clock),
                "{shown} asks the time: take it as an argument"
            );
        }
    }
}

#[test]
fn every_unsafe_block_says_why_it_is_sound() {
    for file in files(".rs")
        .into_iter()
        .filter(|f| f.starts_with(format!("crates/{MAY_BE_UNSAFE}/src")))
    {
        let source = text(&file);
        let lines: Vec<&str> = source.lines().collect();
        for (at, _) in lines
            .iter()
            .enumerate()
            .filter(|(_, l)| l.contains("unsafe {") && !l.trim_start().starts_with("//"))
        {
            let said = lines[at.saturating_sub(6)..=at]
                .iter()
                .any(|l| l.contains("SAFETY:"));
            assert!(
                said,
                "{}:{}: a `// SAFETY:` sentence is missing",
                file.display(),
                at + 1
            );
        }
    }
}

#[test]
fn nothing_is_left_for_later() {
    let unfinished = ["todo!(", "unimplemented!(", "dbg!("];
    let somebodys_machine = ["/home/", "/root/", "/Users/", concat!("/wo", "rk/")];
    for file in [
        files(".rs"),
        files(".md"),
        files(".crafty"),
        files(".toml"),
        vec!["test".into(), ".ci/run".into()],
    ]
    .concat()
    {
        let text = text(&file);
        let apart = file.ends_with("crates/crafty/tests/it/house.rs");
        for word in unfinished.iter().chain(&somebodys_machine) {
            assert!(
                apart || !text.contains(word),
                "{}: `{word}`",
                file.display()
            );
        }
    }
}

/// Lines that a file may have before its tests.
const FILE_LINES: usize = 500;

/// Files that may be longer, and why.
const LONG_FILES: &[(&str, &str)] = &[(
    "crates/crafty-referee/src/end.rs",
    "all that is known of one end of a connection; every rule reads it",
)];

#[test]
fn files_fit_the_mind() {
    let code = |file: &PathBuf| {
        text(file)
            .split("#[cfg(test)]")
            .next()
            .unwrap_or_default()
            .lines()
            .count()
    };
    let apart = |file: &PathBuf| {
        file.ends_with("tests.rs")
            || file.components().any(|c| c.as_os_str() == "tests")
            || LONG_FILES.iter().any(|(name, _)| file.ends_with(name))
    };
    let sources = files(".rs")
        .into_iter()
        .filter(|f| f.components().any(|c| c.as_os_str() == "src") && !apart(f));
    let long: Vec<_> = sources
        .map(|f| (code(&f), f))
        .filter(|(lines, _)| *lines > FILE_LINES)
        .collect();
    assert!(
        long.is_empty(),
        "more than {FILE_LINES} lines before their tests: {long:?}"
    );
}

/// Type names that may stand twice, and why.
const NAMED_TWICE: &[(&str, &str)] = &[
    (
        "SessionCache",
        "one stands in for the other where TLS is not built in",
    ),
    (
        "TlsClient",
        "one stands in for the other where TLS is not built in",
    ),
];

/// Source files outside tests: neither named as tests nor declared as modules of a test build.
fn shipped_sources() -> Vec<PathBuf> {
    let sources: Vec<PathBuf> = files(".rs")
        .into_iter()
        .filter(|file| file.components().any(|part| part.as_os_str() == "src"))
        .collect();
    let test_modules: Vec<PathBuf> = sources.iter().flat_map(test_modules).collect();
    let of_tests = |file: &PathBuf| {
        file.ends_with("tests.rs")
            || file.components().any(|part| part.as_os_str() == "tests")
            || test_modules
                .iter()
                .any(|module| file.starts_with(module) || file.with_extension("") == *module)
    };
    sources.into_iter().filter(|file| !of_tests(file)).collect()
}

/// The modules in files of their own that a file declares for tests only, without `.rs`.
fn test_modules(file: &PathBuf) -> Vec<PathBuf> {
    let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("mod" | "lib" | "main") => file.with_file_name(""),
        _ => file.with_extension(""),
    };
    let text = text(file);
    let lines: Vec<&str> = text.lines().collect();
    let declared = lines.windows(2).filter_map(|pair| {
        let name = pair[1].rsplit_once("mod ")?.1.strip_suffix(';')?;
        for_tests(pair[0]).then(|| folder.join(name))
    });
    declared.collect()
}

fn for_tests(line: &str) -> bool {
    line.starts_with("#[cfg(") && words(line).contains("test")
}

/// The types that a text defines at its top and in its modules, without those of test modules.
fn type_names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut in_tests = false;
    let mut above = "";
    for line in text.lines() {
        in_tests |= for_tests(above) && line.ends_with('{');
        above = line;
        if in_tests {
            in_tests = line != "}";
        } else {
            names.extend(type_name(line));
        }
    }
    names
}

/// The type that a line defines. Associated types are neither public nor at the left edge.
fn type_name(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let (public, rest) = match bare.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => (true, rest.split_once(") ")?.1),
        Some(rest) if rest.starts_with(' ') => (true, rest.trim_start()),
        _ => (false, bare),
    };
    let (keyword, rest) = rest.split_once(' ')?;
    let defines = match keyword {
        "struct" | "enum" | "trait" | "union" => true,
        "type" => public || bare.len() == line.len(),
        _ => false,
    };
    let name = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    (defines && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

#[test]
fn no_type_name_stands_twice() {
    let mut defined: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in shipped_sources() {
        for name in type_names(&text(&file)) {
            defined.entry(name.into()).or_default().push(file.clone());
        }
    }
    assert!(defined.len() > 500, "types are found: {}", defined.len());
    defined.retain(|_, files| files.len() > 1);
    for (name, why) in NAMED_TWICE {
        let twice = defined.remove(*name).is_some();
        assert!(twice, "`{name}` stands once; its row is out of date: {why}");
    }
    assert!(
        defined.is_empty(),
        "a reader cannot tell types of one name apart; rename all but one: {defined:#?}"
    );
}

#[test]
fn definitions_of_types_are_seen() {
    let text = "pub struct A;\npub(crate) enum B<T> {\ntype C = u8;\nimpl X {\n    type Item = u8;\n}\n\
                mod m {\n    pub type D = u8;\n}\n#[cfg(test)]\nmod tests {\n    struct E;\n}\n\
                trait F {}\n// struct g\n";
    assert_eq!(type_names(text), ["A", "B", "C", "D", "F"]);
    assert_eq!(type_name("    type Item = u8;"), None);
}

#[test]
fn every_licence_is_on_the_list() {
    let list: toml::Table = text("deny.toml").parse().expect("deny.toml");
    let allowed: Vec<String> = list["licenses"]["allow"]
        .as_array()
        .expect("`allow`")
        .iter()
        .filter_map(|l| l.as_str().map(str::to_string))
        .collect();
    for package in metadata()["packages"].as_array().expect("packages") {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(
            permits(licence, &allowed),
            "{} {}: licence `{licence}` is not on the list of deny.toml",
            package["name"],
            package["version"]
        );
    }
}

/// Whether an SPDX expression can be met with the allowed licences. `OR` binds less than `AND`; a
/// slash is an old `OR`.
fn permits(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace(" WITH ", "\u{0}WITH\u{0}");
    let words: Vec<&str> = spaced.split(' ').filter(|w| !w.is_empty()).collect();
    let mut rest = &words[..];
    either(&mut rest, allowed) && rest.is_empty()
}

fn either(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut met = both(rest, allowed);
    while rest.first() == Some(&"OR") {
        *rest = &rest[1..];
        met |= both(rest, allowed);
    }
    met
}

fn both(rest: &mut &[&str], allowed: &[String]) -> bool {
    let mut met = one(rest, allowed);
    while rest.first() == Some(&"AND") {
        *rest = &rest[1..];
        met &= one(rest, allowed);
    }
    met
}

fn one(rest: &mut &[&str], allowed: &[String]) -> bool {
    let Some((first, after)) = rest.split_first() else {
        return false;
    };
    *rest = after;
    if *first != "(" {
        return allowed.contains(&first.replace('\u{0}', " "));
    }
    let met = either(rest, allowed);
    *rest = rest.get(1..).unwrap_or_default();
    met
}

#[test]
fn licence_expressions() {
    let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_string);
    let rows = [
        ("MIT", true),
        ("MIT OR GPL-3.0", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND Apache-2.0", true),
        ("GPL-3.0 OR (MIT AND BSD-2-Clause)", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("none", false),
    ];
    for (expression, wanted) in rows {
        assert_eq!(permits(expression, &allowed), wanted, "{expression}");
    }
}
