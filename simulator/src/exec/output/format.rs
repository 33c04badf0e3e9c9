//! What one conversion of `printf` writes: as the host's C library does, which is who writes it in CUDA. The formats that
//! CUDA knows are fewer: `%[flags][width][.precision][size]type`, where a width may be `*` and a precision may not, and a size
//! is `h`, `l` or `ll`. What a GPU makes of others (`hh`, `z`, `j`, `t`, `L`) and of the arguments behind them is arbitrary: an
//! H200 printed 623190068 for the 77 after `%hhd` (`scripts/gpu/printf.sh`). Here they are what they are in C.

/// How long an integer is: its length modifier. `long` has 64 bits in device code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    /// `hh`
    Char,
    /// `h`
    Short,
    #[default]
    Int,
    /// `l`, `ll`, `j`, `z`, `t`
    Long,
}

/// A conversion specification: what stands between `%` and its letter.
#[derive(Debug, Default)]
pub struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    /// Least number of characters.
    pub width: usize,
    /// The width is an argument.
    pub width_argument: bool,
    /// Digits or characters, where given.
    pub precision: Option<usize>,
    /// CUDA does not know the format: it stands in the output as it is, and takes no argument.
    pub unknown: bool,
    /// The length modifier.
    pub size: Size,
}

impl Spec {
    /// Reads up to the conversion letter; how many bytes that were.
    pub fn parse(&mut self, text: &[u8]) -> usize {
        let mut at = 0;
        let number = |at: &mut usize| {
            let mut value = 0usize;
            while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
                value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                *at += 1;
            }
            value
        };
        loop {
            match text.get(at) {
                Some(b'-') => self.left = true,
                Some(b'+') => self.plus = true,
                Some(b' ') => self.space = true,
                Some(b'0') => self.zero = true,
                Some(b'#') => self.alternate = true,
                _ => break,
            }
            at += 1;
        }
        if text.get(at) == Some(&b'*') {
            self.width_argument = true;
            at += 1;
        } else {
            self.width = number(&mut at);
        }
        if text.get(at) == Some(&b'.') {
            at += 1;
            if text.get(at) == Some(&b'*') {
                self.unknown = true;
                at += 1;
            } else {
                self.precision = Some(number(&mut at));
            }
        }
        while let Some(letter @ (b'h' | b'l' | b'z' | b'j' | b't' | b'L')) = text.get(at) {
            self.size = match (letter, self.size) {
                (b'h', Size::Short) => Size::Char,
                (b'h', _) => Size::Short,
                _ => Size::Long,
            };
            at += 1;
        }
        at
    }

    /// A width from an argument: a negative one is the flag `-`.
    pub fn set_width(&mut self, width: i32) {
        self.left |= width < 0;
        self.width = width.unsigned_abs() as usize;
    }

    /// `%c`, and what else is padded as it is.
    pub fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let fill = self.width.saturating_sub(text.len());
        if !self.left {
            out.resize(out.len() + fill, b' ');
        }
        out.extend_from_slice(text);
        if self.left {
            out.resize(out.len() + fill, b' ');
        }
    }

    /// `%s`; nothing for a null pointer, which the C library writes out if there is room.
    pub fn string(&self, out: &mut Vec<u8>, text: Option<Vec<u8>>) {
        const NULL: &[u8] = b"(null)";
        let mut text = text.unwrap_or_else(|| match self.precision {
            Some(precision) if precision < NULL.len() => Vec::new(),
            _ => NULL.to_vec(),
        });
        text.truncate(self.precision.unwrap_or(usize::MAX));
        self.pad(out, &text);
    }

    /// `%p`
    pub fn pointer(&self, out: &mut Vec<u8>, value: u64) {
        if value == 0 {
            self.pad(out, b"(nil)");
        } else {
            self.digits(out, self.sign(false), "0x", &format!("{value:x}"));
        }
    }

    /// `%d`
    pub fn signed(&self, out: &mut Vec<u8>, raw: u64) {
        let value = match self.size {
            Size::Char => i64::from(raw as i8),
            Size::Short => i64::from(raw as i16),
            Size::Int => i64::from(raw as i32),
            Size::Long => raw as i64,
        };
        self.digits(out, self.sign(value < 0), "", &value.unsigned_abs().to_string());
    }

    /// `%u`, `%o`, `%x`, `%X`
    pub fn unsigned(&self, out: &mut Vec<u8>, kind: u8, raw: u64) {
        let value = match self.size {
            Size::Char => u64::from(raw as u8),
            Size::Short => u64::from(raw as u16),
            Size::Int => u64::from(raw as u32),
            Size::Long => raw,
        };
        let prefixed = self.alternate && value != 0;
        match kind {
            b'x' => self.digits(out, "", if prefixed { "0x" } else { "" }, &format!("{value:x}")),
            b'X' => self.digits(out, "", if prefixed { "0X" } else { "" }, &format!("{value:X}")),
            b'o' => {
                let text = format!("{value:o}");
                // The precision grows until the first digit is 0.
                if self.alternate
                    && self.precision.unwrap_or(1) <= text.len()
                    && (prefixed || self.precision == Some(0))
                {
                    let more = if prefixed { text.len() + 1 } else { 1 };
                    self.whole(out, "", "", &format!("{text:0>more$}"), self.zero && self.precision.is_none());
                } else {
                    self.digits(out, "", "", &text);
                }
            }
            _ => self.digits(out, "", "", &value.to_string()),
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match () {
            () if negative => "-",
            () if self.plus => "+",
            () if self.space => " ",
            () => "",
        }
    }

    /// Digits with at least the precision's number of them.
    fn digits(&self, out: &mut Vec<u8>, sign: &str, prefix: &str, digits: &str) {
        let digits = match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits.to_string(),
        };
        self.whole(out, sign, prefix, &digits, self.zero && self.precision.is_none());
    }

    /// Sign, prefix and body; zeros to the width stand between prefix and body.
    fn whole(&self, out: &mut Vec<u8>, sign: &str, prefix: &str, body: &str, zeros: bool) {
        if zeros && !self.left {
            let fill = self.width.saturating_sub(sign.len() + prefix.len() + body.len());
            out.extend_from_slice(sign.as_bytes());
            out.extend_from_slice(prefix.as_bytes());
            out.resize(out.len() + fill, b'0');
            out.extend_from_slice(body.as_bytes());
        } else {
            self.pad(out, format!("{sign}{prefix}{body}").as_bytes());
        }
    }

    /// `%f`, `%e`, `%g`, `%a` and their capitals.
    pub fn float(&self, out: &mut Vec<u8>, kind: u8, value: f64) {
        let sign = self.sign(value.is_sign_negative());
        let capitals = |text: &str| if kind.is_ascii_uppercase() { text.to_uppercase() } else { text.to_string() };
        if !value.is_finite() {
            let text = if value.is_nan() { "nan" } else { "inf" };
            self.whole(out, sign, "", &capitals(text), false);
            return;
        }
        let magnitude = value.abs();
        let precision = self.precision.unwrap_or(6);
        let (prefix, text) = match kind.to_ascii_lowercase() {
            b'f' => ("", format!("{magnitude:.precision$}")),
            b'e' => ("", exponential(magnitude, precision)),
            b'g' => ("", general(magnitude, precision.max(1), self.alternate)),
            _ => ("0x", hexadecimal(magnitude, self.precision)),
        };
        let text = if self.alternate { pointed(text) } else { text };
        self.whole(out, sign, &capitals(prefix), &capitals(&text), self.zero);
    }
}

