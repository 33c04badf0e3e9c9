//! Who did it and where: threads, names and lines of the source.

use super::Scene;
use crate::orders::schedule_name;
use execution::backend::Difference;
use report::{Excerpt, Sources};
use simulator::{Place, Schedule};
use std::path::PathBuf;
use system::text;

/// "thread 3 of block 0", "thread (3, 1, 0) of block (0, 2, 0)".
pub fn who(place: &Place) -> String {
    let index = |[x, y, z]: [u32; 3]| if y == 0 && z == 0 { x.to_string() } else { format!("({x}, {y}, {z})") };
    format!("thread {} of block {}", index(place.thread), index(place.block))
}

/// An object's name in the source, between backticks: `tile` for `_ZZ4turnPKfPfiE4tile`.
pub fn name(name: &str) -> String {
    // The compiler's name for all local arrays of a function together.
    if name.starts_with("__local_depot") {
        return "the local arrays".to_owned();
    }
    // `a` would be read as the code of a type.
    let mangled = Some(name).filter(|name| name.starts_with("_Z"));
    let demangled =
        mangled.and_then(|name| cpp_demangle::Symbol::new(name).ok()).and_then(|symbol| symbol.demangle().ok());
    format!("`{}`", demangled.as_deref().and_then(|text| text.rsplit("::").next()).unwrap_or(name))
}

/// The file a place belongs to: the kernel file if it has the name that the compiler got.
fn file(place: &Place, scene: &Scene<'_>) -> PathBuf {
    if place.file.is_empty() || place.file == text::source_name(scene.file) {
        scene.file.to_path_buf()
    } else {
        PathBuf::from(&place.file)
    }
}

/// Where the first element that differs got its value, under the one order and under the other.
pub(super) fn last_writers(
    difference: &Difference,
    orders: [Schedule; 2],
    scene: &Scene<'_>,
    sources: &mut Sources,
) -> Vec<Excerpt> {
    let Difference { name, index, writers, .. } = difference;
    let [first, second] = writers;
    let same = first
        .as_ref()
        .zip(second.as_ref())
        .is_some_and(|(a, b)| (&a.file, a.line, a.block, a.thread) == (&b.file, b.line, b.block, b.thread));
    let one = |(place, order): (&Option<Place>, &Schedule)| {
        let place = place.as_ref()?;
        let under = if same { "both".to_owned() } else { schedule_name(order) };
        excerpt(place, &format!("writes {name}[{index}] last, under {under}: {}", who(place)), scene, sources)
    };
    let shown = if same { 1 } else { 2 };
    writers.iter().zip(&orders).take(shown).filter_map(one).collect()
}

pub(super) fn excerpt(place: &Place, label: &str, scene: &Scene<'_>, sources: &mut Sources) -> Option<Excerpt> {
    (place.line > 0).then(|| sources.excerpt(&file(place, scene), place.line, None, label))
}
