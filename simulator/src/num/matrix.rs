//! Matrix instructions (PTX ISA 9.7.14 `wmma`, 9.7.15 `mma`, `ldmatrix`, `stmatrix`, `movmatrix`): which lane holds which
//! element, and the product.
//!
//! Fragments are 32-bit words, word by word, lane by lane; a double takes two words, low first.
//!
//! Arithmetic: integers are exact, `f64` is a chain of fused multiply-adds along K starting from C, everything else is
//! [`super::tensor`]'s sum. All of it agrees with an H200 bit by bit.

use super::Rounding;
use super::cvt::Fp8;
use super::half::Half;
use super::soft::{self, BF16, Control, E4M3, E5M2, F16, F32, Format, TF32};
use super::tensor::{self, Steps, Term};

/// Element types of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// `.f16`, `.bf16`
    Half(Half),
    /// `.e4m3`, `.e5m2`
    Fp8(Fp8),
    /// `.tf32`: an `f32` whose 13 low bits are ignored.
    Tf32,
    /// `.f32`
    F32,
    /// `.f64`
    F64,
    /// `.s8`
    S8,
    /// `.u8`
    U8,
    /// `.b1`
    B1,
    /// `.s4`
    S4,
    /// `.u4`
    U4,
    /// `.s32`
    S32,
}

/// `.mMnNkK`: A is M x K, B is K x N, C and D are M x N.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Rows of A and D.
    pub m: u32,
    /// Columns of B and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
}

/// Which matrix a fragment holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatrixOperand {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// The addend or the result.
    C,
}

/// Which instruction family's fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// `mma.sync`: the layouts of 9.7.15.4.
    Mma,
    /// `wmma`: the manual leaves the layout open.
    Wmma,
}

impl Element {
    /// Width in bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        match self {
            Element::B1 => 1,
            Element::S4 | Element::U4 => 4,
            Element::Fp8(_) | Element::S8 | Element::U8 => 8,
            Element::Half(_) => 16,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
        }
    }

    /// Whether the matrix product is done in integers.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self, Element::B1 | Element::S4 | Element::U4 | Element::S8 | Element::U8 | Element::S32)
    }

    /// A factor's format and its bits in it.
    fn factor(self, bits: u64) -> (&'static Format, u64) {
        match self {
            Element::Half(Half::F16) => (&F16, bits),
            Element::Half(Half::Bf16) => (&BF16, bits),
            Element::Fp8(Fp8::E4m3) => (&E4M3, bits),
            Element::Fp8(Fp8::E5m2) => (&E5M2, bits),
            Element::Tf32 => (&TF32, bits >> 13),
            _ => (&F32, bits),
        }
    }

    fn to_i64(self, bits: u64) -> i64 {
        let unused = 64 - self.bits();
        match self {
            Element::S4 | Element::S8 | Element::S32 => (bits << unused) as i64 >> unused,
            _ => bits as i64,
        }
    }
}

impl MatrixShape {
    /// Rows and columns of a matrix.
    #[inline]
    pub const fn extent(self, role: MatrixOperand) -> (u32, u32) {
        match role {
            MatrixOperand::A => (self.m, self.k),
            MatrixOperand::B => (self.k, self.n),
            MatrixOperand::C => (self.m, self.n),
        }
    }
}

/// 32-bit words a lane holds of a fragment. `wmma` fragments of `f16` factors always have 8, so that lanes hold some
/// elements twice.
#[inline]
pub const fn words(family: Family, shape: MatrixShape, role: MatrixOperand, element: Element) -> u32 {
    match (family, role, element) {
        (Family::Wmma, MatrixOperand::A | MatrixOperand::B, Element::Half(Half::F16)) => 8,
        _ => {
            let (rows, columns) = shape.extent(role);
            rows * columns * element.bits() / 1024
        }
    }
}

