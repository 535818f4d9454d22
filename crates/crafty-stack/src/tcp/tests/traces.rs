//! Conformance: the state diagram of RFC 9293, RFC 5961's protections, timers, windows, loss; each
//! as a trace.

use super::trace::{active, established, passive};
use crate::tcp::{Config, WindowScale};
use crafty_value::Duration;

/// The plainest connection: no option but MSS, acknowledgements at once.
fn plain() -> Config {
    Config {
        timestamps: false,
        sack: false,
        wscale: WindowScale::Off,
        delayed_ack: false,
        window: 65535,
        mss: 1000,
        ..Config::default()
    }
}

#[test]
fn opening() {
    let sack = || Config {
        sack: true,
        ..plain()
    };
    active(
        plain(),
        "> S 0:0 mss=1000 win=65535\n= syn_sent\n< S. 0:0 1 mss=1000\n> . 1:1 1\n= established\n! Established",
    );
    passive(
        plain(),
        "< S 0:0\n> S. 0:0 1\n= syn_received\n< . 1:1 1\n= established\n! Established",
    );
    passive(
        plain(),
        "< S 0:0\n> S. 0:0 1\n< P. 1:11 1\n> . 1:1 11\n= established\n! Established\n! Readable",
    );
    // Both at once: the SYN goes again, with an acknowledgement.
    active(
        sack(),
        "> S 0:0\n< S 0:0 sack_ok\n> S. 0:0 1\n= syn_received\n< . 1:1 1\n= established",
    );
    active(
        plain(),
        "> S 0:0\n< S 0:0\n> S. 0:0 1\n< S. 0:0 1\n= established\n! Established",
    );
    // A SYN that comes again is answered again.
    passive(
        plain(),
        "< S 0:0\n> S. 0:0 1\n+10\n< S 0:0\n> S. 0:0 1\n= syn_received",
    );
}

#[test]
fn opening_that_fails() {
    active(plain(), "> S 0:0\n< R. 0:0 1\n= closed\n! Reset(Refusal)");
    active(plain(), "> S 0:0\n< R 0:0\n= syn_sent");
    active(plain(), "> S 0:0\n< R. 0:0 2\n= syn_sent");
    active(plain(), "> S 0:0\n< S. 0:0 77\n> R 77:77\n= syn_sent");
    active(
        plain(),
        "> S 0:0\n< . 0:0 77\n> R 77:77\n< R. 0:0 77\n= syn_sent",
    );
    active(
        plain(),
        "> S 0:0\n+1000\n> S 0:0\n+2000\n> S 0:0\n+2000\n= closed\n! OpenTimedOut\n+100000",
    );
    active(
        plain(),
        "> S 0:0\nunreachable\n= closed\n! Unreachable(Unreachable { code: 1 })",
    );
    active(plain(), "> S 0:0\nclose\n= closed\n! Closed");
    active(plain(), "> S 0:0\nabort\n= closed\n! Reset(Us)");
    passive(
        plain(),
        "< S 0:0\n> S. 0:0 1\n< R 1:1\n= closed\n! Reset(Refusal)",
    );
    passive(
        plain(),
        "< S 0:0\n> S. 0:0 1\n< . 1:1 9\n> R 9:9\n= syn_received",
    );
    passive(
        plain(),
        "< S 0:0\n> S. 0:0 1\n+1000\n> S. 0:0 1\n+2000\n> S. 0:0 1\n+2000\n> R. 1:1 1\n= closed\n! OpenTimedOut",
    );
}

