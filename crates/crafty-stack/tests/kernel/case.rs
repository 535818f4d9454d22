//! The matrix: what the link does, what is sent over it, and what windows either side offers.

use crafty_stack::tcp::{Config, congestion};
use crafty_value::Duration;

/// What the kernel's program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Far {
    /// It sends and hears at once, each stream by itself.
    Both,
    /// It returns what it reads, and reads no more before that is written: its window closes.
    Echo,
    /// The same, four kilobytes and then a pause.
    SlowEcho,
}

/// What our program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Near {
    /// It sends all, and reads at once.
    Bulk,
    /// It reads so many bytes, then it pauses: our window closes.
    Slow(usize, Duration),
    /// It sends a message of so many bytes, and waits until as many have come back.
    Asks(usize),
}

/// One transfer both ways, and what it goes through.
#[derive(Clone, Debug)]
pub struct Case {
    pub we_open: bool,
    pub v6: bool,
    /// Bytes that we send, and that the kernel sends.
    pub sizes: [usize; 2],
    pub weather: Weather,
    pub mtu: u16,
    /// The kernel's receive buffer in bytes, half of which is its window; the kernel's own choice
    /// without.
    pub kernel_buffer: Option<u32>,
    pub config: Config,
    pub far: Far,
    pub near: Near,
}

/// What happens to packets in either direction, per thousand.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    pub lost: u64,
    /// Leave after the next one.
    pub swapped: u64,
    pub doubled: u64,
}

const CLEAN: Weather = Weather {
    lost: 0,
    swapped: 0,
    doubled: 0,
};

/// What links do besides losing.
const DISTURBANCES: [Weather; 3] = [
    CLEAN,
    Weather {
        swapped: 100,
        ..CLEAN
    },
    Weather {
        doubled: 100,
        ..CLEAN
    },
];
const LOSSES: [u64; 4] = [0, 10, 50, STORM];
const STORM: u64 = 200;
const SIZES: [usize; 3] = [1, 1000, 1_000_000];
/// IPv6 has no 576.
const MTUS: [(bool, u16); 7] = [
    (false, 576),
    (false, 1280),
    (false, 1500),
    (false, 9000),
    (true, 1280),
    (true, 1500),
    (true, 9000),
];
/// Our window; the kernel's buffer; bytes at most, and where a fifth is lost: time-outs double, and
/// the kernel fills a window that takes less than what it has by a timer only.
const WINDOWS: [(u32, Option<u32>, usize, usize); 6] = [
    (1 << 20, None, usize::MAX, 40_000),
    (1, None, 12, 1),
    (700, None, 20_000, 5_000),
    (1 << 16, Some(2304), 50_000, 5_000),
    (1 << 20, Some(20_000), usize::MAX, 40_000),
    (3000, Some(4096), 100_000, 5_000),
];

/// One in so many combinations runs in the usual run. Prime to every dimension, so that all values
/// meet.
const STRIDE: usize = 53;
/// The same for echoes.
const ECHO_STRIDE: usize = 5;

fn patient() -> Config {
    let seconds = Duration::seconds;
    Config {
        close: seconds(300),
        timeout: seconds(100),
        give_up: seconds(300),
        time_wait: seconds(500),
        ..Config::default()
    }
}

/// Every combination, and 100 MB each way; or a sample, and what only a setting of ours changes.
pub fn chosen() -> Vec<Case> {
    match std::env::var("TEST_MATRIX").as_deref() {
        Ok("all") => large()
            .into_iter()
            .chain(settings())
            .chain(matrix())
            .chain(echoes())
            .chain(slow_readers())
            .chain(questions())
            .collect(),
        _ => settings()
            .into_iter()
            .chain(echoes().into_iter().step_by(ECHO_STRIDE))
            .chain(slow_readers().into_iter().step_by(ECHO_STRIDE))
            .chain(questions().into_iter().step_by(ECHO_STRIDE))
            .chain(matrix().into_iter().step_by(STRIDE))
            .collect(),
    }
}

fn case() -> Case {
    Case {
        we_open: true,
        v6: false,
        sizes: [300_000, 200_000],
        weather: CLEAN,
        mtu: 1500,
        kernel_buffer: None,
        config: patient(),
        far: Far::Both,
        near: Near::Bulk,
    }
}

