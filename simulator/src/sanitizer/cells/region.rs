//! Something for every stretch of announced global memory, found by address.

/// A stretch of memory and what is kept for it.
#[derive(Debug)]
pub struct CellRegion<T> {
    /// First address.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
    /// What is kept.
    pub data: T,
}

/// Regions by address. Accesses come in runs to the same region, so the last hit is tried first.
#[derive(Debug)]
pub struct Regions<T> {
    sorted: Vec<CellRegion<T>>,
    last: usize,
}

impl<T> Default for Regions<T> {
    fn default() -> Self {
        Self { sorted: Vec::new(), last: 0 }
    }
}

impl<T> Regions<T> {
    /// The same regions, with something else kept for each: made of what is kept here, and there for a region with that address.
    #[cfg(feature = "threads")]
    pub fn like<U>(&self, old: Regions<U>, mut of: impl FnMut(&T, Option<U>) -> U) -> Regions<U> {
        let mut old = old.sorted.into_iter().peekable();
        let one = |region: &CellRegion<T>| {
            while old.next_if(|old| old.base < region.base).is_some() {}
            let same = old.next_if(|old| old.base == region.base).map(|old| old.data);
            CellRegion { base: region.base, bytes: region.bytes, data: of(&region.data, same) }
        };
        Regions { sorted: self.sorted.iter().map(one).collect(), last: 0 }
    }

    /// What is kept, region by region.
    #[cfg(feature = "threads")]
    pub fn each(&self) -> impl Iterator<Item = &T> {
        self.sorted.iter().map(|region| &region.data)
    }

    /// What is kept for each region, and what others keep for the same one.
    #[cfg(feature = "threads")]
    pub fn beside<'a, U>(&'a mut self, others: &'a Regions<U>) -> impl Iterator<Item = (&'a mut T, &'a U)> {
        self.sorted.iter_mut().map(|region| &mut region.data).zip(others.sorted.iter().map(|region| &region.data))
    }

    /// Adds a region; it overlaps no other.
    pub fn add(&mut self, base: u64, bytes: u64, data: T) {
        let at = self.sorted.partition_point(|region| region.base < base);
        self.sorted.insert(at, CellRegion { base, bytes, data });
    }

    /// The region that holds `address`.
    #[inline]
    pub fn find(&mut self, address: u64) -> Option<&mut CellRegion<T>> {
        let holds = |region: &CellRegion<T>| address.wrapping_sub(region.base) < region.bytes;
        if !self.sorted.get(self.last).is_some_and(holds) {
            let after = self.sorted.partition_point(|region| region.base <= address);
            self.last = after.checked_sub(1).filter(|at| holds(&self.sorted[*at]))?;
        }
        self.sorted.get_mut(self.last)
    }
}