#[test]
fn options_are_agreed_on() {
    active(
        Config {
            mss: 1000,
            ..Config::default()
        },
        "> S 0:0 mss=1000 ws=5 echo=0\n< S. 0:0 1 mss=900 ws=3 sack_ok ts=9,1\n> . 1:1 1 echo=9 win=32768\n\
        count peer_mss 900\ncount mss 888\ncount peer_wscale 3\ncount peer_window 65535\n< . 1:1 1 win=100 ts=9,1\ncount peer_window 800",
    );
    // What the peer did not offer is not used, and not answered with.
    active(
        Config::default(),
        "> S 0:0 ws=5\n< S. 0:0 1 win=100 mss=900\n> . 1:1 1 win=65535\n< . 1:1 1 win=50\ncount peer_window 50\ncount mss 900",
    );
    passive(
        Config::default(),
        "< S 0:0 mss=900\n> S. 0:0 1 mss=1460\n< . 1:1 1 win=50\ncount peer_window 50",
    );
    passive(
        Config::default(),
        "< S 0:0 ws=9 mss=900\n> S. 0:0 1 ws=5\n< . 1:1 1 win=50\ncount peer_window 25600",
    );
    // Segments have a floor, whatever the peer says; without an announcement it is 536.
    active(
        plain(),
        "> S 0:0\n< S. 0:0 1 mss=1\n> . 1:1 1\ncount mss 536\ncount peer_mss 1",
    );
    active(
        plain(),
        "> S 0:0\n< S. 0:0 1\n> . 1:1 1\ncount mss 536\ncount peer_mss 0",
    );
    active(
        Config {
            min_mss: 100,
            ..plain()
        },
        "> S 0:0\n< S. 0:0 1 mss=1\n> . 1:1 1\ncount mss 100",
    );
    // Options as bytes replace ours.
    let octets = Config {
        options: Some(alloc::vec![2, 4, 2, 0, 3, 3, 9]),
        ..Config::default()
    };
    active(
        octets,
        "> S 0:0 mss=512 ws=9\n< S. 0:0 1 mss=900 ws=1\n> . 1:1 1 win=2048",
    );
}

#[test]
fn closing_first() {
    established(
        plain(),
        "close\n> F. 1:1 1\n= fin_wait_1\n< . 1:1 2\n= fin_wait_2\n< F. 1:1 2\n> . 2:2 2\n= time_wait\n! PeerClosed\n! Closed\n+59999\n= time_wait\n+1\n= closed",
    );
    established(
        plain(),
        "close\n> F. 1:1 1\n< F. 1:1 2\n> . 2:2 2\n= time_wait",
    );
    established(
        plain(),
        "close\n> F. 1:1 1\n< F. 1:1 1\n> . 2:2 2\n= closing\n< . 2:2 2\n= time_wait",
    );
    established(
        plain(),
        "close\n> F. 1:1 1\n< P. 1:9 2\n> . 2:2 9\n= fin_wait_2\n< F. 9:9 2\n> . 2:2 10\n= time_wait",
    );
    established(
        plain(),
        "send 10\n> P. 1:11 1\nclose\n> F. 11:11 1\n< . 1:1 12\n= fin_wait_2",
    );
    // TIME-WAIT answers what comes late, and no reset ends it (RFC 1337).
    let waiting = "close\n> F. 1:1 1\n< F. 1:1 2\n> . 2:2 2\n+50000\n";
    established(
        plain(),
        &alloc::format!("{waiting}< F. 1:1 2\n> . 2:2 2\n+50000\n= time_wait\n+10000\n= closed"),
    );
    established(plain(), &alloc::format!("{waiting}< R 2:2\n= time_wait"));
}

#[test]
fn closing_second() {
    established(
        plain(),
        "< F. 1:1 1\n> . 1:1 2\n= close_wait\n! PeerClosed\nclose\n> F. 1:1 2\n= last_ack\n< . 2:2 2\n= closed\n! Closed",
    );
    established(
        plain(),
        "< F. 1:1 1\n> . 1:1 2\nsend 5\n> P. 1:6 2\n< . 2:2 6\n= close_wait\nclose\n> F. 6:6 2\n< . 2:2 7\n= closed",
    );
    // A FIN waits for what is before it.
    established(
        plain(),
        "< F. 11:11 1\n> . 1:1 1\n= established\n< P. 1:11 1\n> . 1:1 12\n= close_wait\n! Readable\n! PeerClosed",
    );
    established(
        plain(),
        "< FP. 1:11 1\n> . 1:1 12\n= close_wait\n< P. 12:20 1\ncount bytes_in 10",
    );
}

