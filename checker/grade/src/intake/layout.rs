//! Who handed in what, read off the names of folders and files as Moodle, Canvas, Gradescope and people lay them out.

use super::{A_FOLDER, Hints, Listed, Passed, Student, Without};
use std::collections::{BTreeMap, BTreeSet};

/// A kernel file that belongs to somebody.
pub struct Kernel {
    /// Its number among the listed.
    pub index: usize,
    /// Who.
    pub student: Student,
    /// For what.
    pub exercise: String,
    /// Why it is not read.
    pub refused: Option<String>,
}

/// What was found.
#[derive(Default)]
pub struct Found {
    /// Kernels.
    pub kernels: Vec<Kernel>,
    /// Files that look like kernels and belong to nobody.
    pub passed_over: Vec<Passed>,
    /// Of whom there are files, and nothing could be taken: the number of one among the listed, and why.
    pub without: Vec<(usize, Without)>,
    /// The folder around everything that is nobody's name, if there is one.
    pub around: Option<String>,
}

/// Folders of the workbook, in which a student's own may lie.
const WORKBOOK: [&str; 3] = ["exercises", "src", "submission"];
/// Folders in which nothing is handed in.
const ASIDE: [&str; 6] = ["solutions", "kernels", "mine", "mutants", "styles", "target"];
/// What lies beside students' folders and is nobody's.
const BESIDE: [&str; 10] = [".md", ".csv", ".json", ".yml", ".yaml", ".toml", ".html", ".sh", ".log", ".cuh"];
/// Files that every student has and nobody hands in.
const GIVEN: [&str; 2] = ["starter.cu", "reference.cu"];

/// Why nothing is handed in where a file lies, or as what it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    /// A program put it beside people's files: it is no try of anybody's.
    Program,
    /// It, or a folder around it, is hidden.
    Hidden,
    /// In one of [`ASIDE`].
    Folder,
}

impl Aside {
    fn of(path: &[String]) -> Option<Self> {
        let any = |is: &dyn Fn(&str) -> bool| path.iter().any(|part| is(part));
        if any(&|part| part == ".git" || part.eq_ignore_ascii_case("__macosx")) {
            Some(Self::Program)
        } else if any(&|part| part.starts_with('.')) {
            Some(Self::Hidden)
        } else {
            any(&|part| ASIDE.contains(&part.to_lowercase().as_str())).then_some(Self::Folder)
        }
    }
}

/// Reads the names. `wrapped`: a folder around all of it is the archive's own.
pub fn assign(listed: &[Listed], hints: &Hints, wrapped: bool) -> Found {
    let exercises = Exercises { hints };
    let skip = if wrapped { wrapper(listed, &exercises) } else { 0 };
    let wraps = |file: &Listed| file.path.first().filter(|_| skip > 0 && hints.student.is_none()).cloned();
    let mut found = Found { around: listed.iter().find_map(wraps), ..Found::default() };
    let mut by_owner: BTreeMap<(Student, String), Vec<Kernel>> = BTreeMap::new();
    let mut others = Others::default();
    for (index, file) in listed.iter().enumerate() {
        if file.path.is_empty() {
            let why = file.refused.clone().unwrap_or_default();
            found.passed_over.push(Passed { file: "an entry without a name of its own".to_owned(), why });
            continue;
        }
        let Some(path) = file.path.get(skip..).filter(|path| !path.is_empty()) else { continue };
        let aside = Aside::of(path);
        let given = path.last().is_some_and(|name| GIVEN.contains(&name.to_lowercase().as_str()));
        let is_folder = file.refused.as_deref() == Some(A_FOLDER);
        if aside == Some(Aside::Hidden) && !given && !is_folder && file.ends_with(".cu") {
            found.passed_over.push(Passed { file: file.name(), why: HIDDEN.to_owned() });
            continue;
        }
        if aside.is_some() || given || !file.ends_with(".cu") || is_folder {
            others.see(path, (index, file), &exercises);
            continue;
        }
        match owner(path, file.in_archive, &exercises) {
            Ok((student, exercise)) => {
                others.known.insert(student.clone());
                let key = (student.clone(), exercise.clone());
                let kernel = Kernel { index, student, exercise, refused: file.refused.clone() };
                by_owner.entry(key).or_default().push(kernel);
            }
            Err(why) => {
                if let Some(student) = whose(path, file.in_archive, &exercises) {
                    if hints.student.is_none() && !(path.len() == 1 && is_kernel(&path[0])) {
                        let why = format!("{}: {why}", file.name());
                        found.without.push((index, Without { student: student.clone(), why }));
                    }
                    others.known.insert(student);
                }
                found.passed_over.push(Passed { file: file.name(), why });
            }
        }
    }
    for (index, without) in others.without_kernels() {
        found.passed_over.push(Passed { file: without.student.to_string(), why: without.why.clone() });
        found.without.push((index, without));
    }
    let mut told: BTreeSet<Student> = by_owner.keys().map(|(student, _)| student.clone()).collect();
    found.without.retain(|(_, without)| told.insert(without.student.clone()));
    for (_, mut kernels) in by_owner {
        let name = |kernel: &Kernel| listed.get(kernel.index).map(Listed::name).unwrap_or_default();
        if kernels.len() > 1 && kernels.iter().any(|kernel| is_kernel(&name(kernel))) {
            kernels.retain(|kernel| is_kernel(&name(kernel)));
        }
        // Canvas keeps what somebody handed in before; where everything is one student's, nobody but he gave these names.
        let tries = |kernel: &Kernel| hints.student.is_none() && canvas(&listed[kernel.index].path).is_some();
        if kernels.len() > 1 && !kernels.iter().all(tries) {
            let names: Vec<String> = kernels.iter().take(4).map(name).collect();
            kernels.truncate(1);
            kernels[0].refused =
                Some(format!("several files could be it: {}; hand in one, called kernel.cu", names.join(", ")));
        }
        found.kernels.append(&mut kernels);
    }
    found
}

