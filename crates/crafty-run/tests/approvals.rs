//! Approvals as a library: what is signed, what each change does to it, and that a run is counted
//! once whoever asks at the same time.

use crafty_policy::{HostQuotas, Quota};
use crafty_run::admission::{
    AdmissionDesk, AdmissionError, JournalMoment, JournalTrust, RunJournal, admit_run,
};
use crafty_run::approval::{
    Approval, ApprovalError, ApprovalTerms, SigningKey, create_signing_key,
};
use crafty_run::review::{ReviewedDocument, difference};
use crafty_run::{GivenParam, LoadedProgram, Policy, Source, load};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

const PING: &str = "param size: int = 8\nBUDGET = { max_duration: 5s, max_packets: 20 }\nPERMISSIONS = { destinations: [192.0.2.1] }\nPORTS = { icmp: [77] }\n/IP(dst=192.0.2.1)/ICMP(type=echo_request, id=77)/Bytes(#00 * size)\n";

const BEGIN: i64 = 1_800_000_000;

/// A folder with a key and its counts, which goes away.
struct Desk {
    folder: PathBuf,
    key: SigningKey,
}

impl Desk {
    fn new() -> Desk {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("crafty-approvals-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let key = create_signing_key(&folder.join("key")).expect("a key");
        Desk { folder, key }
    }

    fn journal(&self) -> PathBuf {
        self.folder.join("journal")
    }

    /// The file in it.
    fn journal_file(&self) -> PathBuf {
        let mut files = std::fs::read_dir(self.journal())
            .expect("a journal")
            .flatten();
        files.next().expect("a file").path()
    }

    fn policy(&self) -> Policy {
        Policy {
            require_approval: Some(BTreeSet::from([self.key.public_key()])),
            ..Policy::everything()
        }
    }

    fn program(&self, text: &str, size: &str) -> LoadedProgram {
        loaded(text, size, &self.policy())
    }

    /// The text of an approval of `PING` for 3 runs on `lab1`.
    fn approval(&self) -> String {
        let document = ReviewedDocument::of(&self.program(PING, "size=8"));
        let terms = ApprovalTerms {
            digest: document.digest(),
            host: Some("lab1".into()),
            not_before: BEGIN,
            not_after: BEGIN + 60,
            runs: 3,
            id: "0123456789abcdef".into(),
        };
        self.key.approve(&document, &terms).expect("a signature")
    }

    /// Asks for a run in a second since 1970, which is as long after the machine's start.
    fn asked(
        &self,
        text: &str,
        program: &LoadedProgram,
        host: &str,
        second: i64,
    ) -> Result<(), AdmissionError> {
        let now = JournalMoment {
            wall: second,
            boot: "boot".into(),
            since_boot: second - BEGIN,
        };
        self.asked_at(text, program, host, now)
    }

    fn asked_at(
        &self,
        text: &str,
        program: &LoadedProgram,
        host: &str,
        now: JournalMoment,
    ) -> Result<(), AdmissionError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let file = self.folder.join(format!("{number}.approval"));
        std::fs::write(&file, text).expect("a file");
        let desk = AdmissionDesk {
            host: host.into(),
            now,
            policy: Policy::everything(),
            journal: RunJournal::in_folder(self.journal(), JournalTrust::Owner),
        };
        let run = admit_run(program, Some(&file), &desk)?;
        assert!(run.is_for(program));
        Ok(())
    }

    fn granted(
        &self,
        text: &str,
        program: &LoadedProgram,
        host: &str,
        second: i64,
    ) -> Result<(), ApprovalError> {
        match self.asked(text, program, host, second) {
            Err(AdmissionError::NotApproved(error)) => Err(error),
            Err(error) => panic!("{error}"),
            Ok(()) => Ok(()),
        }
    }

