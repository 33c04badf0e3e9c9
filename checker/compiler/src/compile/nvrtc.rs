//! The only place that calls NVRTC. Everything above it is safe code.
//!
//! cudarc finds `libnvrtc.so` on the loader's path; the parent process puts a link to the chosen library first there.
#![allow(unsafe_code)]

use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;

/// Loads NVRTC and, beforehand, its builtins library: NVRTC 13.0 does not find the latter by itself, and in the
/// sandbox nothing more can be loaded.
///
/// # Errors
/// A text saying which library could not be loaded.
pub fn load(library: &Path) -> Result<(), String> {
    let open = |path: &Path| unsafe { libloading::Library::new(path) };
    for entry in library.parent().and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let builtins =
            name.to_str().is_some_and(|name| name.starts_with("libnvrtc-builtins.so") && !name.contains(".alt"));
        if builtins && let Ok(library) = open(&entry.path()) {
            std::mem::forget(library);
        }
    }
    match open(library) {
        Ok(library) => std::mem::forget(library),
        Err(error) => return Err(error.to_string()),
    }
    if unsafe { sys::is_culib_present() } { Ok(()) } else { Err("libnvrtc.so is not on the loader's path".to_owned()) }
}

/// Sets the size of the memory that a precompiled header lives in. Returns where NVRTC itself lies: headers hold addresses,
/// and are for processes with the same ones. `None` from an NVRTC that has no such headers.
pub fn reserve_header(library: &Path, bytes: usize) -> Option<usize> {
    let library = unsafe { libloading::Library::new(library) }.ok()?;
    // The type is that of NVRTC's own header file.
    let set: unsafe extern "C" fn(usize) -> sys::nvrtcResult =
        *unsafe { library.get(b"nvrtcSetPCHHeapSize\0") }.ok()?;
    // The function stays where it is.
    std::mem::forget(library);
    check(unsafe { set(bytes) }).ok()?;
    Some(set as *const () as usize)
}

/// NVRTC's version, as (major, minor).
pub fn version() -> Result<(u32, u32), String> {
    let (mut major, mut minor) = (0, 0);
    check(unsafe { sys::nvrtcVersion(&mut major, &mut minor) })?;
    Ok((major.max(0) as u32, minor.max(0) as u32))
}

/// Compute capabilities that NVRTC compiles for, times ten, ascending.
pub fn supported_archs() -> Result<Vec<u32>, String> {
    let mut count: c_int = 0;
    check(unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) })?;
    let mut archs = vec![0 as c_int; count.max(0) as usize];
    check(unsafe { sys::nvrtcGetSupportedArchs(archs.as_mut_ptr()) })?;
    Ok(archs.into_iter().map(|arch| arch.max(0) as u32).collect())
}

fn check(status: sys::nvrtcResult) -> Result<(), String> {
    status.result().map_err(|error| format!("{error:?}"))
}

/// How a compilation ended.
pub enum Outcome {
    /// PTX, CUBIN and the lowered names, in the order of the name expressions.
    Done {
        /// PTX text.
        ptx: String,
        /// The machine code's ELF file.
        cubin: Vec<u8>,
        /// Lowered names.
        names: Vec<String>,
    },
    /// The source does not compile; the log says why.
    Rejected,
    /// NVRTC gave up: its own words.
    Failed(String),
}

/// Compiles one source.
///
/// # Errors
/// A text, when NVRTC refuses the call itself. The compiler's log comes with every outcome.
pub fn compile(
    source: &str,
    name: &str,
    headers: &[(&str, &str)],
    options: &[String],
    expressions: &[String],
) -> Result<(Outcome, String), String> {
    let text = |text: &str| CString::new(text).map_err(|_| "a text holds a NUL byte".to_owned());
    let source = text(source)?;
    let name = text(name)?;
    let contents = headers.iter().map(|(_, content)| text(content)).collect::<Result<Vec<_>, _>>()?;
    let include_names = headers.iter().map(|(name, _)| text(name)).collect::<Result<Vec<_>, _>>()?;
    let expressions = expressions.iter().map(|expression| text(expression)).collect::<Result<Vec<_>, _>>()?;
    if options.iter().any(|option| option.contains('\0')) {
        return Err("an option holds a NUL byte".to_owned());
    }
    let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).collect::<Vec<*const c_char>>();
    let (content_pointers, name_pointers) = (pointers(&contents), pointers(&include_names));
    let mut program: sys::nvrtcProgram = std::ptr::null_mut();
    // The arrays outlive the call, and NVRTC copies what it keeps.
    check(unsafe {
        sys::nvrtcCreateProgram(
            &mut program,
            source.as_ptr(),
            name.as_ptr(),
            headers.len() as c_int,
            content_pointers.as_ptr(),
            name_pointers.as_ptr(),
        )
    })?;
    for expression in &expressions {
        check(unsafe { sys::nvrtcAddNameExpression(program, expression.as_ptr()) })?;
    }
    let status = unsafe { result::compile_program(program, options) };
    let mut log = unsafe { result::get_program_log(program) }.map(|log| bytes_to_text(&log)).unwrap_or_default();
    let outcome = match status {
        Ok(()) => {
            let ptx = unsafe { result::get_ptx(program) }.map_err(|error| format!("{error:?}"))?;
            let names =
                expressions.iter().map(|expression| lowered_name(program, expression)).collect::<Result<_, _>>()?;
            Outcome::Done { ptx: bytes_to_text(&ptx), cubin: cubin(program)?, names }
        }
        Err(result::NvrtcError(sys::nvrtcResult::NVRTC_ERROR_COMPILATION)) => {
            // What the assembler refused is still there to be read.
            let ptx = unsafe { result::get_ptx(program) }.map(|ptx| bytes_to_text(&ptx)).unwrap_or_default();
            log = super::ptxas::locate(&log, &ptx, &name.to_string_lossy());
            Outcome::Rejected
        }
        Err(error) => Outcome::Failed(format!("{error:?}")),
    };
    // The process ends after one compilation; destroying the program would only take time.
    Ok((outcome, log))
}

fn lowered_name(program: sys::nvrtcProgram, expression: &CStr) -> Result<String, String> {
    let mut lowered: *const c_char = std::ptr::null();
    check(unsafe { sys::nvrtcGetLoweredName(program, expression.as_ptr(), &mut lowered) })?;
    if lowered.is_null() {
        return Err(format!("no lowered name for {expression:?}"));
    }
    // NVRTC owns the text until the program is destroyed, which never happens.
    Ok(unsafe { CStr::from_ptr(lowered) }.to_string_lossy().into_owned())
}

fn cubin(program: sys::nvrtcProgram) -> Result<Vec<u8>, String> {
    let mut size = 0;
    check(unsafe { sys::nvrtcGetCUBINSize(program, &mut size) })?;
    let mut cubin = vec![0u8; size];
    check(unsafe { sys::nvrtcGetCUBIN(program, cubin.as_mut_ptr().cast()) })?;
    Ok(cubin)
}

/// Up to the terminating NUL; whatever is not UTF-8 is replaced.
fn bytes_to_text(bytes: &[c_char]) -> String {
    let bytes: Vec<u8> = bytes.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
