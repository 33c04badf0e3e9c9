//! Sums of counters over the ways on which the same thing can be done. A bound on one way only moves work to another.

use super::Counters;

/// Declares the sums once: the enum, the table.
macro_rules! sums {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal = $formula:literal, $of:expr;)*) => {
        /// A sum of counters.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Sum {
            $($(#[doc = $doc])+ #[doc = concat!("\n\n`", $formula, "`")] $variant,)*
        }

        impl Sum {
            /// All of them, in order.
            pub const ALL: &[Sum] = &[$(Sum::$variant,)*];

            /// Its name in goals and in JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Its formula over [`Counters`].
            pub fn formula(self) -> &'static str {
                match self {
                    $(Self::$variant => $formula,)*
                }
            }

            /// Its value.
            pub fn of(self, counters: &Counters) -> u64 {
                let of: fn(&Counters) -> u64 = match self {
                    $(Self::$variant => $of,)*
                };
                of(counters)
            }
        }
    };
}

sums! {
    /// Sectors that global memory hands to lanes, by whatever instruction.
    GlobalReadSectors "global_read_sectors"
        = "global_load_sectors + global_atomic_return_sectors",
        |c| c.global_load_sectors + c.global_atomic_return_sectors;
    /// Sectors of global memory touched in either direction: an atomic whose old value is used counts twice.
    GlobalSectors "global_sectors"
        = "global_load_sectors + global_store_sectors + global_atomic_sectors + global_atomic_return_sectors",
        |c| {
            c.global_load_sectors + c.global_store_sectors + c.global_atomic_sectors + c.global_atomic_return_sectors
        };
    /// Requests to global memory of all kinds.
    GlobalRequests "global_requests"
        = "global_load_requests + global_store_requests + global_atomic_requests",
        |c| c.global_load_requests + c.global_store_requests + c.global_atomic_requests;
    /// Passes over the banks of shared memory; an atomic is at least one for reading and one for writing.
    SharedWavefronts "shared_wavefronts"
        = "shared_load_wavefronts + shared_store_wavefronts + 2 shared_atomic_requests",
        |c| c.shared_load_wavefronts + c.shared_store_wavefronts + 2 * c.shared_atomic_requests;
    /// Lanes' atomics on global and shared memory.
    Atomics "atomics"
        = "global_atomics + shared_atomics",
        |c| c.global_atomics + c.shared_atomics;
    /// Sectors of local loads and stores.
    LocalSectors "local_sectors"
        = "local_load_sectors + local_store_sectors",
        |c| c.local_load_sectors + c.local_store_sectors;
    /// Lane slots in which nothing was done: unlike a quotient it does not shrink when full warps do useless work.
    IdleLanes "idle_lanes"
        = "32 instructions - thread_instructions",
        |c| (32 * c.instructions).saturating_sub(c.thread_instructions);
}

impl Sum {
    /// By its name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|sum| sum.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sum_is_what_its_formula_says() {
        // Every counter a power of two of its own, so that no two sums of few of them are alike.
        let counters = Counters {
            instructions: 1 << 20,
            thread_instructions: 1,
            global_load_requests: 1 << 1,
            global_load_sectors: 1 << 2,
            global_store_requests: 1 << 3,
            global_store_sectors: 1 << 4,
            global_atomic_requests: 1 << 5,
            global_atomic_sectors: 1 << 6,
            global_atomic_return_sectors: 1 << 7,
            global_atomics: 1 << 8,
            shared_load_wavefronts: 1 << 9,
            shared_store_wavefronts: 1 << 10,
            shared_atomic_requests: 1 << 11,
            shared_atomics: 1 << 12,
            local_load_sectors: 1 << 13,
            local_store_sectors: 1 << 14,
            ..Counters::default()
        };
        for &sum in Sum::ALL {
            let mut by_hand = 0i64;
            let mut sign = 1;
            let mut words = sum.formula().split(' ').peekable();
            while let Some(word) = words.next() {
                match word {
                    "+" => sign = 1,
                    "-" => sign = -1,
                    _ => {
                        let (factor, name) = match word.parse::<i64>() {
                            Ok(factor) => (factor, words.next().expect("a counter after its factor")),
                            Err(_) => (1, word),
                        };
                        by_hand += sign * factor * counters.get(name).expect(name) as i64;
                    }
                }
            }
            assert_eq!(sum.of(&counters) as i64, by_hand, "{}", sum.name());
            assert_eq!(Sum::by_name(sum.name()), Some(sum));
            assert!(counters.get(sum.name()).is_none() && super::super::Ratio::by_name(sum.name()).is_none());
        }
    }
}
