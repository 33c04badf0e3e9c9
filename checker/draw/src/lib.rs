//! Pictures of one access of a warp, made of what a run recorded: the book's build draws them, and its pages draw them anew when
//! a reader moves a slider.

mod access;
mod banks;
mod ink;
mod sectors;

pub use access::Access;
pub use ink::{Anchor, Ink, WIDTH, number, runs};

use report::Traced;
use serde::{Deserialize, Serialize};
use simulator::observe::{AccessKind, Space};
use simulator::trace::Event;

/// Which access a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// Banks of shared memory, or sectors of global memory.
    pub of: Of,
    /// Only loads, stores or atomics.
    #[serde(default)]
    pub kind: Option<AccessKind>,
    /// Which of these, from 1; else the one that costs most, of these the first.
    #[serde(default)]
    pub pick: Option<usize>,
}

/// What a picture sorts lanes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Banks of shared memory.
    Banks,
    /// Sectors of global memory.
    Sectors,
}

/// A picture and what stands under it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// An `svg` element.
    pub svg: String,
    /// "turn, line 13, load of 4 bytes per lane in “...”: 32 passes".
    pub caption: String,
}

/// Draws the access that is wished for. `id` names the picture's parts on its page, `file` is for who cannot see it.
///
/// # Errors
/// The warp makes no such access, in a sentence.
pub fn picture(wish: Wish, traced: &Traced, file: &str, id: &str) -> Result<Picture, String> {
    let events = &traced.trace.events;
    match wish.of {
        Of::Banks => {
            let cost = |access: &Access| banks::Banks::of(access).passes as u64;
            let (access, event) = access::pick(events, Space::Shared, wish, cost)?;
            let banks = banks::Banks::of(&access);
            let caption = format!("{}: {}", place(traced, &access, event), banks::passes(banks.passes));
            Ok(Picture { svg: banks.draw(id, &format!("Lanes by banks in {file}, {caption}")), caption })
        }
        Of::Sectors => {
            let cost = |access: &Access| sectors::Sectors::of(access).sectors.len() as u64;
            let (access, event) = access::pick(events, Space::Global, wish, cost)?;
            let sectors = sectors::Sectors::of(&access);
            let caption = format!(
                "{}: {} bytes asked for, {} fetched, {:.0} % used",
                place(traced, &access, event),
                access.asked(),
                sectors.fetched(),
                sectors.share()
            );
            Ok(Picture { svg: sectors.draw(id, &format!("Lanes by sectors in {file}, {caption}")), caption })
        }
    }
}

/// "turn, line 12, load of 4 bytes per lane in “s[left] += s[left + k]”".
fn place(traced: &Traced, access: &Access, event: &Event) -> String {
    let at = event.place as usize;
    let line = traced.trace.places.get(at).map_or(0, |place| place.line);
    let text = traced.texts.get(at).map_or("", |text| text.trim());
    format!(
        "{}, line {line}, {} of {} bytes per lane in “{}”",
        traced.kernel,
        access.word(),
        access.bytes,
        text.trim_end_matches(';')
    )
}
