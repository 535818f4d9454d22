//! Policy files and variables fail closed: whatever is there and cannot be trusted or read stops
//! every run, with the reason.

use crate::tool::{CRAFTY, Folder, Ran, crafty, example, run, skipped};

/// Runs a command line of the tool where `/etc` holds what `prepare` makes in it.
fn where_etc_is(prepare: &str, words: &str) -> Option<Ran> {
    let able = run(&["unshare", "-m", "true"]).status == 0;
    if skipped(able, "mount namespaces need root and `unshare`") {
        return None;
    }
    let folder = Folder::new();
    let etc = folder.path("etc");
    let script = format!(
        "mkdir -p {etc}/crafty && cd {etc}/crafty && chmod 755 . .. && {prepare} && mount --bind {etc} /etc && cd / && {CRAFTY} {words}"
    );
    Some(run(&["unshare", "-m", "sh", "-c", &script]))
}

const POLICY: &str = "printf '[budget]\\nmax_packets = 2\\n' > policy.toml";

#[test]
fn only_an_absent_file_is_no_policy() {
    let rows = [
        ("true", 0, ""),
        (POLICY, 3, "policy"),
        ("ln -s nowhere policy.toml", 2, "cannot be read"),
        ("mkdir policy.toml", 2, "not a regular file"),
        ("mkfifo policy.toml", 2, "not a regular file"),
        (
            "head -c 5000000 /dev/zero > policy.toml",
            2,
            "is longer than",
        ),
        ("printf '\\377\\376' > policy.toml", 2, "not UTF-8"),
        ("printf 'budget = 5' > policy.toml", 2, "must be a table"),
        (
            "cd .. && rmdir crafty && printf x > crafty",
            2,
            "cannot be read",
        ),
    ];
    for (prepare, status, words) in rows {
        for command in ["check", "review", "run --lab demo"] {
            let line = format!("{command} {}", example("ping.crafty"));
            let Some(ran) = where_etc_is(prepare, &line) else {
                return;
            };
            // A policy that narrows is not a fault: the review shows what it leaves.
            if prepare != POLICY || command != "review" {
                assert_eq!(ran.status, status, "{prepare}; {command}: {ran:?}");
                assert!(ran.err.contains(words), "{prepare}; {command}: {ran:?}");
            }
        }
    }
}

#[test]
fn whose_file_it_is_and_who_may_write_it() {
    let rows = [
        (
            format!("{POLICY} && chown 12345 policy.toml"),
            "who has no say here",
        ),
        (format!("{POLICY} && chmod 664 policy.toml"), "chmod go-w"),
        (format!("{POLICY} && chmod 777 ."), "chmod go-w"),
        (format!("{POLICY} && chown 12345 ."), "who has no say here"),
        (
            "mkdir -m 777 theirs && chmod 777 theirs && printf '' > theirs/p.toml && ln -s $PWD/theirs/p.toml policy.toml".into(),
            "chmod go-w",
        ),
    ];
    for (prepare, words) in &rows {
        let line = format!("check {}", example("ping.crafty"));
        let Some(ran) = where_etc_is(prepare, &line) else {
            return;
        };
        ran.expect(2).complains(&[words]);
    }
}

#[test]
fn a_folder_that_cannot_be_searched() {
    let program = "/tmp/crafty-policies-ping.crafty";
    let prepare = format!(
        "{POLICY} && chmod 700 . && cp {} {program} && chmod 644 {program}",
        example("ping.crafty")
    );
    let words = format!(
        "--version >/dev/null; cp {CRAFTY} /tmp/crafty-policies; setpriv --reuid 65534 --clear-groups /tmp/crafty-policies check {program}; status=$?; rm -f /tmp/crafty-policies {program}; exit $status"
    );
    let Some(ran) = where_etc_is(&prepare, &words) else {
        return;
    };
    ran.expect(2).complains(&["cannot be read"]);
}

#[test]
fn in_a_user_namespace_what_we_cannot_write_is_roots() {
    let folder = Folder::new();
    let able = run(&["unshare", "-U", "true"]).status == 0;
    if skipped(able, "this machine allows no user namespace") {
        return;
    }
    // Of root outside, so nobody's inside; and not to be written.
    let path = folder.file("policy.toml", "[budget]\nmax_packets = 2\n");
    let line = format!("{CRAFTY} check --policy {path} {}", example("ping.crafty"));
    let ran = run(&["unshare", "-U", "sh", "-c", &line]);
    assert_ne!(ran.status, 0, "{ran:?}");
    ran.expect(3).complains(&["policy"]);
}

#[test]
fn a_later_layer_opens_nothing() {
    let folder = Folder::new();
    let open = folder.file("open.toml", "[permissions]\nopened = [\"127.0.0.1\"]\n");
    crafty(&["check", "--policy", &open, &example("ping.crafty")])
        .expect(2)
        .complains(&["only /etc/crafty/policy.toml can set `opened`"]);
    let exclusion = folder.file(
        "exclusion.toml",
        "[permissions]\nopened = [\"!127.0.0.2\"]\n",
    );
    let source = "PERMISSIONS = { destinations: [127.0.0.1] }\nPORTS = { udp: [40000] }\n/IP(dst=127.0.0.1)/UDP(dst=9)\n";
    let program = folder.file("p.crafty", source);
    let prepare = format!("cp {exclusion} policy.toml");
    if let Some(ran) = where_etc_is(&prepare, &format!("run {program}")) {
        ran.expect(4).complains(&["127.0.0.1"]);
    }
}

#[test]
fn unknown_variables_are_told_everywhere() {
    let with = |words: &[&str]| run(&[&["env", "CRAFTY_MAX_PAKETS=1", CRAFTY], words].concat());
    let ping = example("ping.crafty");
    for words in [&["check"][..], &["review"], &["run", "--lab", "demo"]] {
        with(&[words, &[&ping]].concat())
            .expect(2)
            .complains(&["error", "CRAFTY_MAX_PAKETS"]);
    }
    with(&["explain", "E0512"])
        .expect(0)
        .complains(&["warning", "CRAFTY_MAX_PAKETS"]);
    with(&["fmt", "--check", &ping])
        .expect(0)
        .complains(&["warning", "CRAFTY_MAX_PAKETS"]);
}

/// Limits for all runs together are root's: another layer's would be others on each run.
#[test]
fn limits_for_all_runs_are_roots() {
    let folder = Folder::new();
    for span in ["hour", "day"] {
        for what in ["packets", "bytes", "syns"] {
            let key = format!("max_{what}_per_{span}");
            let text = format!("[budget]\n{key} = 5\n");
            let file = folder.file("later.toml", &text);
            let ping = example("ping.crafty");
            let words = format!("only /etc/crafty/policy.toml can set `{key}`");
            crafty(&["check", "--policy", &file, &ping])
                .expect(2)
                .complains(&[&words]);
            let variable = format!("CRAFTY_{}=5", key.to_uppercase());
            run(&["env", &variable, CRAFTY, "check", &ping])
                .expect(2)
                .complains(&[&words]);
            let prepare = format!("cp {file} policy.toml");
            if let Some(ran) = where_etc_is(&prepare, &format!("review {ping}")) {
                ran.expect(0)
                    .says(&[&format!("{key} 5 (usually no limit)")]);
            }
        }
    }
}
