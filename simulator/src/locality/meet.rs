//! Atomics and who meets whom.

use super::Meeting;
use crate::random::ByNumber;

/// Atomics of a block on one space.
#[derive(Default)]
pub(super) struct Atomics {
    requests: u64,
    lanes: u64,
    serial: u64,
    in_bank: u64,
    places_in_bank: u64,
    /// Lanes and requests by address.
    places: ByNumber<[u64; 2]>,
}

impl Atomics {
    /// A request with the lanes' addresses, ascending.
    pub(super) fn add(&mut self, addresses: &[u64]) {
        self.requests += 1;
        self.lanes += addresses.len() as u64;
        let mut most = 0;
        let mut banks = [[0u64; 2]; 32];
        for same in addresses.chunk_by(|a, b| a == b) {
            let lanes = same.len() as u64;
            most = most.max(lanes);
            let [all, requests] = self.places.entry(same[0]).or_default();
            *all += lanes;
            *requests += 1;
            let bank = &mut banks[(same[0] / 4 % 32) as usize];
            *bank = [bank[0] + lanes, bank[1] + 1];
        }
        self.serial += most;
        self.in_bank += banks.iter().map(|bank| bank[0]).max().unwrap_or(0);
        self.places_in_bank += banks.iter().map(|bank| bank[1]).max().unwrap_or(0);
    }

    /// Lanes and requests of the address that has most; of equals the lowest, so that the answer does not hang on a hash.
    fn hottest(&self) -> Option<([u64; 2], u64)> {
        let most = self.places.iter().map(|(at, n)| (*n, std::cmp::Reverse(*at))).max();
        most.map(|(n, at)| (n, at.0))
    }
}

/// What two blocks come to, the first and the one after it; `far`: one elsewhere.
pub(super) fn meeting([first, second, far]: &[Atomics; 3], global: bool) -> Meeting {
    let mut meeting =
        Meeting { requests: first.requests, lanes: first.lanes, serial: first.serial, ..Meeting::default() };
    if !global {
        (meeting.in_bank, meeting.places_in_bank) = (first.in_bank, first.places_in_bank);
    }
    if let Some(([lanes, requests], at)) = first.hottest() {
        meeting.hottest = lanes;
        meeting.hottest_requests = requests;
        meeting.addresses = first.places.len() as u64;
        meeting.shared = global && second.places.contains_key(&at);
        let meets = |at: u64| global && far.places.contains_key(&at);
        meeting.far = [meets(at), second.hottest().is_some_and(|(_, at)| meets(at))];
    }
    meeting
}
