use checker::compile::*;
use checker::toolchain::*;
fn main() {
    let t = std::time::Instant::now();
    let tc = match locate(&Options::default()) {
        Ok(t) => t,
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(3)
        }
    };
    let located = t.elapsed();
    let a: Vec<String> = std::env::args().skip(1).collect();
    if a.is_empty() {
        println!("{tc:#?} {located:?}");
        return;
    }
    let t = std::time::Instant::now();
    let r = Request::read(a[0].as_ref(), &std::env::var("ARCH").unwrap_or("sm_90".into()))
        .and_then(|r| compile(&tc, &r.kernels(a[1..].iter().cloned())));
    let d = t.elapsed();
    match r {
        Ok(c) => {
            println!(
                "OK {} ptx {} cubin {} names {:?} confined {} cached {} locate {located:?} compile {d:?}",
                a[0],
                c.ptx.len(),
                c.cubin.len(),
                c.names,
                c.confined,
                c.cached
            );
            for w in &c.warnings {
                println!("{w}");
            }
            if std::env::var_os("LOG").is_some() {
                println!("{}", c.log);
            }
            if std::env::var_os("PTX").is_some() {
                println!("{}", c.ptx);
            }
        }
        Err(e) => {
            println!("ERR {} {d:?}: {e}", e.exit_code());
            if let (CompileError::Rejected { log, .. }, true) = (&e, std::env::var_os("LOG").is_some()) {
                println!("--- log\n{log}");
            }
        }
    }
}