fn matrix() -> Vec<Case> {
    let mut cases = Vec::new();
    for (window, kernel_buffer, most, in_storm) in WINDOWS {
        for (v6, mtu) in MTUS {
            for disturbance in DISTURBANCES {
                for lost in LOSSES {
                    for size in SIZES {
                        for we_open in [true, false] {
                            let sizes = [size.min(if lost < STORM { most } else { in_storm }); 2];
                            let weather = Weather {
                                lost,
                                ..disturbance
                            };
                            let config = Config {
                                window,
                                ..patient()
                            };
                            cases.push(Case {
                                we_open,
                                v6,
                                sizes,
                                weather,
                                mtu,
                                kernel_buffer,
                                config,
                                far: Far::Both,
                                near: Near::Bulk,
                            });
                        }
                    }
                }
            }
        }
    }
    cases
}

/// Settings of ours, each over a link with some of everything, in either role.
fn settings() -> Vec<Case> {
    let rows: &[fn(&mut Config)] = &[
        |c| c.sack = false,
        |c| c.timestamps = false,
        |c| (c.sack, c.timestamps) = (false, false),
        |c| c.wscale = crafty_stack::tcp::WindowScale::Off,
        |c| (c.ecn, c.nagle, c.delayed_ack) = (true, false, false),
        |c| c.cc = &congestion::new_reno::CONTROL,
        |c| c.options = Some(Vec::new()),
    ];
    let weather = Weather {
        lost: 20,
        swapped: 50,
        doubled: 20,
    };
    let mut cases = vec![Case {
        sizes: [5_000_000; 2],
        ..case()
    }];
    for (n, change) in rows.iter().enumerate() {
        let mut config = patient();
        change(&mut config);
        cases.extend([true, false].map(|we_open| Case {
            we_open,
            v6: n % 2 == 1,
            weather,
            config: config.clone(),
            ..case()
        }));
    }
    cases
}

/// Both directions of a stream at once: what we send comes back, over every kind of weather and
/// with windows that close.
fn echoes() -> Vec<Case> {
    let mut cases = Vec::new();
    for (window, kernel_buffer) in [(1 << 20, None), (1 << 20, Some(20_000)), (3000, Some(4096))] {
        for far in [Far::Echo, Far::SlowEcho] {
            for (lost, swapped) in [(0, 0), (20, 0), (100, 0), (STORM, 0), (20, 100)] {
                let size = match (window, lost) {
                    (_, STORM) => 20_000,
                    (3000, _) => 30_000,
                    _ => 300_000,
                };
                cases.extend([true, false].map(|we_open| Case {
                    we_open,
                    sizes: [size; 2],
                    weather: Weather {
                        lost,
                        swapped,
                        ..CLEAN
                    },
                    kernel_buffer,
                    config: Config {
                        window,
                        ..patient()
                    },
                    far,
                    ..case()
                }));
            }
        }
    }
    cases
}

/// Loss and reordering per thousand, under which both directions are loaded.
const LOADED: [(u64, u64); 4] = [(0, 0), (20, 0), (100, 0), (20, 100)];

fn under_load(make: impl Fn(Case) -> Case) -> Vec<Case> {
    let mut cases = Vec::new();
    for (lost, swapped) in LOADED {
        cases.extend([true, false].map(|we_open| {
            make(Case {
                we_open,
                weather: Weather {
                    lost,
                    swapped,
                    ..CLEAN
                },
                ..case()
            })
        }));
    }
    cases
}

/// Our program reads slowly, and the kernel's may too: both windows close.
fn slow_readers() -> Vec<Case> {
    let mut cases = Vec::new();
    for (window, kernel_buffer) in [(1 << 16, None), (6000, None), (3000, Some(4096))] {
        for far in [Far::Both, Far::Echo, Far::SlowEcho] {
            cases.extend(under_load(|case| Case {
                sizes: [if window < 1 << 16 { 30_000 } else { 200_000 }; 2],
                kernel_buffer,
                config: Config {
                    window,
                    ..patient()
                },
                far,
                near: Near::Slow(3000, Duration::millis(10)),
                ..case
            }));
        }
    }
    cases
}

/// Question and answer, short and long, one after the other.
fn questions() -> Vec<Case> {
    let mut cases = Vec::new();
    for message in [200, 5000] {
        for far in [Far::Echo, Far::SlowEcho] {
            cases.extend(under_load(|case| Case {
                sizes: [message * 20; 2],
                far,
                near: Near::Asks(message),
                ..case
            }));
        }
    }
    cases
}

/// 100 MB, clean and not, one way and the other.
fn large() -> Vec<Case> {
    let size = 100_000_000;
    let mut cases = Vec::new();
    for lost in [0, 10] {
        for sizes in [[size, 0], [0, size], [size, size]] {
            cases.push(Case {
                sizes,
                weather: Weather { lost, ..CLEAN },
                ..case()
            });
        }
    }
    cases
}
