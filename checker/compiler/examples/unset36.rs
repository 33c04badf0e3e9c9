fn main() {
    for f in std::env::args().skip(1) {
        let t = std::fs::read_to_string(&f).unwrap();
        let now = std::time::Instant::now();
        let u = compiler::unset::unset(&t);
        let ms = now.elapsed().as_micros();
        if std::env::var("ALL").is_ok() || !u.is_empty() { println!("{f} {ms}us {:?}", u.iter().map(|u| (&u.name, u.line, u.function)).collect::<Vec<_>>()); }
    }
}