/// Row and column of a lane's `index`-th element (elements fill words from the low bits).
///
/// `mma`: 9.7.15.4, the tables of fragments, which follow one rule for every type: a lane's group (`lane / 4`) is the
/// row of A and the column of B; its place in the group counts words along K; the second word of A lies 8 rows below,
/// the next two further along K. `m8n8k4` of `f16` (the Volta form) is not covered. `wmma`: lanes take consecutive
/// elements in row order, but of factors narrower than a byte, whose words run along K as those of `mma` do.
#[inline]
pub fn place(
    family: Family,
    shape: MatrixShape,
    role: MatrixOperand,
    element: Element,
    lane: u32,
    index: u32,
) -> (u32, u32) {
    let (rows, columns) = shape.extent(role);
    if family == Family::Wmma && (element.bits() >= 8 || role == MatrixOperand::C) {
        let share = rows * columns / 32;
        let position = lane * share + index % share;
        return (position / columns, position % columns);
    }
    let (group, member) = (lane / 4, lane % 4);
    let a_word = (32 / element.bits()).max(1);
    let (word, within) = (index / a_word, index % a_word);
    match role {
        MatrixOperand::A if shape.m == 16 => (group + 8 * (word & 1), (member + 4 * (word >> 1)) * a_word + within),
        MatrixOperand::A => (group, (member + 4 * word) * a_word + within),
        MatrixOperand::B => ((member + 4 * word) * a_word + within, group),
        MatrixOperand::C => (group + 8 * (index >> 1), member * 2 + (index & 1)),
    }
}

/// One request of `wmma.load` or `wmma.store` as a GPU makes it, by lane: slow and fast coordinate of its first element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WmmaRequest {
    /// Along the stride, and along neighbours in memory.
    pub places: [(u32, u32); 32],
    /// Neighbouring elements that each lane takes.
    pub elements: u32,
}

/// The requests of a fragment. An H200 takes a matrix in tiles of eight rows, four lanes a row, each a word of elements, or two elements of an
/// accumulator (read off what NVRTC compiles `wmma` to for sm_90). Factors that lie the other way round are transposed in registers,
/// accumulators taken element by element.
pub fn wmma_requests(shape: MatrixShape, role: MatrixOperand, element: Element, row_major: bool) -> Vec<WmmaRequest> {
    let (rows, columns) = shape.extent(role);
    let (slow, fast) = if row_major { (rows, columns) } else { (columns, rows) };
    let tiles = |width: u32| {
        (0..slow).step_by(8).flat_map(move |row| (0..fast).step_by(width as usize).map(move |at| (row, at)))
    };
    let lanes = |place: &dyn Fn(u32) -> (u32, u32)| std::array::from_fn(|lane| place(lane as u32));
    if role == MatrixOperand::C && !row_major && element.bits() >= 32 {
        let each = tiles(8).flat_map(|tile| [(tile, 0), (tile, 1)]);
        return each
            .map(|((column, row), nth)| WmmaRequest {
                places: lanes(&|lane| (column + lane % 4 * 2 + nth, row + lane / 4)),
                elements: 1,
            })
            .collect();
    }
    if slow < 8 {
        // A factor of f64, a word a lane.
        return vec![WmmaRequest { places: lanes(&|lane| (lane % 4, lane / 4)), elements: 1 }];
    }
    let word = (32 / element.bits()).max(1);
    let most = if role == MatrixOperand::C { word.max(2) } else { word };
    let elements = most.min(fast / 4).max(1);
    tiles(4 * elements)
        .map(|(row, column)| WmmaRequest {
            places: lanes(&|lane| (row + lane / 4, column + lane % 4 * elements)),
            elements,
        })
        .collect()
}

/// `mma.sync` or `wmma.mma`: types and shape of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Product {
    /// Layouts.
    pub family: Family,
    /// Shape.
    pub shape: MatrixShape,
    /// Type of A.
    pub a: Element,
    /// Type of B.
    pub b: Element,
    /// Type of C.
    pub c: Element,
    /// Type of D.
    pub d: Element,
    /// `.satfinite` of integer products: the result is clamped to `s32`.
    pub saturate: bool,
    /// Bits are combined by `.and`, else by `.xor`, and counted.
    pub and: bool,
}

impl Product {
    /// Words of A, B, C and D a lane.
    pub const fn words(&self) -> [u32; 4] {
        [
            words(self.family, self.shape, MatrixOperand::A, self.a),
            words(self.family, self.shape, MatrixOperand::B, self.b),
            words(self.family, self.shape, MatrixOperand::C, self.c),
            words(self.family, self.shape, MatrixOperand::C, self.d),
        ]
    }

