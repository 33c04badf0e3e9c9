//! Which access of a warp a picture shows.

use super::Wish;
use simulator::observe::{AccessKind, Space};
use simulator::trace::{Event, What};

/// One access: lanes with their addresses, bytes per lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// Bytes per lane.
    pub bytes: u32,
    /// Lanes and what they ask for, by lane.
    pub lanes: Vec<(u32, u64)>,
}

impl Access {
    /// Of an event, if it is one in the space.
    pub fn of(event: &Event, wanted: Space) -> Option<Self> {
        let What::Memory { space, kind, bytes, addresses } = &event.what else { return None };
        let lanes = (0..32).filter(|lane| event.lanes >> lane & 1 != 0).zip(addresses.iter().copied());
        (*space == wanted).then(|| Self { kind: *kind, bytes: *bytes, lanes: lanes.collect() })
    }

    /// "load".
    pub const fn word(&self) -> &'static str {
        match self.kind {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        }
    }

    /// Bytes that its lanes ask for together.
    pub fn asked(&self) -> u64 {
        u64::from(self.bytes) * self.lanes.len() as u64
    }
}

/// The access that is wished for, and its event.
pub fn pick(
    events: &[Event],
    space: Space,
    wish: Wish,
    cost: impl Fn(&Access) -> u64,
) -> Result<(Access, &Event), String> {
    let found = events.iter().filter_map(|event| Some((Access::of(event, space)?, event)));
    let mut found: Vec<_> = found.filter(|(access, _)| wish.kind.is_none_or(|kind| kind == access.kind)).collect();
    let none = || format!("the warp makes no such access to {} memory", name(space));
    if let Some(number) = wish.pick {
        return if (1..=found.len()).contains(&number) { Ok(found.swap_remove(number - 1)) } else { Err(none()) };
    }
    let most = found.iter().map(|(access, _)| cost(access)).max();
    found.into_iter().find(|(access, _)| Some(cost(access)) == most).ok_or_else(none)
}

/// "shared".
pub const fn name(space: Space) -> &'static str {
    match space {
        Space::Global => "global",
        Space::Shared => "shared",
        Space::Local => "local",
    }
}