/// Students of whom there are files, and perhaps no kernel among them: nobody gets lost without a word.
#[derive(Default)]
struct Others {
    /// Of whom something was taken, or is named as passed over.
    known: BTreeSet<Student>,
    /// The first files of the others, and the number of the first of all.
    files: BTreeMap<Student, (usize, Vec<String>)>,
}

impl Others {
    /// A file that is no kernel, or lies where none is looked for.
    fn see(&mut self, path: &[String], (index, file): (usize, &Listed), exercises: &Exercises<'_>) {
        let apart = matches!(Aside::of(path), Some(Aside::Program | Aside::Hidden));
        let loose = path.len() == 1 && BESIDE.iter().any(|end| file.ends_with(end));
        if apart || loose || exercises.hints.student.is_some() {
            return;
        }
        if let Some(student) = whose(path, file.in_archive, exercises) {
            let why = file.refused.as_ref().filter(|why| *why != A_FOLDER);
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            let (_, files) = self.files.entry(student).or_insert((index, Vec::new()));
            if files.len() < 4 && file.refused.as_deref() != Some(A_FOLDER) {
                files.push(file.name() + &why);
            }
        }
    }

    fn without_kernels(self) -> impl Iterator<Item = (usize, Without)> {
        let Self { known, files } = self;
        files.into_iter().filter(move |(student, _)| !known.contains(student)).map(|(student, (index, files))| {
            let why = match files.is_empty() {
                true => "no kernel file (*.cu)".to_owned(),
                false => format!("no kernel file (*.cu) that is taken; there is {}", files.join(", ")),
            };
            (index, Without { student, why })
        })
    }
}

/// The student whose file it is, as far as its folders, or its own name, say.
fn whose(path: &[String], in_archive: bool, exercises: &Exercises<'_>) -> Option<Student> {
    let (name, folders) = path.split_last()?;
    if let Some((student, _)) = canvas(path) {
        return Some(student);
    }
    let student = match person(folders, in_archive, exercises) {
        Some(student) => student,
        None => Student::named(exercises.without(name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem))),
    };
    Some(student).filter(|student| !student.name.trim().is_empty() && exercises.named(&student.name).is_none())
}

/// The student that folders are called after.
fn person(folders: &[String], in_archive: bool, exercises: &Exercises<'_>) -> Option<Student> {
    let folder = folders.iter().find(|folder| !exercises.is_called(folder) && !is_workbook(folder))?;
    // Canvas gives an archive such a name, as any other file.
    let canvas = || canvas(std::slice::from_ref(folder)).filter(|_| in_archive).map(|(student, _)| student);
    Some(platform(folder).or_else(canvas).unwrap_or_else(|| Student::named(folder)))
}

fn is_kernel(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("kernel.cu"))
}

