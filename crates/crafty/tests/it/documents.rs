//! What the documents claim: links lead somewhere, programs run, the table of dependencies is
//! Cargo's, a recipe's file exists.

use crate::house::{files, members, metadata, text};
use crate::tool::{Folder, crafty, crafty_reading, lab, root, run};
use std::collections::BTreeSet;
use std::path::Path;

/// Fenced blocks of a Markdown text with their language, in order.
pub fn blocks(markdown: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines
                .by_ref()
                .take_while(|l| !l.starts_with("```"))
                .collect();
            blocks.push((language.to_string(), body.join("\n") + "\n"));
        }
    }
    blocks
}

/// Links of a Markdown text outside its blocks: what is shown, and where they lead.
fn links(markdown: &str) -> Vec<(String, String)> {
    let outside: String = markdown.split("```").step_by(2).collect();
    let parts = outside.split("](").collect::<Vec<_>>();
    let shown = |before: &str| {
        before
            .rsplit_once('[')
            .map_or(String::new(), |(_, shown)| shown.to_string())
    };
    let target = |after: &str| {
        after
            .split_once(')')
            .map_or(String::new(), |(target, _)| target.to_string())
    };
    parts
        .windows(2)
        .map(|two| (shown(two[0]), target(two[1])))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    for file in files(".md") {
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        for (shown, target) in links(&text(&file))
            .into_iter()
            .filter(|(_, t)| !t.contains("://") && !t.starts_with('#'))
        {
            let path = folder.join(target.split('#').next().unwrap_or_default());
            assert!(
                root().join(&path).exists(),
                "{}: [{shown}]({target}) leads nowhere",
                file.display()
            );
            // A name in backticks must still be in the file it is said to be in.
            let name = shown
                .strip_prefix('`')
                .and_then(|s| s.strip_suffix('`'))
                .filter(|n| !n.contains(['/', '.', ' ']));
            if let Some(name) = name.filter(|_| root().join(&path).is_file()) {
                assert!(
                    text(&path).contains(name),
                    "{}: `{name}` is no longer in {}",
                    file.display(),
                    path.display()
                );
            }
        }
    }
}

#[test]
fn programs_of_the_manual_run() {
    let manual =
        crafty(&["manual"]).expect(0).out + &crafty(&["manual", "connections"]).expect(0).out;
    let programs: Vec<_> = blocks(&manual)
        .into_iter()
        .filter(|(language, _)| language == "crafty")
        .collect();
    assert!(programs.len() >= 10, "{} programs", programs.len());
    for (_, program) in programs {
        lab(&program).expect(0);
        assert_eq!(
            crafty_reading(&program, &["fmt", "-"]).expect(0).out,
            program,
            "a program of the manual is not formatted"
        );
    }
}

#[test]
fn the_readme_keeps_its_word() {
    let readme = text("README.md");
    let blocks = blocks(&readme);
    let of = |wanted: &str| {
        blocks
            .iter()
            .filter(|(language, _)| language == wanted)
            .map(|(_, body)| body)
            .collect::<Vec<_>>()
    };
    // The commands that it shows: the tool's are run here, `./test` runs this.
    let commands = of("sh")
        .into_iter()
        .flat_map(|body| body.lines())
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .collect::<Vec<_>>();
    assert!(
        commands.contains(&"cargo run --release -- run --lab demo examples/ping.crafty"),
        "{commands:?}"
    );
    assert!(
        readme.contains("`./test` runs all tests"),
        "the one command of the tests"
    );
    // What they write goes into a folder that goes away.
    let folder = Folder::new();
    for command in commands.into_iter().filter_map(|c| {
        c.strip_prefix("cargo run --release -- ")
            .or(c.strip_prefix("crafty "))
    }) {
        crafty(
            &command
                .replace("/tmp/", &folder.path(""))
                .split(' ')
                .collect::<Vec<_>>(),
        )
        .expect(0);
    }
}