    /// Whether the manual has this shape with these types (tables of 9.7.14 and 9.7.15), but for `m8n8k4` of
    /// `f16`.
    pub fn is_supported(&self) -> bool {
        use Element::{B1, F32, F64, Fp8, Half as H, S4, S8, S32, Tf32, U4, U8};
        let MatrixShape { m, n, k } = self.shape;
        let mma = self.family == Family::Mma;
        let accumulator = match (self.a, self.b) {
            (H(Half::F16), H(Half::F16)) => {
                [self.c, self.d].iter().all(|e| matches!(e, F32 | H(Half::F16))) && (!mma || self.c == self.d)
            }
            (H(Half::Bf16), H(Half::Bf16)) | (Tf32, Tf32) => self.c == F32 && self.d == F32,
            (Fp8(_), Fp8(_)) => self.c == self.d && matches!(self.c, F32 | H(Half::F16)),
            (F64, F64) => self.c == F64 && self.d == F64,
            (S8 | U8, S8 | U8) | (S4 | U4, S4 | U4) | (B1, B1) => self.c == S32 && self.d == S32,
            _ => false,
        };
        let wide = matches!((m, n, k), (16, 16, 16) | (8, 32, 16) | (32, 8, 16));
        accumulator
            && match (mma, self.a) {
                (true, H(_)) => matches!((m, n, k), (16, 8, 8 | 16)),
                (true, Tf32) => matches!((m, n, k), (16, 8, 4 | 8)),
                (true, F64) => matches!((m, n, k), (8, 8, 4) | (16, 8, 4 | 8 | 16)),
                (true, S8 | U8) => matches!((m, n, k), (8, 8, 16) | (16, 8, 16 | 32)),
                (true, S4 | U4) => matches!((m, n, k), (8, 8, 32) | (16, 8, 32 | 64)),
                (true, B1) => matches!((m, n, k), (8, 8, 128) | (16, 8, 128 | 256)),
                (false, B1) => (m, n, k) == (8, 8, 128),
                (true, Fp8(_)) => matches!((m, n, k), (16, 8, 16 | 32)),
                (false, H(_) | S8 | U8) => wide,
                (false, Tf32) => (m, n, k) == (16, 16, 8),
                (false, F64) => (m, n, k) == (8, 8, 4),
                (false, S4 | U4) => (m, n, k) == (8, 8, 32),
                _ => false,
            }
    }

    /// D = A B + C. `input` holds the words of A, then B, then C; `output` those of D, lengths as [`Product::words`] says.
    pub fn run(&self, input: &[[u32; 32]], output: &mut [[u32; 32]]) {
        let [a_words, b_words, ..] = self.words().map(|n| n as usize);
        let (a, rest) = input.split_at(a_words);
        let (b, c) = rest.split_at(b_words);
        let read = |role, element, words| gather(self.family, self.shape, role, element, words);
        let (a, b, c) =
            (read(MatrixOperand::A, self.a, a), read(MatrixOperand::B, self.b, b), read(MatrixOperand::C, self.c, c));
        let MatrixShape { m, n, k } = self.shape;
        let (m, n, k) = (m as usize, n as usize, k as usize);
        let mut d = vec![0u64; m * n];
        if self.a.is_integer() {
            let a: Vec<i64> = a.iter().map(|x| self.a.to_i64(*x)).collect();
            let b: Vec<i64> = b.iter().map(|x| self.b.to_i64(*x)).collect();
            for (at, d) in d.iter_mut().enumerate() {
                let (row, column) = (at / n, at % n);
                let combine = |x: i64, y: i64| match (self.a, self.and) {
                    (Element::B1, false) => x ^ y,
                    _ => x * y,
                };
                let sum = (0..k).map(|i| combine(a[row * k + i], b[i * n + column])).sum::<i64>();
                let sum = sum + self.c.to_i64(c[at]);
                let sum = if self.saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                *d = u64::from(sum as u32);
            }
        } else if self.a == Element::F64 {
            for (at, d) in d.iter_mut().enumerate() {
                let (row, column) = (at / n, at % n);
                *d = (0..k).fold(c[at], |sum, i| {
                    super::float::fma_f64(a[row * k + i], b[i * n + column], sum, Rounding::Nearest)
                });
            }
        } else {
            self.floats(&a, &b, &c, &mut d);
        }
        scatter(self.family, self.shape, self.d, &d, output);
    }