/// Folders around everything that are nobody's name.
fn wrapper(listed: &[Listed], exercises: &Exercises<'_>) -> usize {
    let paths: Vec<&[String]> = listed
        .iter()
        .filter(|file| {
            file.refused.is_none() && !file.path.iter().any(|part| part.starts_with('.') || part == "__MACOSX")
        })
        .map(|file| file.path.as_slice())
        .collect();
    let Some(first) = paths.first() else { return 0 };
    let mut depth = 0;
    while let Some(part) = first.get(depth) {
        let shared = paths.iter().all(|path| path.len() > depth + 1 && path.get(depth) == Some(part));
        // What lies below is a student's, and no part of the workbook or a kernel itself.
        let people = paths.iter().all(|path| {
            path.get(depth + 1).is_some_and(|below| {
                let folder = path.len() > depth + 2 && exercises.named(below).is_none() && !is_workbook(below);
                folder
                    || canvas(&path[depth + 1..]).is_some()
                    || path.len() == depth + 2 && exercises.hints.exercise.is_some() && !is_kernel(below)
            })
        });
        if !(shared && people && platform(part).is_none()) {
            break;
        }
        depth += 1;
    }
    depth
}

fn is_workbook(part: &str) -> bool {
    WORKBOOK.contains(&part.to_lowercase().as_str())
}

/// A file's student and exercise.
fn owner(path: &[String], in_archive: bool, exercises: &Exercises<'_>) -> Result<(Student, String), String> {
    let (name, folders) = path.split_last().ok_or("it has no name")?;
    if let Some(unknown) = path.iter().find_map(|part| exercises.unknown(part)) {
        return Err(unknown);
    }
    let stem = name.get(..name.len().saturating_sub(3)).unwrap_or(name);
    if let Some((student, rest)) = canvas(path).filter(|_| exercises.hints.student.is_none()) {
        let exercise = exercises.within(&rest).or_else(|| exercises.usual());
        return Ok((student, exercise.ok_or(NO_EXERCISE)?));
    }
    let named = folders.iter().rev().find_map(|folder| exercises.named(folder));
    let own = exercises.named(stem);
    // A folder's name says it more plainly than a part of the file's.
    let archive = || folders.first().filter(|_| in_archive).and_then(|folder| exercises.within(folder));
    let exercise = own.clone().or(named).or_else(|| exercises.within(stem)).or_else(archive);
    let exercise = exercise.or_else(|| exercises.usual());
    let exercise = exercise.ok_or(NO_EXERCISE)?;
    let student = match (&exercises.hints.student, person(folders, in_archive, exercises)) {
        (Some(only), _) => only.clone(),
        (None, Some(student)) => student,
        // `ex03/alice.cu`, `alice_ex03.cu`, `alice.cu`.
        (None, None) if own.is_none() && !is_kernel(name) => Student::named(exercises.without(stem)),
        (None, None) => return Err(NOBODY.to_owned()),
    };
    if student.name.trim().is_empty() { Err(NOBODY.to_owned()) } else { Ok((student, exercise)) }
}

const HIDDEN: &str = "hidden file, not taken";
const NO_EXERCISE: &str = "no exercise is named: put it in a folder exNN, or say --exercise exNN";
const NOBODY: &str = "no student is named: a folder per student, or a file called after each";

/// Folders that platforms make: Moodle's `Jane Doe_4711_assignsubmission_file_`, Gradescope's `submission_4711`.
fn platform(folder: &str) -> Option<Student> {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(id) = folder.strip_prefix("submission_").filter(|id| number(id)) {
        return Some(Student { name: folder.to_owned(), id: Some(id.to_owned()) });
    }
    // The last one is the platform's: before it stands what a person chose to be called.
    let (who, _) = folder.rsplit_once("_assignsubmission_")?;
    let (name, id) = who.rsplit_once('_').filter(|(_, id)| number(id))?;
    Some(Student { name: name.to_owned(), id: Some(id.to_owned()) })
}

/// Canvas's files lie in no folder: `doejane_4711_815_kernel.cu`, `doejane_LATE_4711_815_kernel-1.cu`. The rest of the name is what
/// the student called it.
fn canvas(path: &[String]) -> Option<(Student, String)> {
    let [name] = path else { return None };
    let number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = name.split('_');
    let who = parts.next().filter(|who| !who.is_empty())?;
    let mut id = parts.next()?;
    if id == "LATE" {
        id = parts.next()?;
    }
    let (id, _) = (Some(id).filter(number)?, parts.next().filter(number)?);
    let rest: Vec<&str> = parts.collect();
    let rest = rest.join("_");
    (!rest.is_empty()).then(|| (Student { name: who.to_owned(), id: Some(id.to_owned()) }, rest))
}

/// The exercises that there are.
struct Exercises<'a> {
    hints: &'a Hints,
}