    fn begins(&self, text: &str) -> Result<(), ApprovalError> {
        self.granted(text, &self.program(PING, "size=8"), "lab1", BEGIN)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn loaded(text: &str, size: &str, policy: &Policy) -> LoadedProgram {
    let source = Source::read("ping.crafty", text.as_bytes()).expect("a source");
    let params = [GivenParam::parse(size).expect("a param")];
    load(source, &params, policy).expect("a program that may run")
}

#[test]
fn an_approved_program_runs_as_often_as_was_approved() {
    let desk = Desk::new();
    let text = desk.approval();
    for _ in 0..3 {
        desk.begins(&text).expect("an approved run");
    }
    let replayed = desk.begins(&text);
    assert!(
        matches!(replayed, Err(ApprovalError::UsedUp(3))),
        "{replayed:?}"
    );
}

/// A blank more is the same program; a byte, a param or a limit more is another.
#[test]
fn what_changed_is_refused_and_counts_nothing() {
    let desk = Desk::new();
    let text = desk.approval();
    let limited = Policy {
        budget: crafty_policy::Budget {
            max_packets: 19,
            ..desk.policy().budget
        },
        ..desk.policy()
    };
    let others = [
        desk.program(&PING.replace("id=77)", "id=77, seq=1)"), "size=8"),
        desk.program(&PING.replace("#00", "#01"), "size=8"),
        desk.program(PING, "size=9"),
        loaded(PING, "size=8", &limited),
    ];
    for other in &others {
        let refused = desk.granted(&text, other, "lab1", BEGIN);
        let Err(ApprovalError::Changed { approved, now }) = refused else {
            panic!("{refused:?}");
        };
        assert_ne!(approved, now);
        let then = Approval::parse(&text).expect("an approval").document;
        assert!(!difference(&then, &ReviewedDocument::of(other)).is_empty());
    }
    assert!(!desk.journal().exists());
    let spaced = desk.program(
        &PING.replace("max_packets: 20", "max_packets:  20"),
        "size=8",
    );
    desk.granted(&text, &spaced, "lab1", BEGIN)
        .expect("the same program");
}

#[test]
fn another_host_or_time_is_refused() {
    let desk = Desk::new();
    let text = desk.approval();
    let program = desk.program(PING, "size=8");
    let at = |host: &str, second: i64| desk.granted(&text, &program, host, second);
    assert!(matches!(
        at("lab2", BEGIN),
        Err(ApprovalError::OtherHost { .. })
    ));
    assert!(matches!(
        at("lab1", BEGIN - 2),
        Err(ApprovalError::NotYet(2))
    ));
    assert!(matches!(
        at("lab1", BEGIN + 60),
        Err(ApprovalError::Expired(0))
    ));
    at("lab1", BEGIN + 59).expect("the last second");
}

#[test]
fn only_a_key_of_the_policy_approves() {
    let (desk, stranger) = (Desk::new(), Desk::new());
    let refused = desk.begins(&stranger.approval());
    assert!(
        matches!(refused, Err(ApprovalError::UnknownKey(_))),
        "{refused:?}"
    );
    let with_keys = |keys: &[&str]| {
        let policy = Policy {
            require_approval: Some(keys.iter().map(|key| key.to_string()).collect()),
            ..Policy::everything()
        };
        let program = loaded(PING, "size=8", &policy);
        desk.granted(&desk.approval(), &program, "lab1", BEGIN)
    };
    assert!(matches!(with_keys(&[]), Err(ApprovalError::UnknownKey(_))));
    let no_key = with_keys(&["alice"]);
    assert!(
        matches!(no_key, Err(ApprovalError::NotAPublicKey(_))),
        "{no_key:?}"
    );
    let (own, other) = (desk.key.public_key(), stranger.key.public_key());
    with_keys(&[&other, &own]).expect("one of two keys is enough");
}

/// A key that somebody made with the number of a key of the policy: the signature is another's.
#[test]
fn a_key_of_the_same_number_is_another_key() {
    let desk = Desk::new();
    let stranger = Desk::new();
    let secret = |desk: &Desk| {
        let text = std::fs::read_to_string(desk.folder.join("key")).expect("a key");
        let parsed = minisign::SecretKeyBox::from_string(&text).expect("a box");
        parsed.into_unencrypted_secret_key().expect("a key")
    };
    // After two letters for each of three algorithms, 32 bytes of salt and two numbers.
    let (own, mut bytes) = (secret(&desk).to_bytes(), secret(&stranger).to_bytes());
    bytes[54..62].copy_from_slice(&own[54..62]);
    // Without a checksum, as minisign 0.11 writes its keys.
    let end = bytes.len() - 32;
    bytes[end..].fill(0);
    let forged = minisign::SecretKey::from_bytes(&bytes).expect("a key");
    let text = forged.to_box(None).expect("a box").into_string();
    let path = stranger.folder.join("forged");
    std::fs::write(&path, text).expect("a file");
    mode(&path, 0o600);
    let forger = Desk {
        folder: stranger.folder.clone(),
        key: SigningKey::open(&path).expect("a key that signs"),
    };
    let refused = desk.begins(&forger.approval());
    assert!(
        matches!(refused, Err(ApprovalError::BadSignature)),
        "{refused:?}"
    );
}

/// Every byte of the file but those of the first line, which minisign does not sign either.
#[test]
fn a_file_with_one_byte_changed_approves_nothing() {
    let desk = Desk::new();
    let text = desk.approval();
    let head = text.find('\n').expect("a line");
    let (own, program) = (desk.key.public_key(), desk.program(PING, "size=8"));
    let digest = ReviewedDocument::of(&program).digest();
    for at in (0..text.len()).filter(|at| *at != head) {
        for bit in [1, 2, 4] {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= bit;
            let Ok(changed) = String::from_utf8(bytes) else {
                continue;
            };
            let is_comment = at < head;
            let ended = Approval::parse(&changed).and_then(|approval| {
                approval.signed_by([own.as_str()])?;
                approval.covers(&digest, "lab1", BEGIN)
            });
            assert!(
                is_comment || ended.is_err(),
                "byte {at}, bit {bit}:\n{changed}"
            );
        }
    }
    for end in 0..text.len() {
        assert!(Approval::parse(&text[..end]).is_err(), "cut at {end}");
    }
}

/// Terms that the key's owner signed for another approval do not move to this one.
#[test]
fn parts_of_two_approvals_make_none() {
    let desk = Desk::new();
    let (one, two) = (desk.approval(), desk.approval());
    let (one, two): (Vec<&str>, Vec<&str>) = (one.lines().collect(), two.lines().collect());
    let mut mixed = one.clone();
    mixed[1] = two[1];
    let refused = desk.begins(&(mixed.join("\n") + "\n"));
    assert!(
        matches!(refused, Err(ApprovalError::BadSignature)),
        "{refused:?}"
    );
}

#[test]
fn one_run_that_is_left_is_given_once() {
    let desk = Desk::new();
    let text = desk.approval();
    desk.begins(&text).expect("the first");
    desk.begins(&text).expect("the second");
    let given = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| match desk.begins(&text) {
                Ok(()) => {
                    given.fetch_add(1, Ordering::Relaxed);
                }
                Err(ApprovalError::UsedUp(3)) => {}
                Err(error) => panic!("{error}"),
            });
        }
    });
    assert_eq!(given.into_inner(), 1);
}