#[test]
fn closing_that_takes_too_long_or_is_cut() {
    established(
        plain(),
        "close\n> F. 1:1 1\n< . 1:1 2\n+999\n= fin_wait_2\n+1\n> R. 2:2 1\n= closed\n! Reset(CloseTimeout)",
    );
    established(
        plain(),
        "send 10\n> P. 1:11 1\nabort\n> R. 11:11 1\n= closed\n! Reset(Us)\n< . 1:1 11\n> R 11:11\n< R 1:1",
    );
    established(
        plain(),
        "abort\n> R. 1:1 1\n< R. 1:1 1\n= closed\n< S 5:5\n= closed",
    );
}

#[test]
fn resets_and_strays_as_rfc_5961_has_it() {
    established(
        plain(),
        "< R 1:1\n= closed\n! Reset(Peer)\ncount resets_in 1",
    );
    established(
        plain(),
        "< R 2:2\n> . 1:1 1\n= established\ncount challenge_acks 1",
    );
    established(plain(), "< R 65535:65535\n> . 1:1 1\n= established");
    established(
        plain(),
        "< R 65537:65537\n= established\ncount resets_in 1\ncount challenge_acks 0",
    );
    established(plain(), "< R 0:0\n= established");
    established(plain(), "< S 1:1\n> . 1:1 1\n= established");
    established(plain(), "< S 900000:900000\n> . 1:1 1\n= established");
    established(plain(), "< . 1:1 2\n> . 1:1 1\ncount challenge_acks 1");
    established(
        plain(),
        "send 10\n> P. 1:11 1\n< . 1:1 12\n> . 11:11 1\ncount bytes_acked 0",
    );
    // An acknowledgement that is older than the largest window: asked back, its data not taken.
    established(
        plain(),
        "< P. 1:5 4294900000\n> . 1:1 1\ncount bytes_in 0\ncount challenge_acks 1",
    );
    // No flags but data: nothing without ACK is taken.
    established(plain(), "< P 1:9\n= established\ncount bytes_in 0");
}

#[test]
fn answers_have_a_rate() {
    let strays = |n: usize| "< S 1:1\n".repeat(n);
    established(
        plain(),
        &alloc::format!(
            "{}count challenge_acks 10\n",
            "< S 1:1\n> . 1:1 1\n".repeat(10) + &strays(50)
        ),
    );
    established(
        plain(),
        &alloc::format!(
            "{}+1000\n< S 1:1\n> . 1:1 1\n",
            "< S 1:1\n> . 1:1 1\n".repeat(10) + &strays(5)
        ),
    );
    // Segments out of the window that carry nothing: the same.
    established(
        plain(),
        &("< . 0:0 1\n> . 1:1 1\n".repeat(10) + &"< . 0:0 1\n".repeat(20)),
    );
}

#[test]
fn acknowledgements_wait_a_moment_or_not() {
    let delayed = || Config {
        delayed_ack: true,
        ..plain()
    };
    established(delayed(), "< P. 1:1001 1\n+39\n+1\n> . 1:1 1001");
    established(delayed(), "< P. 1:1001 1\n< P. 1001:2001 1\n> . 1:1 2001");
    established(
        delayed(),
        "< P. 1:1001 1\nsend 5\n> P. 1:6 1001\n+100\n< . 1001:1001 6",
    );
    // Out of order, and the bytes that close the gap: at once.
    established(
        delayed(),
        "< P. 1001:2001 1\n> . 1:1 1\n< P. 1:1001 1\n> . 1:1 2001\ncount out_of_order 1",
    );
    established(
        delayed(),
        "< P. 1:1001 1\n+40\n> . 1:1 1001\n< P. 1:1001 1\n> . 1:1 1001\ncount duplicates 1",
    );
}

