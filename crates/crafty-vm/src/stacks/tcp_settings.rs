//! How a `TCP!` block opens its connections: its options in the terms of the stack.

use crate::stacks::error::BlockError;
use crate::stacks::open_block::TcpSettings;
use crate::stacks::options::BlockOptions;
use crafty_lang::eval::show::shown;
use crafty_stack::tcp::{self, Config, WindowScale, congestion};
use crafty_value::{Duration, Value};

/// The value of an option does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unfit;

/// The settings of a block, whose segments may have `room` bytes of payload.
pub(crate) fn settings(options: &BlockOptions, room: u32) -> Result<TcpSettings, BlockError> {
    let mut config = Config {
        mss: u16::try_from(room).unwrap_or(u16::MAX),
        ..Config::default()
    };
    for (name, value) in options.iter() {
        configure(&mut config, name, value).map_err(|Unfit| BlockError::InvalidOption {
            name,
            value: shown(value),
        })?;
    }
    Ok(TcpSettings {
        config,
        isn: options.int("isn").map(|n| n as u64 as u32),
        listen: options.is_true("listen"),
        stall: options.duration("stall"),
    })
}

fn configure(config: &mut Config, name: &str, value: &Value) -> Result<(), Unfit> {
    match (name, value) {
        ("timeout", Value::Duration(d)) => config.timeout = *d,
        ("close", Value::Duration(d)) => config.close = *d,
        ("mss", Value::Int(n)) => config.mss = number(*n)?,
        ("window", Value::Int(n)) => config.window = number(*n)?,
        ("wscale", Value::Int(-1)) => config.wscale = WindowScale::Off,
        ("wscale", Value::Int(n @ 0..=14)) => config.wscale = WindowScale::Shift(*n as u8),
        ("wscale", _) => return Err(Unfit),
        ("sack", Value::Bool(b)) => config.sack = *b,
        ("timestamps", Value::Bool(b)) => config.timestamps = *b,
        ("ecn", Value::Bool(b)) => config.ecn = *b,
        ("cc", Value::Str(name)) => config.cc = congestion::control(name).ok_or(Unfit)?,
        ("keep_alive", Value::Duration(d)) => {
            config.keep_alive = Some(*d).filter(|d| *d > Duration::ZERO)
        }
        ("give_up", Value::Duration(d)) => config.give_up = *d,
        ("hystart", Value::Bool(b)) => config.hystart = *b,
        ("probing", Value::Bool(b)) => config.mtu_probing = *b,
        ("options", Value::Bytes(bytes)) if bytes.len() <= tcp::options::ROOM => {
            config.options = Some(bytes.to_vec())
        }
        ("options", _) => return Err(Unfit),
        ("nagle", Value::Bool(b)) => config.nagle = *b,
        ("delayed_ack", Value::Duration(d)) => {
            (config.delayed_ack, config.ack_delay) = (*d > Duration::ZERO, *d)
        }
        ("initial_window", Value::Int(n)) => config.initial_window = number(*n)?,
        _ => {}
    }
    Ok(())
}

fn number<T: TryFrom<i64>>(n: i64) -> Result<T, Unfit> {
    T::try_from(n).map_err(|_| Unfit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crafty_lang::ir::DrivenKind;

    #[test]
    fn the_defaults_of_the_rows_are_those_of_the_stack() {
        let settings = settings(&BlockOptions::defaults(DrivenKind::Tcp), 1460);
        let config = settings.expect("defaults fit").config;
        let stack = Config {
            mss: 1460,
            ..Config::default()
        };
        assert_eq!(format!("{config:?}"), format!("{stack:?}"));
    }

    #[test]
    fn a_value_that_does_not_fit_names_its_option() {
        for (name, value) in [
            ("mss", Value::Int(70_000)),
            ("window", Value::Int(-1)),
            ("wscale", Value::Int(15)),
            ("cc", Value::text("reno")),
            ("options", Value::bytes(vec![1; 41])),
        ] {
            let mut options = BlockOptions::default();
            options.set(name, value);
            let error = settings(&options, 1460).expect_err(name);
            assert!(
                matches!(&error, BlockError::InvalidOption { name: of, .. } if *of == name),
                "{error}"
            );
        }
    }
}
