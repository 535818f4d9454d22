//! Faults that a lab may have, one file each. To add one: write its file and put its name into the
//! list below.

mod parameter;
mod planting;

use crate::error::LabError;
use crate::lab::Lab;
pub use parameter::{Parameter, Unit};
pub(crate) use planting::Planting;

macro_rules! faults {
    ($($name:ident)*) => {
        $(mod $name;)*
        static FAULTS: &[&Fault] = &[$(&$name::FAULT),*];
    };
}

faults! {
    ack_thinning
    asymmetric_state
    backlog_full
    bad_mtu_told
    bad_offload
    bit_errors
    bleach_dscp
    bufferbloat
    bursty_loss
    corrupt_in_device
    dead_member
    dead_resolver
    delay
    dhcp_rogue
    dns_tcp_blocked
    duplicate
    duplicate_address
    early_drops
    echo_blocked
    ecn_blackhole
    ecn_bleach
    expedited_dropped
    extra_hops
    fragment_drop
    fragments_apart
    half_open
    icmp_blocked
    jitter
    large_dns_lost
    layer2_loop
    loss
    low_ttl
    micro_loop
    misleading_source
    missing_return
    missing_route
    more_specific
    mss_clamped_one_way
    mss_rewritten
    mtu_hole
    nat_idle
    no_sack
    null_route
    one_way
    outage
    overloaded_host
    packet_ecmp
    path_mtu_blackhole
    policer
    policy_route
    port_filter
    prohibited_port
    protocol_block
    proxy_arp
    rate_limit_icmp
    reorder
    route_flap
    rst_injection
    sequence_shifted
    shaper
    silent_corruption
    silent_router
    slow_control_plane
    slow_reader
    slow_server
    small_mtu_member
    small_window
    split_hello_dropped
    stale_neighbour
    starved_buffer
    state_exhausted
    storm_control
    strict_reverse_path
    strip_option
    syn_proxy
    timestamps_per_address
    topology_change
    ttl_in_hash
    ttl_loop
    udp_idle
    window_scale_one_way
    window_untracked
    wrong_speed
}

/// Everything that may be planted, by name.
pub fn faults() -> &'static [&'static Fault] {
    FAULTS
}

/// A kind of fault.
#[derive(Debug)]
pub struct Fault {
    /// What `--lab NETWORK:FAULT` calls it.
    pub name: &'static str,
    /// What can be set; `FAULT=VALUE` sets the first.
    pub parameters: &'static [Parameter],
    /// What kind of thing it is put at.
    pub place: PlaceKind,
    /// A sentence about it.
    pub doc: &'static str,
    pub(crate) plant: fn(&mut Lab, &Planting) -> Result<(), LabError>,
}

/// What a fault is put at, by what is after `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// A link `a-b`, or one direction of it `a>b`; the scenario's trunk if none is named.
    Link,
    /// A router; all if none is named.
    Router,
    /// A host; the scenario's server if none is named.
    Host,
    /// A segment; the first if none is named.
    Segment,
    /// A switch; the first if none is named.
    Switch,
}

impl PlaceKind {
    /// Its name in messages.
    pub fn word(self) -> &'static str {
        match self {
            PlaceKind::Link => "link",
            PlaceKind::Router => "router",
            PlaceKind::Host => "host",
            PlaceKind::Segment => "segment",
            PlaceKind::Switch => "switch",
        }
    }
}

/// The fault called `name`.
pub(crate) fn fault_named(name: &str) -> Result<&'static Fault, LabError> {
    let names = faults().iter().map(|fault| fault.name);
    faults()
        .iter()
        .copied()
        .find(|fault| fault.name == name)
        .ok_or_else(|| LabError::unknown("fault", name, None, names))
}

/// Every key that some fault of a scenario file may have.
pub(crate) fn every_key() -> Vec<&'static str> {
    let own = ["kind", "at"].into_iter().chain(planting::SCHEDULE_KEYS);
    let parameters = faults().iter().flat_map(|fault| fault.parameters);
    let mut keys: Vec<&str> = own.chain(parameters.map(|it| it.name)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
