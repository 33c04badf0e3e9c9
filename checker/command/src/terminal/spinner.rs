//! One quiet line on stderr that says what is being done, and how much of it where that is known, on a terminal and only when it takes
//! a moment.

use crate::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Mutex;
use std::time::Duration;
use system::interrupt;

/// Nothing is drawn before this: most checks are done by then.
const PATIENCE: Duration = Duration::from_millis(250);

/// The line; gone when dropped.
#[derive(Debug)]
pub struct Spinner {
    bar: Option<ProgressBar>,
    colour: bool,
    what: std::sync::Arc<Mutex<Option<String>>>,
}

impl Spinner {
    /// Starts it, where it may be drawn.
    pub fn new(context: &Context) -> Self {
        let what = std::sync::Arc::new(Mutex::new(Some(String::new())));
        if !context.animate() {
            return Self { bar: None, colour: false, what };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let template = if context.face.colour { "  {spinner:.cyan} {msg:.dim}" } else { "  {spinner} {msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let (later, shared) = (bar.clone(), what.clone());
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if let Ok(what) = shared.lock()
                && let Some(text) = what.as_ref()
            {
                interrupt::cursor_hidden(true);
                later.set_message(text.clone());
                later.enable_steady_tick(Duration::from_millis(100));
            }
        });
        Self { bar: Some(bar), colour: context.face.colour, what }
    }

    /// Shows how much of the work is done, and the words.
    pub fn step(&self, done: usize, of: usize, text: &str) {
        if let Some(bar) = &self.bar {
            if bar.length().is_none() {
                let template = if self.colour {
                    "  {bar:24.cyan/dim} {pos}/{len} {msg:.dim}"
                } else {
                    "  {bar:24} {pos}/{len} {msg}"
                };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    bar.set_style(style);
                }
            }
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        }
        self.say(text);
    }

    /// Changes the words.
    pub fn say(&self, text: &str) {
        if let (Some(bar), Ok(mut what)) = (&self.bar, self.what.lock()) {
            let text = system::text::line(text).into_owned();
            *what = Some(text.clone());
            bar.set_message(text);
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Ok(mut what) = self.what.lock() {
            *what = None;
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            interrupt::cursor_hidden(false);
        }
    }
}