#[test]
fn what_comes_early_or_twice_is_told() {
    let sack = || Config {
        sack: true,
        ..plain()
    };
    let open = "> S 0:0\n< S. 0:0 1 mss=1000 sack_ok\n> . 1:1 1\n";
    active(
        sack(),
        &alloc::format!(
            "{open}< . 11:21 1\n> . 1:1 1 sack=11-21\n< . 31:41 1\n> . 1:1 1 sack=31-41 sack=11-21\n< . 1:11 1\n> . 1:1 21 sack=31-41\n\
        < . 21:31 1\n> . 1:1 41\n< . 11:21 1\n> . 1:1 41 sack=11-21\ncount bytes_in 40\ncount duplicates 1"
        ),
    );
    active(
        sack(),
        &alloc::format!(
            "{open}< . 11:21 1\n> . 1:1 1 sack=11-21\n< . 11:21 1\n> . 1:1 1 sack=11-21\n< . 1:31 1\n> . 1:1 31"
        ),
    );
}

#[test]
fn only_what_lies_in_the_window_is_taken() {
    let narrow = || Config {
        window: 100,
        ..plain()
    };
    established(narrow(), "< . 1:201 1\n> . 1:1 101\ncount bytes_in 100");
    established(narrow(), "< . 101:111 1\n> . 1:1 1\ncount bytes_in 0");
    established(
        narrow(),
        "< . 51:151 1\n> . 1:1 1\n< . 1:51 1\n> . 1:1 101 win=100",
    );
    // A window that is set smaller closes as data comes, and opens when told to.
    established(
        narrow(),
        "window 0\n> . 1:1 1 win=100\n< . 1:61 1\n> . 1:1 61 win=40\n< . 61:101 1\n> . 1:1 101 win=0\n< . 101:111 1\n> . 1:1 101 win=0\n\
        window 50\n> . 1:1 101 win=50",
    );
}

#[test]
fn retransmission_backs_off_and_gives_up() {
    let config = || Config {
        give_up: Duration::seconds(10),
        ..plain()
    };
    established(
        config(),
        "send 10\n> P. 1:11 1\n+200\n> P. 1:11 1\n+400\n> P. 1:11 1\n+800\n> P. 1:11 1\ncount timeouts 3\ncount retransmits 3\n< . 1:1 11\n+100000",
    );
    established(
        config(),
        "send 10\n> P. 1:11 1\n+200\n> P. 1:11 1\n+400\n> P. 1:11 1\n+800\n> P. 1:11 1\n+1600\n> P. 1:11 1\n+3200\n> P. 1:11 1\n+6400\n> R. 11:11 1\n= closed\n! TimedOut",
    );
}

#[test]
fn three_duplicates_bring_the_segment_again() {
    let window = || Config {
        initial_window: 10,
        ..plain()
    };
    let five = "send 5000\n> . 1:1001 1\n> . 1001:2001 1\n> . 2001:3001 1\n> . 3001:4001 1\n> P. 4001:5001 1\n";
    established(
        window(),
        &alloc::format!(
            "{five}+20\n< . 1:1 1\n< . 1:1 1\n< . 1:1 1\n> . 1:1001 1\n< . 1:1 1\n< . 1:1 5001\ncount dup_acks 4\ncount timeouts 0\ncount fast_recoveries 1"
        ),
    );
    // The next hole is named by a partial acknowledgement.
    established(
        window(),
        &alloc::format!(
            "{five}+20\n< . 1:1 1\n< . 1:1 1\n< . 1:1 1\n> . 1:1001 1\n+20\n< . 1:1 3001\n> . 3001:4001 1\n+20\n< . 1:1 5001\ncount timeouts 0\ncount retransmits 2"
        ),
    );
}