/// With a decimal point, whatever follows it.
fn pointed(text: String) -> String {
    if text.contains('.') {
        return text;
    }
    match text.find(['e', 'p']) {
        Some(at) => format!("{}.{}", &text[..at], &text[at..]),
        None => format!("{text}."),
    }
}

fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, keep: bool) -> String {
    let scientific = exponential(value, precision - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if keep || !text.contains('.') {
            text.to_string()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (mantissa, tail) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        format!("{}e{tail}", trim(mantissa))
    } else {
        let digits = (precision as i32 - 1 - exponent).max(0) as usize;
        trim(&format!("{value:.digits$}"))
    }
}

/// Without the prefix: "1.8p+0".
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    /// Hexadecimal digits of a fraction.
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (mut mantissa, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (fraction, -1022),
        _ => (fraction | 1 << 52, exponent - 1023),
    };
    let shown = precision.unwrap_or(DIGITS);
    if shown < DIGITS {
        // To nearest, ties to even.
        let dropped = 4 * (DIGITS - shown);
        let (half, rest) = (1u64 << (dropped - 1), mantissa & ((1 << dropped) - 1));
        mantissa >>= dropped;
        mantissa += u64::from(rest > half || rest == half && mantissa & 1 == 1);
        mantissa <<= dropped;
    }
    let (lead, fraction) = (mantissa >> 52, mantissa & ((1 << 52) - 1));
    let mut digits = format!("{fraction:0DIGITS$x}");
    match precision {
        Some(precision) => {
            digits.truncate(precision);
            digits = format!("{digits:0<precision$}");
        }
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let point = if digits.is_empty() { "" } else { "." };
    format!("{lead}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::Spec;

    /// What glibc 2.36 writes for a format with one argument: see `format/glibc.txt`.
    const GLIBC: &str = include_str!("format/glibc.txt");

    fn written(format: &str, argument: &str) -> String {
        let mut out = Vec::new();
        let mut spec = Spec::default();
        let text = &format.as_bytes()[1..];
        let letter = text[spec.parse(text)];
        let raw = || argument.parse::<i64>().unwrap() as u64;
        match letter {
            b'd' => spec.signed(&mut out, raw()),
            b'u' | b'o' | b'x' | b'X' => spec.unsigned(&mut out, letter, raw()),
            b'p' => spec.pointer(&mut out, raw()),
            b'c' => spec.pad(&mut out, &[raw() as u8]),
            b's' => spec.string(&mut out, Some(argument.as_bytes().to_vec())),
            _ => spec.float(&mut out, letter, argument.parse().unwrap()),
        }
        String::from_utf8(out).unwrap()
    }

    /// Every flag, width, precision and length with every conversion, against the C library.
    #[test]
    fn as_the_c_library_does() {
        let mut count = 0;
        for line in GLIBC.lines().filter(|line| !line.starts_with("//")) {
            let [format, argument, wanted] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let wanted = wanted.trim_start_matches('[').trim_end_matches(']');
            assert_eq!(written(format, argument), wanted, "{format} of {argument}");
            count += 1;
        }
        assert!(count > 500, "{count}");
    }

    #[test]
    fn null_pointers() {
        let string = |precision| {
            let mut out = Vec::new();
            Spec { precision, ..Spec::default() }.string(&mut out, None);
            String::from_utf8(out).unwrap()
        };
        assert_eq!((string(None), string(Some(3))), ("(null)".into(), String::new()));
    }
}
