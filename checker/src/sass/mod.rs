//! Machine code as evidence: typed listing, control fields, statistics, diff, resources, occupancy.
