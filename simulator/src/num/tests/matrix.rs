//! Fragments: every element has one place; products against plain loops over whole matrices.

use super::Random;
use crate::num::half::Half;
use crate::num::matrix::*;

const F16: Element = Element::Half(Half::F16);
const BF16: Element = Element::Half(Half::Bf16);

fn shape(m: u32, n: u32, k: u32) -> MatrixShape {
    MatrixShape { m, n, k }
}

fn products() -> Vec<Product> {
    let make = |family, shape, factor, sum| Product {
        family,
        shape,
        a: factor,
        b: factor,
        c: sum,
        d: sum,
        saturate: false,
        and: false,
    };
    let (mma, wmma) = (Family::Mma, Family::Wmma);
    let mut all = vec![
        make(mma, shape(16, 8, 8), F16, Element::F32),
        make(mma, shape(16, 8, 16), F16, Element::F32),
        make(mma, shape(16, 8, 16), F16, F16),
        make(mma, shape(16, 8, 8), BF16, Element::F32),
        make(mma, shape(16, 8, 16), BF16, Element::F32),
        make(mma, shape(16, 8, 4), Element::Tf32, Element::F32),
        make(mma, shape(16, 8, 8), Element::Tf32, Element::F32),
        make(mma, shape(8, 8, 16), Element::U8, Element::S32),
        make(mma, shape(16, 8, 16), Element::S8, Element::S32),
        make(mma, shape(16, 8, 32), Element::S8, Element::S32),
        make(mma, shape(16, 8, 64), Element::S4, Element::S32),
        make(mma, shape(8, 8, 4), Element::F64, Element::F64),
        make(mma, shape(16, 8, 16), Element::F64, Element::F64),
        make(wmma, shape(16, 16, 8), Element::Tf32, Element::F32),
        make(wmma, shape(8, 8, 4), Element::F64, Element::F64),
    ];
    for size in [shape(16, 16, 16), shape(8, 32, 16), shape(32, 8, 16)] {
        all.push(make(wmma, size, F16, Element::F32));
        all.push(make(wmma, size, F16, F16));
        all.push(make(wmma, size, BF16, Element::F32));
        all.push(make(wmma, size, Element::U8, Element::S32));
    }
    all
}

#[test]
fn every_element_has_a_place() {
    for product in products() {
        assert!(product.is_supported(), "{product:?}");
        for (role, element) in
            [(MatrixOperand::A, product.a), (MatrixOperand::B, product.b), (MatrixOperand::C, product.c)]
        {
            let (rows, columns) = product.shape.extent(role);
            let count = words(product.family, product.shape, role, element) * 32 / element.bits();
            let mut seen = vec![0; (rows * columns) as usize];
            for lane in 0..32 {
                for index in 0..count {
                    let (row, column) = place(product.family, product.shape, role, element, lane, index);
                    assert!(row < rows && column < columns, "{product:?} {role:?} {lane} {index}");
                    seen[(row * columns + column) as usize] += 1;
                }
            }
            let copies = count * 32 / (rows * columns);
            assert!(seen.iter().all(|n| *n == copies), "{product:?} {role:?}: {seen:?}");
        }
    }
}

/// Entries of the manual's figures (9.7.15.4), read off lane by lane.
#[test]
fn mma_fragments_are_the_manuals() {
    let at = |s, role, element, lane, index| place(Family::Mma, s, role, element, lane, index);
    let m16n8k16 = shape(16, 8, 16);
    assert_eq!(at(m16n8k16, MatrixOperand::A, F16, 5, 0), (1, 2));
    assert_eq!(at(m16n8k16, MatrixOperand::A, F16, 5, 3), (9, 3));
    assert_eq!(at(m16n8k16, MatrixOperand::A, F16, 5, 4), (1, 10));
    assert_eq!(at(m16n8k16, MatrixOperand::A, F16, 31, 7), (15, 15));
    assert_eq!(at(m16n8k16, MatrixOperand::B, F16, 6, 1), (5, 1));
    assert_eq!(at(m16n8k16, MatrixOperand::B, F16, 6, 2), (12, 1));
    assert_eq!(at(m16n8k16, MatrixOperand::C, Element::F32, 6, 2), (9, 4));
    assert_eq!(at(shape(16, 8, 32), MatrixOperand::A, Element::S8, 4, 5), (9, 1));
    assert_eq!(at(shape(16, 8, 32), MatrixOperand::A, Element::S8, 4, 8), (1, 16));
    assert_eq!(at(shape(16, 8, 32), MatrixOperand::B, Element::S8, 4, 4), (16, 1));
    assert_eq!(at(shape(16, 8, 8), MatrixOperand::A, Element::Tf32, 7, 2), (1, 7));
    assert_eq!(at(shape(16, 8, 8), MatrixOperand::B, Element::Tf32, 7, 1), (7, 1));
    assert_eq!(at(shape(8, 8, 4), MatrixOperand::A, Element::F64, 7, 0), (1, 3));
    assert_eq!(at(shape(8, 8, 4), MatrixOperand::C, Element::F64, 7, 1), (1, 7));
    assert_eq!(ldmatrix_place(9, 1, false), (2, 3));
    assert_eq!(ldmatrix_place(9, 1, true), (3, 2));
}

/// Small integers, so that every type computes exactly and all agree.
fn encode(element: Element, value: i64) -> u64 {
    match element {
        Element::Half(half) => half.from_f64(value as f64).into(),
        Element::Tf32 | Element::F32 => (value as f32).to_bits().into(),
        Element::F64 => (value as f64).to_bits(),
        Element::Fp8(_) | Element::B1 => unreachable!("not among the products"),
        _ => value as u64 & ((1 << element.bits()) - 1),
    }
}

