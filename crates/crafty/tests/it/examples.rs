//! Every example does in the demo network what its first line says. What is expected of one follows
//! from the network's map (`crafty lab demo`): delays, hops, MTUs and services.

use crate::tool::{Ran, crafty, example, root};

/// Runs an example in the lab with more words of the command line.
#[track_caller]
fn check(spec: &str, name: &str, more: &[&str], wanted: &[&str]) -> Ran {
    let path = example(name);
    crafty(&[&["run", "--lab", spec, &path], more].concat())
        .expect(0)
        .says(wanted)
}

#[test]
fn ping() {
    check("demo", "ping.crafty", &[], &["seq=1 ttl=", "seq=5 ttl="]);
    check(
        "demo",
        "ping.crafty",
        &["target=10.100.0.50"],
        &["seq=5 ttl="],
    );
    check(
        "demo",
        "ping.crafty",
        &["target=192.0.2.99"],
        &["seq=1 lost", "seq=5 lost"],
    );
}

#[test]
fn ping6() {
    check("demo", "ping6.crafty", &[], &["seq=1 hops=", "seq=5 hops="]);
}

#[test]
fn traceroute_names_every_router() {
    let ran = check(
        "demo",
        "traceroute.crafty",
        &[],
        &[
            "1\t10.20.4.254\t",
            "2\t203.0.113.2\t",
            "5\t192.0.2.1\treached",
        ],
    );
    assert_eq!(ran.out.lines().count(), 5, "{}", ran.out);
}

#[test]
fn path_mtu_by_words_of_routers_and_by_silence() {
    check(
        "demo",
        "path_mtu.crafty",
        &[],
        &["path MTU to 198.51.100.53: 1400 bytes"],
    );
    check(
        "demo",
        "path_mtu.crafty",
        &["target=192.0.2.1"],
        &["path MTU to 192.0.2.1: 1500 bytes; routers said so 0 times"],
    );
    let silent = check(
        "demo:mtu_hole",
        "path_mtu.crafty",
        &["target=192.0.2.1"],
        &["routers said so 0 times"],
    );
    assert!(!silent.out.contains("1500 bytes"), "{}", silent.out);
}

#[test]
fn a_path_mtu_black_hole_is_named_and_a_healthy_path_is_not() {
    let name = "mtu_black_hole.crafty";
    let hole = "BLACK HOLE: packets of 1301 bytes vanish behind ";
    check(
        "demo:mtu_hole=1300@r2-r3b",
        name,
        &[],
        &[hole, "203.0.113.2", "2 hops away"],
    );
    check(
        "demo:mtu_hole=1300@r4-r5",
        name,
        &[],
        &[hole, "203.0.113.18", "4 hops away"],
    );
    let told = check("demo", name, &[], &["1400 bytes; routers said so 4 times"]);
    assert!(!told.out.contains("BLACK HOLE"), "{}", told.out);
}

#[test]
fn dns_query() {
    check(
        "demo",
        "dns_query.crafty",
        &[],
        &["code 0, 1 answers", "192.0.2.80"],
    );
    check(
        "demo",
        "dns_query.crafty",
        &["name=nothing.example.com"],
        &["code 3, 0 answers"],
    );
    check(
        "demo",
        "dns_query.crafty",
        &["name=web.example.com"],
        &["code 0, 2 answers", "cname www.example.com"],
    );
    let path = example("dns_query.crafty");
    crafty(&["run", "--lab", "demo", &path, "server=192.0.2.1"])
        .expect(1)
        .complains(&["no answer from 192.0.2.1: refused"]);
    crafty(&["run", "--lab", "demo", &path, "name=a..b"])
        .expect(1)
        .complains(&["no answer from 198.51.100.53: range"]);
}

/// A path that loses most of what passes: the same question again, until an answer comes.
#[test]
fn dns_query_asks_again() {
    let tries = |seed: u32| {
        let ran = check(
            "demo:loss=50",
            "dns_query.crafty",
            &["--seed", &seed.to_string()],
            &["1 answers"],
        );
        ran.out
            .split(", ")
            .last()
            .and_then(|tries| tries[..1].parse::<u32>().ok())
            .unwrap_or(0)
    };
    assert!((1..20).any(|seed| {
        let path = example("dns_query.crafty");
        let lost = crafty(&[
            "run",
            "--lab",
            "demo:loss=50",
            "--seed",
            &seed.to_string(),
            &path,
        ])
        .status
            != 0;
        !lost && tries(seed) > 1
    }));
}

#[test]
fn tls_certificate() {
    let wanted = [
        "TLS «1.3», «TLS_",
        "«http/1.1»",
        "«CN=www.example.com, O=Demo»",
        "for «192.0.2.80»",
        "90 days left; trusted: false «unknown issuer»",
    ];
    check("demo", "tls_certificate.crafty", &[], &wanted);
    check(
        "demo",
        "tls_certificate.crafty",
        &["server=192.0.2.1"],
        &["no session: refused"],
    );
    // Keys are drawn again; lengths and times are not.
    let again = || check("demo", "tls_certificate.crafty", &[], &wanted);
    assert_eq!(again().out, again().out);
}