/// What cannot be counted does not run: a link in the place of the journal, a second name of it, lines
/// of others, a folder that others may write, a folder that is a file.
#[test]
fn a_run_that_cannot_be_counted_does_not_begin() {
    type Spoil = (&'static str, fn(&Desk));
    let spoil: [Spoil; 6] = [
        ("cannot be used", |desk| {
            let (file, elsewhere) = (desk.journal_file(), desk.folder.join("elsewhere"));
            std::fs::rename(&file, &elsewhere).expect("moved");
            std::os::unix::fs::symlink(elsewhere, file).expect("a link");
        }),
        ("more than one name", |desk| {
            std::fs::hard_link(desk.journal_file(), desk.folder.join("second")).expect("a name");
        }),
        ("a line of others", |desk| {
            append(&desk.journal_file(), "use one more time .\n");
        }),
        ("not text", |desk| append(&desk.journal_file(), b"\xff\n")),
        ("written by others", |desk| mode(&desk.journal(), 0o777)),
        ("written by others", |desk| {
            mode(&desk.journal_file(), 0o666)
        }),
    ];
    for (words, spoil) in spoil {
        let desk = Desk::new();
        let text = desk.approval();
        desk.begins(&text).expect("a run");
        spoil(&desk);
        let program = desk.program(PING, "size=8");
        let refused = desk.asked(&text, &program, "lab1", BEGIN);
        let Err(AdmissionError::Journal(error)) = refused else {
            panic!("{words}: {refused:?}");
        };
        assert!(error.to_string().contains(words), "{words}: {error}");
        assert!(!error.fix().is_empty());
    }
}

fn append(path: &std::path::Path, bytes: impl AsRef<[u8]>) {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(path)
        .expect("a file");
    file.write_all(bytes.as_ref()).expect("more bytes");
}

fn mode(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(path, permissions).expect("a mode");
}

/// A crash while a run is being noted leaves a part of a line: nothing was sent for it, and what is
/// noted later stands whole.
#[test]
fn a_line_that_a_crash_has_cut_is_no_run_and_harms_no_other() {
    let desk = Desk::new();
    let text = desk.approval();
    desk.begins(&text).expect("the first");
    let file = desk.journal_file();
    let whole = std::fs::read_to_string(&file).expect("a journal");
    for cut in [&whole[..whole.len() - 2], "\nuse 18", "\n"] {
        append(&file, cut);
    }
    desk.begins(&text).expect("the second");
    desk.begins(&text).expect("the third");
    let spent = desk.begins(&text);
    assert!(matches!(spent, Err(ApprovalError::UsedUp(3))), "{spent:?}");
}

/// The clock is set back so that an approval holds again.
#[test]
fn a_clock_that_is_set_back_is_seen() {
    let desk = Desk::new();
    let (text, program) = (desk.approval(), desk.program(PING, "size=8"));
    desk.granted(&text, &program, "lab1", BEGIN + 50)
        .expect("the first");
    let at = |wall: i64, boot: &str, since_boot: i64| {
        let boot = boot.into();
        let now = JournalMoment {
            wall,
            boot,
            since_boot,
        };
        desk.asked_at(&text, &program, "lab1", now)
    };
    let seen = |refused: Result<(), AdmissionError>, by: i64| {
        let is_seen = matches!(refused, Err(AdmissionError::NotApproved(ApprovalError::ClockSetBack(back))) if back == by);
        assert!(is_seen, "{refused:?}");
    };
    // 100 s later by the clock that nobody sets.
    seen(at(BEGIN + 10, "boot", 150), 140);
    at(BEGIN + 55, "boot", 56).expect("a correction by a second");
    at(BEGIN + 55, "other", 5).expect("after a start of the machine");
}

/// The operator's limits for all runs together, whatever runs at the same time.
#[test]
fn fifty_at_once_do_not_multiply_the_operators_limit() {
    let desk = Desk::new();
    let policy = Policy {
        host_quotas: HostQuotas {
            hour: Quota {
                packets: 23,
                ..Quota::UNLIMITED
            },
            ..HostQuotas::UNLIMITED
        },
        ..Policy::everything()
    };
    // One packet, and up to three questions for the neighbour.
    let program = loaded(PING, "size=8", &policy);
    let given = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| match desk.asked("", &program, "lab1", BEGIN) {
                Ok(()) => {
                    given.fetch_add(1, Ordering::Relaxed);
                }
                Err(AdmissionError::LedgerSpent { row, wanted: 4, .. }) => {
                    assert_eq!((row.limit, row.left), (23, 3));
                }
                Err(error) => panic!("{error}"),
            });
        }
    });
    assert_eq!(given.into_inner(), 5);
    desk.asked("", &program, "lab1", BEGIN + 3_600)
        .expect("an hour later");
}