#[test]
fn products_agree_with_plain_loops() {
    let mut random = Random(13);
    for product in products() {
        let MatrixShape { m, n, k } = product.shape;
        let mut matrix = |role| {
            let (rows, columns) = product.shape.extent(role);
            (0..rows * columns).map(|_| (random.bits() % 8) as i64).collect::<Vec<i64>>()
        };
        let (a, b, c) = (matrix(MatrixOperand::A), matrix(MatrixOperand::B), matrix(MatrixOperand::C));
        let fragment = |role, element: Element, values: &[i64]| {
            let mut out = vec![[0u32; 32]; words(product.family, product.shape, role, element) as usize];
            for lane in 0..32 {
                for index in 0..out.len() as u32 * 32 / element.bits() {
                    let (row, column) = place(product.family, product.shape, role, element, lane, index);
                    let bits = encode(element, values[(row * product.shape.extent(role).1 + column) as usize]);
                    let bit = index * element.bits();
                    let word = (bit / 32) as usize;
                    out[word][lane as usize] |= (bits << (bit % 32)) as u32;
                    if element.bits() == 64 {
                        out[word + 1][lane as usize] = (bits >> 32) as u32;
                    }
                }
            }
            out
        };
        let mut input = fragment(MatrixOperand::A, product.a, &a);
        input.extend(fragment(MatrixOperand::B, product.b, &b));
        input.extend(fragment(MatrixOperand::C, product.c, &c));
        let mut output = vec![[0u32; 32]; product.words()[3] as usize];
        product.run(&input, &mut output);
        let want: Vec<i64> = (0..m * n)
            .map(|at| {
                let (row, column) = (at / n, at % n);
                c[at as usize] + (0..k).map(|i| a[(row * k + i) as usize] * b[(i * n + column) as usize]).sum::<i64>()
            })
            .collect();
        assert_eq!(output, fragment(MatrixOperand::C, product.d, &want), "{product:?}");
    }
}

#[test]
fn integer_products_saturate_or_wrap() {
    let mut product = Product {
        family: Family::Mma,
        shape: shape(8, 8, 16),
        a: Element::U8,
        b: Element::S8,
        c: Element::S32,
        d: Element::S32,
        saturate: true,
        and: false,
    };
    let input = [[0xffff_ffff; 32], [0x7f7f_7f7f; 32], [i32::MAX as u32; 32], [0; 32]];
    let mut output = [[0; 32]; 2];
    product.run(&input, &mut output);
    assert_eq!(output, [[i32::MAX as u32; 32], [255 * 127 * 16; 32]]);
    product.saturate = false;
    product.run(&input, &mut output);
    assert_eq!(output[0], [(i32::MAX as u32).wrapping_add(255 * 127 * 16); 32]);
}

#[test]
fn transposing_twice_is_nothing() {
    let source: [u32; 32] = std::array::from_fn(|i| ((2 * i as u32 + 1) << 16) | (2 * i as u32));
    // Element (row, column) is 8 row + column.
    let moved = movmatrix(&source);
    assert_eq!(moved[0], 8 << 16);
    assert_eq!(moved[5], (3 * 8 + 1) << 16 | (2 * 8 + 1));
    assert_eq!(movmatrix(&moved), source);
}

/// Every element is requested once, whatever its type and however it lies.
#[test]
fn wmma_requests_cover_a_matrix_once() {
    use std::collections::BTreeSet;
    let shapes = [(16, 16, 16), (8, 32, 16), (32, 8, 16), (16, 16, 8), (8, 8, 4), (8, 8, 32), (8, 8, 128)];
    let mut tried = 0;
    for (m, n, k) in shapes {
        let shape = MatrixShape { m, n, k };
        for element in [Element::Half(Half::F16), Element::S8, Element::Tf32, Element::F64, Element::S4, Element::B1] {
            let product = |d| Product {
                family: Family::Wmma,
                shape,
                a: element,
                b: element,
                c: d,
                d,
                saturate: false,
                and: false,
            };
            let Some(d) = [Element::F32, Element::S32, Element::F64].into_iter().find(|d| product(*d).is_supported())
            else {
                continue;
            };
            for (role, element) in [(MatrixOperand::A, element), (MatrixOperand::B, element), (MatrixOperand::C, d)] {
                for row_major in [true, false] {
                    let (rows, columns) = shape.extent(role);
                    let (slow, fast) = if row_major { (rows, columns) } else { (columns, rows) };
                    let mut seen = BTreeSet::new();
                    let requests = wmma_requests(shape, role, element, row_major);
                    for (request, (row, column)) in
                        requests.iter().flat_map(|one| one.places.iter().map(move |at| (one, *at)))
                    {
                        for nth in 0..request.elements {
                            assert!(row < slow && column + nth < fast, "{shape:?} {role:?} {element:?} {row_major}");
                            assert!(seen.insert((row, column + nth)), "{shape:?} {role:?} {element:?} {row_major}");
                        }
                    }
                    assert_eq!(seen.len() as u32, slow * fast, "{shape:?} {role:?} {element:?} {row_major}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried >= 40, "{tried}");
    // Of half precision as of bytes: as many instructions as NVRTC makes for sm_90.
    let whole = MatrixShape { m: 16, n: 16, k: 16 };
    for (role, element, row_major, requests) in [
        (MatrixOperand::A, Element::Half(Half::F16), true, 4),
        (MatrixOperand::B, Element::Half(Half::F16), true, 4),
        (MatrixOperand::C, Element::F32, true, 4),
        (MatrixOperand::C, Element::F32, false, 8),
    ] {
        assert_eq!(wmma_requests(whole, role, element, row_major).len(), requests, "{role:?} {row_major}");
    }
}
