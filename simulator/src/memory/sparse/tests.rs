use super::*;

fn counting() -> Fill {
    Arc::new(|offset, bytes: &mut [u8]| {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = (offset + at as u64) as u8;
        }
    })
}

#[test]
fn pages_come_when_they_are_touched() {
    let memory = Sparse::new(counting(), true);
    assert_eq!(memory.load((1 << 40) + 4, 4), 0x0706_0504);
    memory.store(PAGE - 1, 1, 0xab);
    memory.store(PAGE, 2, 0x1234);
    assert_eq!(memory.load(PAGE - 1, 1), 0xab);
    let touched = memory.touched(1 << 41);
    assert_eq!(touched.read, [(PAGE - 1, PAGE), ((1 << 40) + 4, (1 << 40) + 8)]);
    assert_eq!(touched.written, [(PAGE - 1, PAGE + 2)], "joined over the edge of a page");
    assert_eq!((touched.read_bytes, touched.written_bytes), (5, 3));
    assert!(!touched.unknown);
    let mut bytes = [0; 4];
    memory.peek(PAGE - 2, &mut bytes);
    assert_eq!(bytes, [0xfe, 0xab, 0x34, 0x12]);
    memory.forget();
    assert_eq!(memory.touched(1 << 41), Touched::default());
    assert_eq!(memory.load(PAGE - 1, 1), 0xff);
}

#[test]
fn lanes_read_together_what_they_read_alone() {
    let [together, alone] = [(); 2].map(|()| Sparse::new(counting(), false));
    for memory in [&together, &alone] {
        memory.store(64, 8, 0x1122_3344_5566_7788);
    }
    for (size, count, mask) in [(4u32, 1usize, u32::MAX), (4, 4, 0x00ff_0f01), (8, 2, 0xf000_0000), (1, 2, 1)] {
        let stride = u64::from(size) * count as u64 * if mask == u32::MAX { 1 } else { 67 };
        let offsets: [u64; 32] = std::array::from_fn(|lane| lane as u64 * stride);
        let mut values = vec![[0; 32]; count];
        together.load_lanes(mask, &offsets, size, &mut values);
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            for (at, values) in values.iter().enumerate() {
                let offset = offsets[lane] + u64::from(size) * at as u64;
                assert_eq!(values[lane], alone.load(offset, size), "lane {lane}, element {at} of {size} bytes");
            }
        }
    }
    assert_eq!(together.touched(1 << 20), alone.touched(1 << 20));
    assert!(together.unknown());
}

#[test]
fn pages_with_the_same_last_bits_are_not_mixed_up() {
    let memory = Sparse::new(counting(), true);
    let far = |page: u64| page * RECENT as u64 * PAGE;
    for round in 0..2 {
        for page in 0..3 {
            assert_eq!(memory.load(far(page), 8), if round == 0 { 0x0706_0504_0302_0100 } else { page });
            memory.store(far(page), 8, page);
        }
    }
    assert_eq!(memory.touched(1 << 40).written, [0, 1, 2].map(|page| (far(page), far(page) + 8)));
}

#[test]
fn what_nobody_wrote_has_no_value() {
    let memory = Sparse::new(counting(), false);
    memory.store(8, 4, 1);
    memory.load(8, 4);
    assert!(!memory.touched(4096).unknown);
    // Who changes what is there without looking at it knows no more than before, and says where it was.
    assert_eq!(memory.change(8, 4, false, |before| before + 4), 1);
    memory.change(64, 4, false, |before| before + 1);
    let touched = memory.touched(4096);
    assert!(!touched.unknown && touched.changed && touched.written == [(8, 12), (64, 68)], "{touched:?}");
    memory.load(8, 4);
    assert!(!memory.touched(4096).unknown);
    memory.load(64, 4);
    assert!(memory.touched(4096).unknown);
    memory.forget();
    memory.load(8, 8);
    assert!(memory.touched(4096).unknown);
}

#[test]
fn a_part_of_a_sum_has_no_value_for_later_launches() {
    let memory = Sparse::new(counting(), false);
    for at in [0, 4, 8] {
        memory.store(at, 4, 0);
    }
    // Within a launch blocks take numbers from a word, or look at what they have added.
    assert_eq!((memory.change(0, 4, true, |_| 5), memory.change(4, 4, false, |_| 6)), (0, 0));
    assert_eq!((memory.load(0, 4), memory.load(4, 4)), (5, 6));
    memory.end_part();
    assert!(!memory.unknown());
    // Who clears it anew knows what is there; so does who comes to what no atomic has changed.
    memory.store(4, 4, 7);
    assert_eq!((memory.load(4, 4), memory.load(8, 4)), (7, 0));
    assert!(!memory.unknown());
    memory.load(0, 4);
    assert!(memory.unknown());
}
