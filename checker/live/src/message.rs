//! What goes into linear memory and comes out: JSON both ways.
//!
//! 1. `live_input` makes room for a message and says where; the message is `{"kernel": Kernel, "ask": Ask}`,
//!    or without `kernel` where it is that of the call before.
//! 2. `live_run` answers and returns the answer's length.
//! 3. `live_output` says where the answer lies: `{"told": Shown}` or `{"error": "..."}`.

use crate::{Ask, Kernel, RunAnswer, run};
use execution::backend::sim::Modules;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    kernel: Option<Kernel>,
    #[serde(default)]
    ask: Ask,
}

/// A page's side of the module: the kernel that is asked about, and what was parsed.
#[derive(Default)]
pub struct Desk {
    kernel: Option<Kernel>,
    modules: Modules,
}

impl Desk {
    /// Message to answer.
    pub fn answer(&mut self, message: &[u8]) -> Vec<u8> {
        let answer = self.read(message).unwrap_or_else(RunAnswer::Error);
        // Maps in a report have texts as keys, so this cannot fail.
        serde_json::to_vec(&answer).unwrap_or_default()
    }

    fn read(&mut self, message: &[u8]) -> Result<RunAnswer, String> {
        let message: Message = serde_json::from_slice(message).map_err(|error| format!("the message: {error}"))?;
        if let Some(kernel) = message.kernel {
            self.kernel = Some(kernel);
        }
        let kernel = self.kernel.as_ref().ok_or("no kernel was sent")?;
        Ok(run::answer(kernel, &message.ask, &self.modules))
    }
}