#[test]
fn holes_that_sack_shows_are_filled_without_a_time_out() {
    let open = "> S 0:0\n+20\n< S. 0:0 1 mss=1000 sack_ok\n> . 1:1 1\nsend 6000\n> . 1:1001 1\n> . 1001:2001 1\n> . 2001:3001 1\n> . 3001:4001 1\n> . 4001:5001 1\n> P. 5001:6001 1\n+20\n";
    let sack = || Config {
        sack: true,
        ..plain()
    };
    active(
        sack(),
        &alloc::format!(
            "{open}< . 1:1 1 sack=1001-2001\n< . 1:1 1 sack=1001-3001\n< . 1:1 1 sack=1001-4001\n> . 1:1001 1\n+20\n< . 1:1 4001\n< . 1:1 6001\ncount retransmits 1\ncount timeouts 0"
        ),
    );
    // Two holes.
    active(
        sack(),
        &alloc::format!(
            "{open}< . 1:1 1 sack=3001-6001\n> . 1:1001 1\n> . 1001:2001 1\n> . 2001:3001 1\n+20\n< . 1:1 6001\ncount timeouts 0"
        ),
    );
    // A single segment early may be reordering: a quarter of the round trip is waited.
    active(
        sack(),
        &alloc::format!(
            "{open}< . 1:1 1 sack=1001-2001\n+4\n< . 1:1 2001\n+6\n< . 1:1 6001\ncount retransmits 0"
        ),
    );
    active(
        sack(),
        &alloc::format!(
            "{open}< . 1:1 1 sack=1001-2001\n+5\n> . 1:1001 1\n+15\n< . 1:1 6001\ncount timeouts 0"
        ),
    );
}

#[test]
fn a_lost_tail_is_probed_for() {
    let sack = || Config {
        sack: true,
        ..plain()
    };
    let open = "> S 0:0\n+40\n< S. 0:0 1 mss=1000 sack_ok\n> . 1:1 1\nsend 3000\n> . 1:1001 1\n> . 1001:2001 1\n> P. 2001:3001 1\n";
    active(
        sack(),
        &alloc::format!(
            "{open}+82\n> P. 2001:3001 1\n+40\n< . 1:1 3001\ncount probes 1\ncount timeouts 0\n+10000"
        ),
    );
    active(
        sack(),
        &alloc::format!(
            "{open}+82\n> P. 2001:3001 1\n+40\n< . 1:1 1 sack=2001-3001\n> . 1:1001 1\n> . 1001:2001 1\n+40\n< . 1:1 3001\ncount timeouts 0"
        ),
    );
    // New data is the better probe.
    active(
        sack(),
        &alloc::format!(
            "{open}+10\nsend 10\n> P. 3001:3011 1\nsend 20\n+82\n> P. 3011:3031 1\n+40\n< . 1:1 3031\ncount probes 1"
        ),
    );
}

#[test]
fn a_closed_window_is_probed_and_an_open_one_used() {
    let open = "> S 0:0\n< S. 0:0 1 mss=1000 win=0\n> . 1:1 1\nsend 10\n";
    active(
        plain(),
        &alloc::format!(
            "{open}+200\n> . 0:0 1\n< . 1:1 1 win=0\n+400\n> . 0:0 1\n< . 1:1 1 win=0\n+800\n> . 0:0 1\n< . 1:1 1 win=100\n> P. 1:11 1\n\
        < . 1:1 11\ncount window_probes 3"
        ),
    );
    // Less than a segment and less than half of what was offered: not used at once, but not
    // forever.
    active(
        plain(),
        "> S 0:0\n< S. 0:0 1 mss=1000 win=5000\n> . 1:1 1\n< . 1:1 1 win=300\nsend 2000\n+200\n> . 1:301 1\n< . 1:1 301 win=5000\n> . 301:1301 1\n\
        > P. 1301:2001 1\n< . 1:1 2001\ncount zero_windows 0",
    );
    let dead = Config {
        give_up: Duration::seconds(3),
        ..plain()
    };
    active(
        dead,
        &alloc::format!(
            "{open}+200\n> . 0:0 1\n+400\n> . 0:0 1\n+800\n> . 0:0 1\n+1600\n> . 0:0 1\n+3200\n> R. 1:1 1\n= closed\n! Established\n! TimedOut"
        ),
    );
}

