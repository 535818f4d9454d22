//! Every protocol, one file each; a protocol that needs helpers is a folder with them.
//!
//! To add one, write `src/protocols/NAME.rs` and put `NAME` in the list below, in order. Nothing
//! else changes: the laws in `laws` test the new rows at once. The file is a module doc, then
//!
//! ```text
//! use crate::table::*;
//!
//! /// The layer.
//! pub static LAYER: Layer = Layer {
//!     name: "VXLAN",                        // as in the language; the module is called like it in lower case
//!     title: "Virtual eXtensible LAN",
//!     spec: "RFC 7348",
//!     about: "Carries Ethernet frames in UDP.",
//!     example: "/IP(dst=192.0.2.1)/UDP/VXLAN(vni=7)/Eth/Bytes(\"x\")",
//!     fields: &layout([ uint("flags", 8).default(8).doc("A sentence."), … ]),
//!     under: &[under("UDP", "dst", 4789)],  // read both ways
//!     next: Next::Always(&super::eth::LAYER),
//!     ..Layer::BLANK
//! }
//! .seal();
//! ```
//!
//! - A field present in some headers only: `.when(When::In("type", &[0, 8]))` gives one place
//!   several meanings (places stay fixed as long as they are the same for all values);
//!   `.when(When::Has("flags", "key"))` is an optional part, whose bit is set when a program sets
//!   the field and the flags field is `.computed(Auto::Presence(0))`.
//! - Variable length: `bytes`, `text`, `options` with `.extent(Extent::Counted("len"))` and the
//!   like.
//! - In options: a list of options is a field like any other; `.extent(Extent::Sized(2))` is behind
//!   its length, `spelt` has a notation of its own (prefixes, names), `.in_head(bit)` lies beside
//!   kind and length. A row may be told by what its value begins with (`.begins`) or by some bits
//!   of its kind (`.masked`).
//! - Lengths, next numbers and checksums: `.computed(header_len(4, 0))`, `total_len()`,
//!   `payload_len()`, `Auto::NextLayer(otherwise)`, `Auto::Checksum(Checksum { pseudo: true,
//!   ..INTERNET })`.
//! - `like: Some("Eth")` takes over the children of another layer (all that Ethernet carries).
//! - Behind the payload: `.trailer()`, with `body:` to tell on reading where the payload ends.
//! - What tables do not tell (names with compression, text protocols): one `custom` field and
//!   `.view()` fields with a `Codec`; where views are only read, `views:` alone.
//! - `accepts:` refuses bytes that cannot be the layer, which then stay `Bytes`.
//! - Carried by TCP: `message:` tells where a message ends that begins a stream.

macro_rules! protocols {
    ($($name:ident)*) => {
        $(pub mod $name;)*
        /// Modules of the layers, in the order of their numbers.
        pub(crate) const MODULES: &[&str] = &[$(stringify!($name)),*];
        /// Every layer.
        pub(crate) static ALL: [&crate::layer::Layer; MODULES.len()] = [$(&$name::LAYER),*];
    };
}

protocols! {
    ah
    arp
    arp_other
    bfd
    bgp
    bytes
    cdp
    cisco_hdlc
    dest_opts
    dhcp
    dhcp6
    dns
    dns_tcp
    eap
    eapol
    eigrp
    erspan
    erspan3
    esp
    eth
    fragment
    geneve
    gre
    gtpu
    hdlc
    hop_by_hop
    hsrp
    http
    icmp
    icmp6
    igmp
    ike
    ip
    ip6
    isis
    l2tp
    lacp
    lcp
    llc
    lldp
    loop_
    mpls
    nat_keepalive
    net_flow
    nsh
    ntp
    null
    ospf
    ospf3
    pim
    ppp
    pppoe
    ptp
    pw
    quic
    radius
    rip
    ripng
    routing
    sctp
    sflow
    sip
    sll
    sll2
    slow_protocol
    snap
    snmp
    stp
    stun
    syslog
    tcp
    tftp
    tls
    tls_handshake
    udp
    vlan
    vrrp
    vxlan
    vxlan_gpe
    wire_guard
}
