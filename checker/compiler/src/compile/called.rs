//! What the compiler calls a source. NVRTC's choices depend on where things lie in its memory, and that on a name's bytes: with
//! another name the same text may become other machine code (17 or 19 loads of local memory in ex31's starter). So all sources go by
//! one name, and a kernel that nobody has changed is its starter, instruction by instruction.

use super::CompileRequest;
use std::borrow::Cow;
use system::text::source_name;

/// The name that nearly all go by.
const USUAL: &str = "kernel.cu";

/// By these a text says what its file is called, which is then to be what its owner calls it.
const TELLING: [&str; 6] = ["__FILE__", "__BASE_FILE__", "__builtin_FILE", "source_location", "assert", "ASSERT"];

/// What the compiler calls a request's source.
pub(super) fn called(request: &CompileRequest) -> String {
    let tells = |text: &str| TELLING.iter().any(|word| text.contains(word));
    let beside = |(name, text): &(String, String)| name.rsplit('/').next() == Some(USUAL) || tells(text);
    if tells(&request.source) || request.headers.iter().any(beside) { source_name(&request.file) } else { USUAL.into() }
}

/// PTX with a file's own name where the compiler was told another.
pub(super) fn renamed(ptx: String, called: &str, own: &str) -> String {
    if called == own {
        return ptx;
    }
    let end = format!(" \"{called}\"\n");
    let line = |line| match str::strip_suffix(line, &end).filter(|before| before.trim_start().starts_with(".file")) {
        Some(before) => Cow::Owned(format!("{before} \"{own}\"\n")),
        None => Cow::Borrowed(line),
    };
    ptx.split_inclusive('\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> CompileRequest {
        CompileRequest::new("folder/mine.cu", text.as_bytes(), "sm_90").unwrap()
    }

    #[test]
    fn only_who_tells_its_name_has_its_own() {
        assert_eq!(called(&request("__global__ void k() {}")), "kernel.cu");
        assert_eq!(called(&request("__global__ void k() { assert(false); }")), "mine.cu");
        let beside = |name: &str, text: &str| CompileRequest {
            headers: vec![(name.to_owned(), text.to_owned())],
            ..request("__global__ void k() {}")
        };
        assert_eq!(called(&beside("a.cuh", "")), "kernel.cu");
        assert_eq!(called(&beside("a.cuh", "#define HERE __FILE__")), "mine.cu");
        assert_eq!(called(&beside("parts/kernel.cu", "")), "mine.cu");
    }

    #[test]
    fn only_the_table_of_files_is_renamed() {
        let ptx = "// \"kernel.cu\"\n\t.file\t1 \"kernel.cu\"\n\t.file\t2 \"a.h\"\n";
        let own = "// \"kernel.cu\"\n\t.file\t1 \"mine.cu\"\n\t.file\t2 \"a.h\"\n";
        assert_eq!(renamed(ptx.to_owned(), "kernel.cu", "mine.cu"), own);
    }
}