#[test]
fn the_sample_of_the_office_runs_word_for_word() {
    for place in ["", "@gateway", "@west"] {
        let path = format!("{}{place}", example("office_rtt.crafty"));
        let ran = crafty(&["run", "--lab", "demo", &path]).expect(0).says(&[
            "size\tn\tavg\tmax",
            "100\t50\t",
            "1472\t50\t",
        ]);
        assert_eq!(ran.out.lines().count(), 6, "{}", ran.out);
    }
}

#[test]
fn http_get() {
    check(
        "demo",
        "http_get.crafty",
        &[],
        &["status 200, «text/html», 90 bytes", "retransmits=0"],
    );
    check(
        "demo",
        "http_get.crafty",
        &["path=/nothing"],
        &["status 404"],
    );
    check(
        "demo",
        "http_get.crafty",
        &["server=192.0.2.1"],
        &["no response: refused"],
    );
}

#[test]
fn hops_of_a_connection() {
    check(
        "demo",
        "tcp_hops.crafty",
        &[],
        &[
            "1\t10.20.4.254\t",
            "2\t203.0.113.2\t",
            "5\tsilent, or the server itself",
        ],
    );
}

#[test]
fn port_check() {
    check(
        "demo",
        "port_check.crafty",
        &[],
        &["80\topen\tmss 1460", "22\tclosed", "443\topen"],
    );
}

#[test]
fn arp_ping() {
    check("demo", "arp_ping.crafty", &[], &["1\t", "3\t"]);
    check(
        "demo",
        "arp_ping.crafty",
        &["target=10.20.4.77"],
        &["1\tno answer", "3\tno answer"],
    );
}

#[test]
fn loss_with_its_interval() {
    check(
        "demo",
        "loss.crafty",
        &[],
        &["0 of 300 lost: 0.0 %, between 0.0 % and 1.3 %"],
    );
    let ran = check("demo:loss=10", "loss.crafty", &[], &[" of 300 lost: "]);
    let lost: u32 = ran
        .out
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    // One link loses 10 % each way: 19 % of 300 is 57, give or take four standard deviations.
    assert!((30..=85).contains(&lost), "{}", ran.out);
}

#[test]
fn jitter_counts_what_a_path_does() {
    check(
        "demo",
        "jitter.crafty",
        &[],
        &["200 of 200 came back, 0 out of order, 0 twice", "min 1"],
    );
    let ran = check(
        "demo:duplicate=50",
        "jitter.crafty",
        &[],
        &["200 of 200 came back"],
    );
    assert!(!ran.out.contains(", 0 twice"), "{}", ran.out);
}

#[test]
fn balanced_path() {
    let ran = check("demo", "balanced_path.crafty", &[], &["of 16 flows"]);
    assert_eq!(ran.out.lines().count(), 2, "two equal paths: {}", ran.out);
    check(
        "demo",
        "balanced_path.crafty",
        &["hop=1"],
        &["10.20.4.254\t16 of 16 flows"],
    );
}

#[test]
fn two_ends_of_a_udp_test() {
    let (client, server) = (
        format!("{}@west", example("udp_client.crafty")),
        format!("{}@east", example("udp_server.crafty")),
    );
    crafty(&["run", "--lab", "demo", &client, &server])
        .expect(0)
        .says(&["sent 50, 50 answers", "heard 50 datagrams, 400 bytes"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = crate::tool::Folder::new();
    let captures: Vec<Vec<u8>> = ["a.pcapng", "b.pcapng"]
        .iter()
        .map(|name| {
            let path = folder.path(name);
            crafty(&[
                "run",
                "--lab",
                "demo:loss=10",
                "--seed",
                "7",
                "--pcap",
                &path,
                &example("jitter.crafty"),
            ])
            .expect(0);
            std::fs::read(path).expect("the capture")
        })
        .collect();
    assert!(captures[0].len() > 10_000 && captures[0] == captures[1]);
}

#[test]
fn each_example_says_what_it_does_and_is_laid_out() {
    let tested = include_str!("examples.rs");
    for entry in std::fs::read_dir(root().join("examples"))
        .expect("the examples")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(entry.path()).expect("an example");
        // The sample stands as its author wrote it, without a first line of ours.
        assert!(
            source.starts_with("# ") || name == "office_rtt.crafty",
            "{name} begins with a sentence on what it does"
        );
        assert!(
            tested.contains(&format!("\"{name}\"")),
            "{name} has no test here"
        );
        crafty(&["fmt", "--check", &example(&name)]).expect(0);
        crafty(&["check", &example(&name)]).expect(0);
    }
}

/// Their network is the interface that `crafty endpoint` makes, where tests of that command run them; in
/// the lab nobody asks them anything.
#[test]
fn far_ends_are_for_the_endpoint() {
    for (name, params) in [
        ("far_ping.crafty", &["near=192.0.2.1"][..]),
        ("far_serve.crafty", &[]),
    ] {
        let ran = check("demo", name, params, &[]);
        assert!(ran.out.is_empty(), "{}", ran.out);
    }
}
