//! Platforms that grade, and what each needs beside the workbook.

/// A platform that grades one submission at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// A zip for its autograder.
    Gradescope,
    /// A question's folder.
    PrairieLearn,
    /// A script and an image.
    Classroom50,
    /// A makefile and an image.
    Autolab,
    /// A script and an image.
    Vpl,
}

impl Platform {
    /// All of them by their names on a command line.
    pub const ALL: [(&str, Self); 5] = [
        ("gradescope", Self::Gradescope),
        ("prairielearn", Self::PrairieLearn),
        ("classroom50", Self::Classroom50),
        ("autolab", Self::Autolab),
        ("vpl", Self::Vpl),
    ];

    /// Its templates: path, text, executable.
    pub(super) fn templates(self) -> &'static [(&'static str, &'static str, bool)] {
        macro_rules! template {
            ($path:literal, $file:literal, $executable:literal) => {
                ($path, include_str!(concat!("../../templates/", $file)), $executable)
            };
        }
        const CONTAINER: (&str, &str, bool) = template!("Containerfile", "Containerfile", false);
        match self {
            Self::Gradescope => &[
                template!("setup.sh", "gradescope/setup.sh", true),
                template!("run_autograder", "gradescope/run_autograder", true),
            ],
            Self::PrairieLearn => &[
                CONTAINER,
                template!("info.json", "prairielearn/info.json", false),
                template!("question.html", "prairielearn/question.html", false),
                template!("tests/run.sh", "prairielearn/tests/run.sh", true),
            ],
            Self::Classroom50 => &[CONTAINER, template!("grade.sh", "classroom50/grade.sh", true)],
            Self::Autolab => &[CONTAINER, template!("autograde-Makefile", "autolab/autograde-Makefile", false)],
            Self::Vpl => &[CONTAINER, template!("vpl_evaluate.sh", "vpl/vpl_evaluate.sh", true)],
        }
    }

    /// What its image needs besides Python, as a line of the container file.
    pub(super) fn packages(self) -> &'static str {
        match self {
            Self::Autolab => {
                "RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*\n"
            }
            _ => "",
        }
    }
}