#[test]
fn cargo_run_means_the_tool() {
    let metadata = metadata();
    let default = metadata["workspace_default_members"]
        .as_array()
        .expect("members");
    let packages = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .filter(|p| default.contains(&p["id"]));
    let targets = packages.flat_map(|p| p["targets"].as_array().into_iter().flatten());
    let binaries: Vec<_> = targets
        .filter(|t| t["kind"][0] == "bin")
        .map(|t| t["name"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(binaries, ["crafty"]);
}

/// Rows of the tables in a document's section: the first cell without its backticks, and the rest.
fn table(markdown: &str, section: &str) -> Vec<(String, Vec<String>)> {
    let after = markdown
        .split_once(&format!("## {section}\n"))
        .map_or("", |(_, after)| after);
    let section = after.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|l| l.starts_with('|')).skip(2);
    rows.map(|row| {
        row.trim_matches('|')
            .split(" | ")
            .map(|c| c.trim().to_string())
            .collect::<Vec<_>>()
    })
    .map(|cells| (cells[0].trim_matches('`').to_string(), cells[1..].to_vec()))
    .collect()
}

#[test]
fn the_table_of_dependencies_is_cargos() {
    let architecture = text("ARCHITECTURE.md");
    let rows = table(&architecture, "Dependencies");
    let members = members(&metadata());
    let named: BTreeSet<&str> = members
        .values()
        .flatten()
        .map(|u| u.name.as_str())
        .filter(|n| !members.contains_key(*n))
        .collect();
    assert_eq!(
        rows.iter()
            .map(|(name, _)| name.as_str())
            .collect::<BTreeSet<_>>(),
        named,
        "ARCHITECTURE.md and the manifests differ"
    );
    for (name, cells) in rows {
        assert!(
            cells.len() == 3 && cells.iter().all(|c| c.len() > 2),
            "{name}: used by, reason, what replacing it takes"
        );
        let users: BTreeSet<String> = cells[0]
            .split(", ")
            .map(|u| u.trim_end_matches(" (tests)").trim_matches('`').to_string())
            .collect();
        let real: BTreeSet<String> = members
            .iter()
            .filter(|(_, uses)| uses.iter().any(|u| u.name == name))
            .map(|(member, _)| member.clone())
            .collect();
        assert_eq!(users, real, "who uses {name}");
    }
}

#[test]
fn the_map_of_crates_is_whole() {
    let architecture = text("ARCHITECTURE.md");
    let rows: BTreeSet<String> = table(&architecture, "Map")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(rows, members(&metadata()).into_keys().collect());
}

/// The programs in Rust that it shows are doc tests of the library, without their hidden lines.
#[test]
fn the_architectures_rust_is_tested() {
    let library = text("crates/crafty-run/src/lib.rs");
    let shown: String = library
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .filter(|line| *line != "#" && !line.starts_with("# "))
        .fold(String::new(), |text, line| text + line + "\n");
    let blocks = blocks(&text("ARCHITECTURE.md"));
    let rust: Vec<_> = blocks.iter().filter(|(word, _)| word == "rust").collect();
    assert_eq!(rust.len(), 2);
    for (_, body) in rust {
        assert!(
            shown.contains(&format!("```\n{body}```\n")),
            "not a doc test of crafty-run:\n{body}"
        );
    }
}

#[test]
fn a_recipe_names_one_file_in_a_folder_that_is_there() {
    let recipes = table(&text("CONTRIBUTING.md"), "Recipes");
    assert!(recipes.len() >= 5);
    for (thing, cells) in recipes {
        let file = cells[0].trim_matches('`');
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
        assert!(
            root().join(folder).is_dir() && name.contains('.'),
            "{thing}: {file}"
        );
        assert!(
            root().join(file).is_file(),
            "{thing}: the example {file} of the recipe is gone"
        );
    }
}

#[test]
fn both_licences_are_there() {
    assert!(text("LICENSE-MIT").contains("Permission is hereby granted"));
    assert!(text("LICENSE-APACHE").contains("Version 2.0, January 2004"));
    let ran = run(&["git", "ls-files", "-s", "test", ".ci/run"]).expect(0);
    assert!(
        ran.out.lines().all(|l| l.starts_with("100755")) && ran.out.lines().count() == 2,
        "{}",
        ran.out
    );
}
