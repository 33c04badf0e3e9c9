//! Bad input: mutated programs are parsed and launched under every kind of schedule. No panic, no hang, no memory beyond a
//! limit. A fixed number of inputs, the same each time; `simulator/fuzz` lets a coverage-guided fuzzer search on.

mod corpus;
mod mutate;
mod shares;
mod trial;

use trial::Outcome;

/// Mutated texts that are tried.
const INPUTS: u64 = 2500;
/// Longest of them, in bytes.
const LONGEST: usize = 64 << 10;

#[test]
fn corpus_runs() {
    let corpus = corpus::committed();
    assert!(corpus.len() > 20);
    let mut sum = Outcome::default();
    for (index, text) in corpus.iter().enumerate() {
        sum.add(trial::run(text, index as u64));
    }
    assert!(sum.finished > corpus.len() as u64, "the corpus is of programs that run: {sum:?}");
}

#[test]
#[ignore = "long"]
fn mutated_programs_do_no_harm() {
    let corpus = corpus::committed();
    let mut random = mutate::Random(1);
    let (mut sum, mut failed) = (Outcome::default(), Vec::new());
    for input in 0..INPUTS {
        let (text, other) = (&corpus[random.below(corpus.len())], &corpus[random.below(corpus.len())]);
        let seed = random.next();
        let mutant = mutate::mutate(text, other, seed, LONGEST);
        match std::panic::catch_unwind(|| trial::run(&mutant, seed)) {
            Ok(outcome) => sum.add(outcome),
            Err(_) => {
                let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant{input}.ptx"));
                std::fs::write(&file, &mutant).expect("a file");
                failed.push(format!("input {input}, seed {seed:#x}: {}", file.display()));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    println!("{INPUTS} inputs: {sum:?}");
    // The mutations are neither too wild nor too tame.
    assert!(sum.parsed > INPUTS / 4 && sum.parsed < INPUTS, "{sum:?}");
    assert!(sum.finished > INPUTS / 2 && sum.stopped > INPUTS / 2 && sum.refused > 0, "{sum:?}");
}
