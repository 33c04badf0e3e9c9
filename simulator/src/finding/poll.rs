//! Who goes round a loop that waits for memory.

use super::MemoryLocation;
use serde::{Deserialize, Serialize};

/// Lanes that go round a loop until some memory changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Poll {
    /// "lane 3 of warp 0".
    pub lanes: String,
    /// There are several of them.
    pub several: bool,
    /// Where it polls: "line 12"; where nothing is polled, a line of the loop.
    pub line: String,
    /// What it polls; `None` for a loop that reads nothing that others change.
    pub location: Option<MemoryLocation>,
    /// Who changed that last, and where: "lane 0 of warp 1 changed last, in line 7".
    pub last_change: Option<String>,
    /// Why the phase of an `mbarrier` does not end, where it polls one: "still wants 1 arrival and 512 bytes".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
}

impl Poll {
    /// In words; `location` says what a location is called.
    pub fn say(&self, location: impl Fn(&MemoryLocation) -> String) -> String {
        let Self { lanes, several, line, .. } = self;
        let (goes, polls) = if *several { ("go", "poll") } else { ("goes", "polls") };
        let Some(polled) = &self.location else {
            return format!("{lanes} {goes} round a loop in {line} that changes nothing");
        };
        let change = self.last_change.as_ref().map_or_else(String::new, |change| format!(", which {change}"));
        let lacks = self.lacks.as_ref().map_or_else(String::new, |lacks| format!(", an mbarrier whose phase {lacks}"));
        format!("{lanes} {goes} round a loop in {line} and {polls} {}{lacks}{change}", location(polled))
    }
}
