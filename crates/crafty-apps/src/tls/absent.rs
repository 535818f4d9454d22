//! Replaces TLS in a build without it.

use super::TlsRequest;
use crate::failure::{FailureCause, SessionFailure};
use core::convert::Infallible;
use crafty_value::{Duration, Time, Value};

/// Sessions that no build without TLS has.
#[derive(Clone, Debug, Default)]
pub struct SessionCache;

/// A session that no build without TLS has.
#[derive(Debug)]
pub struct TlsClient(Infallible);

impl TlsClient {
    /// Fails.
    pub fn new(_: TlsRequest) -> Result<TlsClient, SessionFailure> {
        Err(SessionFailure::new(
            FailureCause::Missing,
            "this build has no TLS: build it with the feature `tls`",
        ))
    }

    /// See the other build.
    pub fn handle_up(&mut self, _: Time) {
        match self.0 {}
    }

    /// See the other build.
    pub fn handle_data(&mut self, _: Time, _: &[u8]) -> Result<Vec<u8>, SessionFailure> {
        match self.0 {}
    }

    /// See the other build.
    pub fn handle_end(&mut self) -> Result<(), SessionFailure> {
        match self.0 {}
    }

    /// See the other build.
    pub fn is_closed(&self) -> bool {
        match self.0 {}
    }

    /// See the other build.
    pub fn poll_timeout(&self) -> Option<Time> {
        match self.0 {}
    }

    /// See the other build.
    pub fn handle_timeout(&mut self, _: Time) -> Result<(), SessionFailure> {
        match self.0 {}
    }

    /// See the other build.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        match self.0 {}
    }

    /// See the other build.
    pub fn send(&mut self, _: &[u8]) {
        match self.0 {}
    }

    /// See the other build.
    pub fn close(&mut self) {
        match self.0 {}
    }

    /// See the other build.
    pub fn is_up(&self) -> bool {
        match self.0 {}
    }

    /// See the other build.
    pub fn chosen(&self) -> Option<String> {
        match self.0 {}
    }

    /// See the other build.
    pub fn patience(&self) -> Duration {
        match self.0 {}
    }

    /// See the other build.
    pub fn secrets(&mut self) -> String {
        match self.0 {}
    }

    /// See the other build.
    pub fn counter(&self, _: &str) -> Option<Value> {
        match self.0 {}
    }
}
