//! Documents for people: every `console` block prints what it shows, in a folder where the programs
//! shown before it are saved under the names that they are given.

use crate::house::text;
use crate::tool::{CRAFTY, Folder, root, run, skipped};
use std::fmt::Write;
use std::path::Path;

/// A fenced block: the words behind its fence, and its lines.
struct Block<'a> {
    words: Vec<&'a str>,
    lines: Vec<&'a str>,
}

/// The fenced blocks of a Markdown text, in order.
fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        if let Some(words) = line.strip_prefix("```") {
            blocks.push(Block {
                words: words.split(' ').collect(),
                lines: lines.by_ref().take_while(|l| *l != "```").collect(),
            });
        }
    }
    blocks
}

/// Runs a document's consoles; gives the document with what they print now.
fn replayed(markdown: &str, folder: &Folder) -> String {
    std::os::unix::fs::symlink(root().join("examples"), folder.path("examples")).expect("a link");
    let mut whole = markdown.to_string();
    for block in blocks(markdown) {
        match block.words.as_slice() {
            ["crafty", name] if name.contains('/') => {
                assert_eq!(
                    block.lines.join("\n") + "\n",
                    text(name),
                    "the program {name}"
                );
            }
            ["crafty", name] => {
                folder.file(name, block.lines.join("\n") + "\n");
            }
            ["console"] => {
                let shown = block.lines.join("\n") + "\n";
                whole = whole.replace(&shown, &console(&block.lines, folder));
            }
            _ => {}
        }
    }
    whole
}

/// What the commands among these lines print, each behind its line.
fn console(lines: &[&str], folder: &Folder) -> String {
    let mut shown = String::new();
    for command in lines.iter().filter_map(|l| l.strip_prefix("$ ")) {
        let ran = run(&["sh", "-c", &in_folder(&format!("{command} 2>&1"), folder)]);
        let _ = writeln!(shown, "{}", format!("$ {command}\n{}", ran.out).trim_end());
    }
    shown
}

/// A line for the shell: in this folder, with the binary in the path.
fn in_folder(line: &str, folder: &Folder) -> String {
    let bin = Path::new(CRAFTY).parent().expect("a folder").display();
    format!(
        "cd {} && export PATH={bin}:$PATH && {line}",
        folder.path("")
    )
}

#[test]
fn consoles_print_what_they_show() {
    for document in ["README.md", "book/tutorial.md"] {
        let folder = Folder::new();
        let (is, now) = (text(document), replayed(&text(document), &folder));
        let differs = is.lines().zip(now.lines()).find(|(a, b)| a != b);
        assert!(
            is == now,
            "{document} shows something else than what runs: {differs:#?}\n{now}"
        );
    }
}

/// What documents show as root, on real interfaces in a namespace of its own.
#[test]
fn documents_show_real_interfaces_as_they_are() {
    let own_network = ["unshare", "-nm", "true"];
    let able = run(&own_network).status == 0 && run(&["ip", "-V"]).status == 0;
    if skipped(able, "namespaces need root and `ip`") {
        return;
    }
    for document in ["README.md", "book/tutorial.md", "book/lab.md"] {
        let folder = Folder::new();
        std::os::unix::fs::symlink(root().join("examples"), folder.path("examples"))
            .expect("a link");
        let (script, shown) = as_root(&text(document), &folder);
        assert!(!shown.is_empty() && script.contains("crafty "), "{script}");
        let ran = run(&["unshare", "-nm", "sh", "-c", &in_folder(&script, &folder)]);
        assert_eq!(ran.expect(0).out, shown, "{document}");
    }
}

/// The commands of the blocks for root as a script, and what they show. Programs of the document are
/// saved in the folder.
fn as_root(document: &str, folder: &Folder) -> (String, String) {
    let (mut script, mut shown) = ("set -e\n".to_string(), String::new());
    for block in blocks(document) {
        match block.words.as_slice() {
            ["crafty", name] if !name.contains('/') => {
                folder.file(name, block.lines.join("\n") + "\n");
            }
            ["console", "root"] => block.lines.iter().for_each(|l| {
                let (text, line) = match l.strip_prefix("$ ") {
                    Some(command) => (&mut script, command),
                    None => (&mut shown, *l),
                };
                let _ = writeln!(text, "{line}");
            }),
            _ => {}
        }
    }
    (script, shown)
}