impl Exercises<'_> {
    /// The one that a folder or a file's stem is called after, in any case: ex03, ex3.
    fn named(&self, part: &str) -> Option<String> {
        let part = part.to_lowercase();
        let number = |name: &str| name.strip_prefix("ex")?.parse::<u32>().ok();
        let of_number = number(&part).and_then(|n| self.hints.exercises.iter().find(|name| number(name) == Some(n)));
        self.hints.exercises.iter().find(|name| **name == part).or(of_number).cloned()
    }

    /// That a name says an exercise which there is not: nothing of it is taken for another one.
    fn unknown(&self, part: &str) -> Option<String> {
        let called = |word: &&str| {
            let digits = word.to_lowercase().strip_prefix("ex").map(str::to_owned).unwrap_or_default();
            (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let words: Vec<&str> = part.split(|c: char| !c.is_alphanumeric()).filter(called).collect();
        let none = words.iter().all(|word| self.named(word).is_none());
        let word = words.first().filter(|_| none)?;
        let near = problem::nearest(&word.to_lowercase(), self.hints.exercises.iter().map(String::as_str));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Some(format!("there is no exercise {word}{near}"))
    }

    /// The one that a part of a name says: `alice_ex03`.
    fn within(&self, text: &str) -> Option<String> {
        text.split(|c: char| !c.is_alphanumeric()).find_map(|word| self.named(word))
    }

    /// Does it say an exercise, be it one that there is not?
    fn is_called(&self, part: &str) -> bool {
        self.named(part).is_some() || self.unknown(part).is_some()
    }

    /// A name without that part.
    fn without(&self, text: &str) -> String {
        let words: Vec<&str> = text.split(['_', '-', ' ', '.']).collect();
        match words.iter().any(|word| self.is_called(word)) {
            true => {
                let rest: Vec<&str> =
                    words.into_iter().filter(|word| !self.is_called(word) && *word != "kernel").collect();
                rest.join("_")
            }
            false => text.to_owned(),
        }
    }

    fn usual(&self) -> Option<String> {
        self.hints.exercise.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(files: &[&str], exercise: Option<&str>, wrapped: bool) -> Vec<String> {
        let hints = Hints {
            exercise: exercise.map(str::to_owned),
            exercises: vec!["ex01".into(), "ex12".into()],
            ..Hints::default()
        };
        let listed: Vec<Listed> = files
            .iter()
            .map(|file| Listed { path: file.split('/').map(str::to_owned).collect(), ..Listed::default() })
            .collect();
        let found = assign(&listed, &hints, wrapped);
        let kernels = found.kernels.iter().map(|kernel| match &kernel.refused {
            None => format!("{} {} {}", kernel.student, kernel.exercise, files[kernel.index]),
            Some(why) => format!("{} {} refused: {why}", kernel.student, kernel.exercise),
        });
        kernels.chain(found.passed_over.iter().map(|passed| format!("- {} {}", passed.file, passed.why))).collect()
    }

    #[test]
    fn folders_of_people() {
        let files =
            ["alice/ex01/kernel.cu", "alice/exercises/ex12/kernel.cu", "alice/exercises/ex12/starter.cu", "bob/EX1.cu"];
        assert_eq!(
            assigned(&files, None, false),
            ["alice ex01 alice/ex01/kernel.cu", "alice ex12 alice/exercises/ex12/kernel.cu", "bob ex01 bob/EX1.cu"]
        );
        assert_eq!(
            assigned(&["alice/mine.cu", "bob/kernel.cu", "bob/old.cu"], Some("ex01"), false),
            ["alice ex01 alice/mine.cu", "bob ex01 bob/kernel.cu"]
        );
    }

    #[test]
    fn files_of_people() {
        assert_eq!(
            assigned(&["alice_ex01.cu", "ex12/bob.cu", "carol-ex1-kernel.cu"], None, false),
            ["alice ex01 alice_ex01.cu", "bob ex12 ex12/bob.cu", "carol ex01 carol-ex1-kernel.cu"]
        );
        assert_eq!(assigned(&["alice.cu"], Some("ex01"), false), ["alice ex01 alice.cu"]);
    }

    #[test]
    fn layouts_of_platforms() {
        let moodle =
            ["Jane Doe_4711_assignsubmission_file_/kernel.cu", "Jane Doe_4712_assignsubmission_file/kernel.cu"];
        assert_eq!(
            assigned(&moodle, Some("ex01"), true),
            [
                "Jane Doe (4711) ex01 Jane Doe_4711_assignsubmission_file_/kernel.cu",
                "Jane Doe (4712) ex01 Jane Doe_4712_assignsubmission_file/kernel.cu"
            ]
        );
        let canvas = ["doejane_11_22_kernel.cu", "doejane_LATE_11_23_kernel-1.cu", "roe_12_24_ex12.cu"];
        assert_eq!(
            assigned(&canvas, Some("ex01"), true),
            [
                "doejane (11) ex01 doejane_11_22_kernel.cu",
                "doejane (11) ex01 doejane_LATE_11_23_kernel-1.cu",
                "roe (12) ex12 roe_12_24_ex12.cu"
            ]
        );
        let gradescope = ["assignment_1_export/submission_7/kernel.cu", "assignment_1_export/submission_8/ex12.cu"];
        assert_eq!(
            assigned(&gradescope, Some("ex01"), true),
            [
                "submission_7 (7) ex01 assignment_1_export/submission_7/kernel.cu",
                "submission_8 (8) ex12 assignment_1_export/submission_8/ex12.cu"
            ]
        );
    }

    #[test]
    fn a_folder_around_everything_is_nobodys_name_but_the_only_student_is() {
        assert_eq!(
            assigned(&["hw1/alice/ex01/kernel.cu", "hw1/bob/ex01/kernel.cu"], None, true),
            ["alice ex01 hw1/alice/ex01/kernel.cu", "bob ex01 hw1/bob/ex01/kernel.cu"]
        );
        assert_eq!(assigned(&["alice/ex01/kernel.cu"], None, true), ["alice ex01 alice/ex01/kernel.cu"]);
        assert_eq!(
            assigned(&["alice/exercises/ex01/kernel.cu"], None, true),
            ["alice ex01 alice/exercises/ex01/kernel.cu"]
        );
    }

    #[test]
    fn who_handed_in_nothing_that_is_taken_is_known() {
        let files = [
            "ada/ex01/kernel.cu",
            "ada/notes.txt",
            "bob/readme.md",
            "cyd/mine.cu",
            "dan/ex99/kernel.cu",
            "dan/ex99/old.cu",
            "ex99/eve.cu",
            "gus_ex77.cu",
            "fay/ex01/kernel.cu.txt",
            "kernel.cu",
        ];
        let path = |file: &str| file.split('/').map(str::to_owned).collect();
        let listed = files.map(|file| Listed { path: path(file), ..Listed::default() });
        let hints = Hints { exercises: vec!["ex01".into()], ..Hints::default() };
        let told = |hints: &Hints| {
            let without = assign(&listed, hints, false).without;
            without.into_iter().map(|(index, told)| format!("{} {}", told.student, files[index])).collect::<Vec<_>>()
        };
        let all = [
            "cyd cyd/mine.cu",
            "dan dan/ex99/kernel.cu",
            "eve ex99/eve.cu",
            "gus gus_ex77.cu",
            "bob bob/readme.md",
            "fay fay/ex01/kernel.cu.txt",
        ];
        assert_eq!(told(&hints), all);
        assert_eq!(told(&Hints { student: Some(Student::named("ada")), ..hints }), Vec::<String>::new());
    }

    #[test]
    fn what_belongs_to_nobody_is_said() {
        let found =
            assigned(&["kernel.cu", "alice/mine.cu", "alice/.git/ex01.cu", "__MACOSX/alice/ex01.cu"], None, false);
        assert_eq!(found, [format!("- kernel.cu {NO_EXERCISE}"), format!("- alice/mine.cu {NO_EXERCISE}")]);
        assert_eq!(assigned(&["kernel.cu"], Some("ex01"), false), [format!("- kernel.cu {NOBODY}")]);
        let hidden = [".ada/ex01/kernel.cu", "bob/.hidden/ex01/kernel.cu", "carl/ex01/.kernel.cu", "dora/.ex01.cu"];
        assert_eq!(assigned(&hidden, None, false), hidden.map(|file| format!("- {file} {HIDDEN}")));
        // What nobody hands in is nothing to be said of, hidden or not.
        let silent = [".ada/ex01/starter.cu", "bob/.DS_Store", "carl/.git/a/b.cu", "__MACOSX/dora/._ex01.cu"];
        assert_eq!(assigned(&silent, None, false), Vec::<String>::new());
        assert_eq!(
            assigned(&["alice/a.cu", "alice/b.cu"], Some("ex01"), false),
            ["alice ex01 refused: several files could be it: alice/a.cu, alice/b.cu; hand in one, called kernel.cu"]
        );
    }
}
