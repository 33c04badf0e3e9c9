//! How far grading is, on a terminal: a bar with an estimate.

use command::Context;
use grade::run::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use system::interrupt;

/// The bar; gone when dropped.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    /// Where one may be drawn.
    pub fn new(context: &Context) -> Self {
        if !context.animate() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("  {bar:30} {pos} of {len}, {eta} left  {msg}") {
            bar.set_style(style);
        }
        interrupt::cursor_hidden(true);
        Self(Some(bar))
    }

    /// Moves on.
    pub fn hear(&self, event: Event<'_>) {
        let Some(bar) = &self.0 else { return };
        match event {
            Event::Begins(checks) => bar.set_length(checks as u64),
            Event::Graded(grade) => {
                bar.set_message(system::text::line(&format!("{} {}", grade.student, grade.exercise)).into_owned());
                if bar.length().is_some() {
                    bar.inc(1);
                }
            }
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
            interrupt::cursor_hidden(false);
        }
    }
}