/// Neither is counted where one says no.
#[test]
fn an_approval_is_not_used_up_where_the_ledger_says_no() {
    let desk = Desk::new();
    let text = desk.approval();
    let narrow = Policy {
        host_quotas: HostQuotas {
            day: Quota {
                packets: 9,
                ..Quota::UNLIMITED
            },
            ..HostQuotas::UNLIMITED
        },
        ..desk.policy()
    };
    // What all runs may send is not part of what is approved.
    let program = loaded(PING, "size=8", &narrow);
    for _ in 0..2 {
        desk.granted(&text, &program, "lab1", BEGIN).expect("room");
    }
    let refused = desk.asked(&text, &program, "lab1", BEGIN);
    assert!(
        matches!(refused, Err(AdmissionError::LedgerSpent { .. })),
        "{refused:?}"
    );
    desk.begins(&text).expect("the third run of the approval");
}

/// A program that was loaded under another policy than this host's.
#[test]
fn a_program_outside_the_hosts_policy_does_not_begin() {
    let desk = Desk::new();
    let program = loaded(PING, "size=8", &Policy::everything());
    let strict = AdmissionDesk {
        host: "lab1".into(),
        now: JournalMoment {
            wall: 0,
            boot: "boot".into(),
            since_boot: 0,
        },
        policy: desk.policy(),
        journal: RunJournal::in_folder(desk.journal(), JournalTrust::Owner),
    };
    let refused = admit_run(&program, None, &strict);
    assert!(
        matches!(refused, Err(AdmissionError::OutsidePolicy)),
        "{refused:?}"
    );
}

/// Root's journal is rewritten once it is long, and forgets nothing that counts.
#[test]
fn a_long_journal_is_shortened_and_forgets_no_run() {
    let desk = Desk::new();
    let text = desk.approval();
    desk.begins(&text).expect("the first");
    let old = "reserved 1 older 5 00 1 1 1 .\n".repeat(12_000);
    append(&desk.journal_file(), old);
    let long = std::fs::metadata(desk.journal_file())
        .expect("a file")
        .len();
    desk.begins(&text).expect("the second");
    let short = std::fs::metadata(desk.journal_file())
        .expect("a file")
        .len();
    assert!(long > 300_000 && short < 1_000, "{long}, {short}");
    desk.begins(&text).expect("the third");
    let spent = desk.begins(&text);
    assert!(matches!(spent, Err(ApprovalError::UsedUp(3))), "{spent:?}");
}