#[test]
fn small_segments_wait_for_acknowledgements() {
    established(
        plain(),
        "send 10\n> P. 1:11 1\nsend 10\nsend 10\n+20\n< . 1:1 11\n> P. 11:31 1\n< . 1:1 31",
    );
    established(
        Config {
            nagle: false,
            ..plain()
        },
        "send 10\n> P. 1:11 1\nsend 10\n> P. 11:21 1\n< . 1:1 21",
    );
    established(
        plain(),
        "send 10\n> P. 1:11 1\nsend 10\nclose\n> FP. 11:21 1\n< F. 1:1 22\n> . 22:22 2",
    );
}

#[test]
fn the_window_opens_slowly_and_is_cut_by_loss() {
    let one = || Config {
        initial_window: 1,
        ..plain()
    };
    established(
        one(),
        "send 4000\n> . 1:1001 1\n+20\n< . 1:1 1001\n> . 1001:2001 1\n> . 2001:3001 1\n+20\n< . 1:1 3001\n> P. 3001:4001 1\n< . 1:1 4001\ncount cwnd 4000",
    );
    established(
        plain(),
        "send 3000\n> . 1:1001 1\n> . 1001:2001 1\n> P. 2001:3001 1\n+200\n> . 1:1001 1\ncount cwnd 1000\ncount ssthresh 2100\n< . 1:1 3001\n",
    );
}

#[test]
fn a_silent_peer_is_asked() {
    let alive = || Config {
        keep_alive: Some(Duration::seconds(10)),
        ..plain()
    };
    established(
        alive(),
        "+10000\n> . 0:0 1\n< . 1:1 1\n+10000\n> . 0:0 1\ncount keep_alives 2",
    );
    let silent = "> . 0:0 1\n+10000\n".repeat(9);
    established(
        alive(),
        &alloc::format!("+10000\n{silent}> R. 1:1 1\n= closed\n! TimedOut"),
    );
}

#[test]
fn old_stamps_are_dropped_and_new_ones_echoed() {
    let stamps = || Config {
        timestamps: true,
        ..plain()
    };
    let open = "> S 0:0\n< S. 0:0 1 mss=1000 ts=100,0\n> . 1:1 1 echo=100\n";
    active(
        stamps(),
        &alloc::format!(
            "{open}< . 1:11 1 ts=99,0\n> . 1:1 1 echo=100\ncount paws_drops 1\n< . 1:11 1 ts=101,0\n> . 1:1 11 echo=101"
        ),
    );
    // Only what is in order moves the stamp.
    active(
        stamps(),
        &alloc::format!(
            "{open}< . 11:21 1 ts=200,0\n> . 1:1 1 echo=100\n< . 1:11 1 ts=150,0\n> . 1:1 21 echo=150"
        ),
    );
    active(stamps(), &alloc::format!("{open}< R 1:1 ts=1,0\n= closed"));
}

