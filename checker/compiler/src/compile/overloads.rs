//! Kernels whose names other functions have too, CUDA's own (`max`, `norm`, `pow`) or the file's: which one is launched.

use super::CompileRequest;
use crate::own::items::{Item, What, items};
use crate::own::lexer::{Kind, Token, tokens};
use crate::own::macros::Macros;

/// How the compiler's message begins when a name is that of several functions.
pub const SEVERAL: &str = "cannot determine which instance of overloaded function";

/// Expressions for the kernels of which a log says so, where the file has one kernel of that name; nothing if there are none.
pub fn chosen(request: &CompileRequest, log: &str) -> Option<Vec<String>> {
    if !log.contains(SEVERAL) {
        return None;
    }
    let mut macros = Macros::default();
    let texts = || std::iter::once(&request.source).chain(request.headers.iter().map(|(_, text)| text));
    texts().for_each(|text| macros.add(&tokens(text)));
    let all: Vec<(&String, Vec<Item>)> = texts().map(|text| (text, items(text, &tokens(text), &macros))).collect();
    let expression = |kernel: &String| {
        let mut of = all.iter().flat_map(|(text, items)| items.iter().filter_map(|item| pointer(item, text, kernel)));
        let one = of.next().filter(|_| of.next().is_none() && log.contains(&format!("{SEVERAL} \"{kernel}\"")));
        one.unwrap_or_else(|| kernel.clone())
    };
    let expressions: Vec<String> = request.kernels.iter().map(expression).collect();
    (expressions != request.kernels).then_some(expressions)
}

/// The kernel's address as that of a function of its own parameters, if it is the definition of one of that name.
fn pointer(item: &Item, text: &str, kernel: &str) -> Option<String> {
    let What::Function { parameters, .. } = &item.what else { return None };
    let named = item.name == kernel || item.name.ends_with(&format!("::{kernel}"));
    let defined = text.get(item.span.clone())?.ends_with('}');
    if !named || !defined || !item.space.global || item.template.is_some() {
        return None;
    }
    let all = tokens(text.get(parameters.clone())?);
    let types = without_defaults(&all)?;
    Some(format!("static_cast<void (*)({types})>({kernel})"))
}

/// The parameters without what a function's type cannot have.
fn without_defaults(all: &[Token]) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    let (mut depth, mut default) = (0_i32, false);
    for token in all {
        // Of two branches nobody knows which one holds.
        (token.kind != Kind::Directive).then_some(())?;
        depth += i32::from(["(", "[", "{", "<"].iter().any(|open| token.is(open)));
        depth -= i32::from([")", "]", "}", ">"].iter().any(|close| token.is(close)));
        default = (default || token.is("=")) && !(depth == 0 && token.is(","));
        if !default && !token.is("__grid_constant__") {
            words.push(token.text);
        }
    }
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::{SEVERAL, chosen};
    use crate::compile::CompileRequest;

    fn expressions(text: &str, kernels: &[&str]) -> Option<Vec<String>> {
        let request = CompileRequest::new("k.cu", text.as_bytes(), "sm_90").unwrap().kernels(kernels.iter().copied());
        let log: String = kernels.iter().map(|kernel| format!("{SEVERAL} \"{kernel}\" is intended\n")).collect();
        assert_eq!(chosen(&request, ""), None);
        chosen(&request, &log)
    }

    #[test]
    fn the_files_only_kernel_of_a_name_is_chosen() {
        let text = "__global__ void max(const float *a, float *__restrict__ c, int n = 3, float2 v = {1, 2}, int m);\n\
                    __global__ void max(const float *a, /* c */ float *__restrict__ c, int n, float2 v, int m) { }\n\
                    __device__ void max(int) { } template <class T> __global__ void max(T t) { }\n\
                    namespace ops { __global__ void pow(const __grid_constant__ int x = f(1, 2), int y = 3) { } }\n";
        assert_eq!(
            expressions(text, &["max", "ops::pow"]).unwrap(),
            [
                "static_cast<void (*)(const float * a , float * __restrict__ c , int n , float2 v , int m)>(max)",
                "static_cast<void (*)(const int x , int y)>(ops::pow)"
            ]
        );
    }

    #[test]
    fn of_several_or_none_nothing_is_chosen() {
        assert_eq!(expressions("__global__ void add(float *a) { } __global__ void add(int *a) { }", &["add"]), None);
        assert_eq!(expressions("__global__ void add(\n#if A\nint *a\n#endif\n) { }", &["add"]), None);
        assert_eq!(expressions("__global__ void add(float *a);", &["add", "max"]), None);
    }
}