    fn floats(&self, a: &[u64], b: &[u64], c: &[u64], d: &mut [u64]) {
        let (n, k) = (self.shape.n as usize, self.shape.k as usize);
        let term = |element: Element, bits: u64| {
            let (format, bits) = element.factor(bits);
            Term::new(format, bits)
        };
        let rows: Vec<Term> = a.iter().map(|bits| term(self.a, *bits)).collect();
        // Column after column.
        let columns: Vec<Term> = (0..n * k).map(|at| term(self.b, b[at % k * n + at / k])).collect();
        let fractions = [self.a, self.b].map(|element| element.factor(0).0.fraction);
        let steps = match (self.family, self.a) {
            (_, Element::Fp8(_)) => Steps::Bytes,
            (Family::Wmma, Element::Tf32) => Steps::Groups(4),
            _ => Steps::Groups(k),
        };
        let (half, narrow) =
            (self.d != Element::F32 && self.c != Element::F32, self.d != self.c && self.c == Element::F32);
        for (at, d) in d.iter_mut().enumerate() {
            let (row, column) = (at / n * k, at % n * k);
            let addend = match self.c {
                Element::Half(_) => soft::convert(&F16, &F32, c[at], Control::default()) as u32,
                _ => c[at] as u32,
            };
            let (row, column) = (&rows[row..row + k], &columns[column..column + k]);
            let element = tensor::element(row, column, fractions, steps, addend, half);
            *d = if narrow { tensor::narrow(element as u32).into() } else { element };
        }
    }
}

/// The matrix of a fragment, row-major bits.
fn gather(
    family: Family,
    shape: MatrixShape,
    role: MatrixOperand,
    element: Element,
    fragment: &[[u32; 32]],
) -> Vec<u64> {
    let (rows, columns) = shape.extent(role);
    let mut matrix = vec![0; (rows * columns) as usize];
    let bits = element.bits();
    // Where lanes hold elements twice, the last copy counts; all are equal after a load.
    for index in 0..words(family, shape, role, element) * 32 / bits {
        for lane in 0..32 {
            let (row, column) = place(family, shape, role, element, lane, index);
            let at = (index * bits / 32) as usize;
            let word = |at: usize| u64::from(fragment[at][lane as usize]);
            matrix[(row * columns + column) as usize] = match bits {
                64 => word(at) | word(at + 1) << 32,
                _ => word(at) >> (index * bits % 32) & ((1 << bits) - 1),
            };
        }
    }
    matrix
}

/// Writes a result's matrix into its fragment.
fn scatter(family: Family, shape: MatrixShape, element: Element, matrix: &[u64], fragment: &mut [[u32; 32]]) {
    let bits = element.bits();
    fragment.iter_mut().for_each(|word| *word = [0; 32]);
    for index in 0..words(family, shape, MatrixOperand::C, element) * 32 / bits {
        for lane in 0..32 {
            let (row, column) = place(family, shape, MatrixOperand::C, element, lane, index);
            let value = matrix[(row * shape.n + column) as usize];
            let at = (index * bits / 32) as usize;
            fragment[at][lane as usize] |= (value << (index * bits % 32)) as u32;
            if bits == 64 {
                fragment[at + 1][lane as usize] = (value >> 32) as u32;
            }
        }
    }
}

/// `ldmatrix`, `stmatrix` of 8 x 8 matrices of 16 bits (9.7.15.5.15): row and column of a lane's low (0) or high (1) half.
/// Row `r` of the `i`-th matrix is at the address of lane `8 i + r`.
#[inline]
pub const fn ldmatrix_place(lane: u32, half: u32, transposed: bool) -> (u32, u32) {
    let (row, column) = (lane / 4, lane % 4 * 2 + half);
    if transposed { (column, row) } else { (row, column) }
}

/// `movmatrix.trans.m8n8.b16` (9.7.15.5.17): the transpose of a matrix held as `ldmatrix` leaves it.
pub fn movmatrix(source: &[u32; 32]) -> [u32; 32] {
    std::array::from_fn(|lane| {
        let half = |half: u32| {
            let (row, column) = ldmatrix_place(lane as u32, half, true);
            source[(row * 4 + column / 2) as usize] >> (16 * (column % 2)) & 0xffff
        };
        half(0) | half(1) << 16
    })
}