#[test]
fn a_time_out_that_was_not_needed_is_taken_back() {
    let stamps = || Config {
        timestamps: true,
        ..plain()
    };
    let open = "> S 0:0\n+20\n< S. 0:0 1 mss=1012 ts=100,0\n> . 1:1 1\nsend 2964\n> . 1:989 1\n> . 989:1977 1\n> P. 1977:2965 1\n\
        +200\n> . 1:989 1\ncount cwnd 988\n+100\n";
    // The answer is to what was sent at 20 ms: nothing was lost, nothing more is sent again.
    active(
        stamps(),
        &alloc::format!(
            "{open}< . 1:1 989 ts=101,20\ncount spurious 1\ncount cwnd 9880\n< . 1:1 2965 ts=101,20\ncount retransmits 1"
        ),
    );
    // The answer is to the repetition.
    active(
        stamps(),
        &alloc::format!(
            "{open}< . 1:1 989 ts=101,220\n> . 989:1977 1\n> P. 1977:2965 1\n< . 1:1 2965 ts=101,320\ncount spurious 0"
        ),
    );
}

#[test]
fn crafted_segments_start_no_storm() {
    established(
        plain(),
        "note 51\n< . 1:1 51\n= established\ncount challenge_acks 0\ncount snd_una 4294967041\nsend 60\n> P. 1:61 1\n< . 1:1 61\ncount bytes_acked 60",
    );
    // Our acknowledgements are where the peer takes them.
    established(plain(), "note 51\n< . 1:1 51\n< P. 1:9 51\n> . 51:51 9");
    established(
        Config {
            nagle: false,
            ..plain()
        },
        "advance 10\nsend 5\n> P. 11:16 1\n+200\n> . 1:11 1\n> P. 11:16 1\n< . 1:1 16\ncount retransmits 2\ncount bytes_acked 15",
    );
    established(
        plain(),
        "advance_fin\n= fin_wait_1\n< . 1:1 2\n= fin_wait_2\n< F. 1:1 2\n> . 2:2 2\n= time_wait",
    );
}

#[test]
fn routers_lower_the_segment_size_within_bounds() {
    established(
        plain(),
        "send 1000\n> P. 1:1001 1\ntoo_big 700\n> . 1:661 1\n> P. 661:1001 1\ncount mss 660\n< . 1:1 1001\ncount timeouts 0",
    );
    established(
        plain(),
        "send 1000\n> P. 1:1001 1\ntoo_big 68\n> . 1:537 1\n> P. 537:1001 1\ncount mss 536\n< . 1:1 1001",
    );
    established(
        plain(),
        "send 1000\n> P. 1:1001 1\ntoo_big 0\n> . 1:967 1\n> P. 967:1001 1\n< . 1:1 1001",
    );
    established(plain(), "too_big 700\ncount mss 1000\ncount icmp_errors 0");
    established(
        plain(),
        "send 10\n> P. 1:11 1\nunreachable\n= established\ncount icmp_errors 1\n< . 1:1 11",
    );
}

#[test]
fn marks_are_echoed_until_confirmed() {
    let ecn = || Config {
        ecn: true,
        ..plain()
    };
    let open = "> SEW 0:0\n< SE. 0:0 1 mss=1000\n> . 1:1 1\n";
    active(
        ecn(),
        &alloc::format!(
            "{open}< . 1:11 1 ce\n> .E 1:1 11\n< . 11:21 1\n> .E 1:1 21\n< .W 21:31 1\n> . 1:1 31\ncount ecn_marks 1"
        ),
    );
    active(
        ecn(),
        &alloc::format!(
            "{open}send 3000\n> . 1:1001 1 ecn=2\n> . 1001:2001 1 ecn=2\n> P. 2001:3001 1 ecn=2\n+20\n< .E 1:1 1001\n< .E 1:1 3001\ncount ecn_echoes 1\n\
        send 10\n> P.W 3001:3011 1 ecn=2\n< . 1:1 3011"
        ),
    );
    active(
        plain(),
        "> S 0:0\n< SE. 0:0 1\n> . 1:1 1\n< . 1:11 1 ce\n> . 1:1 11\ncount ecn_marks 1",
    );
    passive(ecn(), "< SEW 0:0\n> S.E 0:0 1 ecn=0");
    passive(plain(), "< SEW 0:0\n> S. 0:0 1");
}
