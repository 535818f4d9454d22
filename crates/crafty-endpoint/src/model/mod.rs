//! The model, asked over HTTP when no handler has answered: as often as its ceiling allows, for as long as
//! its time allows, and believed no more than any other handler.

mod formats;
mod prompt;
mod schema;
mod server;
mod talk;

#[cfg(test)]
pub use server::PostError;
pub use server::{HttpServer, ModelServer};
pub use talk::{ModelFailure, ModelTalk};

use crate::action::{AnswerLink, EndpointAction};
use crate::handlers::{AskedEvent, Waker};
use crate::option::{EndpointOptions, Escalation, ModelApi};
use crafty_run::Time;
use crafty_value::Duration;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Calls on their way at a time: a server that is slower than its ceiling does not make a crowd of
/// threads.
const MAX_CALLS: usize = 16;
/// What the ceiling counts in.
const MINUTE: Duration = Duration::seconds(60);

/// What is known of the model before it is asked.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// How it is asked.
    pub api: ModelApi,
    /// Its name.
    pub name: String,
    /// How long it may take for a packet.
    pub timeout: Duration,
    /// Most tokens of an answer.
    pub max_tokens: u32,
    /// What it is to do.
    pub instruction: Option<String>,
    /// Where its answers go.
    pub link: AnswerLink,
}

/// What the model said of an event.
pub type ModelAnswer = (AskedEvent, Result<Vec<EndpointAction>, ModelFailure>);

/// Who asks the model.
pub struct ModelDesk {
    settings: ModelSettings,
    server: Arc<dyn ModelServer>,
    ceiling: Ceiling,
    /// Events that are asked about now.
    asked: Vec<AskedEvent>,
    said: (Sender<ModelAnswer>, Receiver<ModelAnswer>),
    waker: Waker,
}

impl ModelDesk {
    /// A desk, if the options allow that a model is asked.
    pub fn new(
        options: &EndpointOptions,
        server: Arc<dyn ModelServer>,
        link: AnswerLink,
        waker: Waker,
    ) -> Option<ModelDesk> {
        let name = options.model_name.clone()?;
        let may = options.llm_escalation == Escalation::Unhandled && options.llm_max_per_minute > 0;
        may.then(|| ModelDesk {
            settings: ModelSettings {
                api: options.model_api,
                name,
                timeout: options.model_timeout,
                max_tokens: options.model_max_tokens,
                instruction: options.model_instruction.clone(),
                link,
            },
            server,
            ceiling: Ceiling::new(options.llm_max_per_minute as usize),
            asked: Vec::new(),
            said: channel(),
            waker,
        })
    }

    /// Asks about an event, on a thread of its own.
    ///
    /// # Errors
    /// When the ceiling is reached: why.
    pub fn ask(&mut self, asked: &AskedEvent, now: Time) -> Result<(), &'static str> {
        if self.asked.len() >= MAX_CALLS {
            return Err("16 calls are on their way already");
        }
        if !self.ceiling.take(now) {
            return Err("the calls of this minute are used up");
        }
        self.asked.push(asked.clone());
        let asked = asked.clone();
        let talk = ModelTalk {
            settings: self.settings.clone(),
            server: Arc::clone(&self.server),
            ceiling: self.ceiling.clone(),
        };
        let (said, waker) = (self.said.0.clone(), self.waker.clone());
        std::thread::spawn(move || {
            let answer = talk.about(&asked.event, now);
            // Without a listener the run is over.
            let _ = said.send((asked, answer));
            waker.wake();
        });
        Ok(())
    }

    /// The next answer.
    pub fn poll(&mut self) -> Option<ModelAnswer> {
        let (asked, answer) = self.said.1.try_recv().ok()?;
        self.asked.retain(|known| known.number != asked.number);
        Some((asked, answer))
    }

    /// The events that it is still asked about.
    pub fn give_up(&mut self) -> Vec<AskedEvent> {
        std::mem::take(&mut self.asked)
    }

    /// How often the model was asked, repairs included.
    pub fn calls(&self) -> u64 {
        self.ceiling.calls()
    }
}

/// How often the model may be asked in any minute. Clones share one count.
#[derive(Clone, Debug)]
pub struct Ceiling {
    most: usize,
    taken: Arc<Mutex<(VecDeque<Time>, u64)>>,
}

impl Ceiling {
    /// So many calls in any minute.
    pub fn new(most: usize) -> Ceiling {
        Ceiling {
            most,
            taken: Arc::default(),
        }
    }

    /// Takes a call, if the minute that ends now has room for it.
    pub fn take(&self, now: Time) -> bool {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let (times, calls) = &mut *taken;
        while times
            .pop_front_if(|time| time.after(MINUTE) <= now)
            .is_some()
        {}
        if times.len() >= self.most {
            return false;
        }
        times.push_back(now);
        *calls += 1;
        true
    }

    fn calls(&self) -> u64 {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}

#[cfg(test)]
mod tests;
