//! The algebra of dims and indices at work.

use super::*;

fn n() -> Ix {
    Ix::sym("n")
}

#[test]
fn equal_expressions_are_equal_values() {
    let (a, b) = (Ix::axis(0), Ix::axis(1));
    assert_eq!((&a + &b) * (&a - &b), &a * &a - &b * &b);
    assert_eq!((&a * 4 + &b).floor_div(&Ix::konst(2)), &a * 2 + b.floor_div(&Ix::konst(2)));
    assert_eq!((&a * 4 + 7).modulo(&Ix::konst(4)), Ix::konst(3));
    assert_eq!((&n() * &a + &b).floor_div(&n()), &a + &b.floor_div(&n()));
    assert!((&a - &a).is(0));
}

#[test]
fn quotient_and_remainder_join() {
    let e = Ix::axis(0) * 4 + Ix::axis(1);
    for k in [Ix::konst(6), n(), n() * 3] {
        let joined = &e.floor_div(&k) * &k + e.modulo(&k);
        assert_eq!(joined, e);
    }
}

#[test]
fn ranges_prove_bounds() {
    let extents = [n(), Ix::konst(3)];
    let e = Ix::axis(0) + Ix::axis(1);
    let (low, high) = e.range(&extents).unwrap();
    assert!(low.is(0));
    assert_eq!(high, n() + 1);
    assert_eq!((n() + 1 - &e).ge0(&extents), Some(true));
    assert_eq!((n() - &e).ge0(&extents), None);
    assert_eq!((Ix::konst(-1) - &e).ge0(&extents), Some(false));
    assert_eq!((Ix::axis(0) * 3 + Ix::axis(1)).floor_div(&Ix::konst(3)).simplify(&extents), Ix::axis(0));
    assert_eq!(Ix::axis(1).modulo(&Ix::konst(4)).simplify(&extents), Ix::axis(1));
}

#[test]
fn evaluation_agrees_with_construction_at_random() {
    let mut seed = 1u64;
    let mut next = |m: i64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((seed >> 33) as i64) % m
    };
    for _ in 0..3000 {
        let values = [next(7), next(5)];
        let leaf = |a: &Atom| match a {
            Atom::Axis(i) => Some(values[*i as usize]),
            _ => None,
        };
        let (mut e, mut v) = (Ix::axis(0), values[0]);
        for _ in 0..5 {
            let (o, ov) = if next(2) == 0 { (Ix::axis(1), values[1]) } else { (Ix::konst(3), 3) };
            let k = 1 + next(5);
            (e, v) = match next(7) {
                0 => (&e + &o, v + ov),
                1 => (&e - &o, v - ov),
                2 => (&e * k, v * k),
                3 => (e.floor_div(&Ix::konst(k)), v.div_euclid(k)),
                4 => (e.modulo(&Ix::konst(k)), v.rem_euclid(k)),
                5 => (e.min_with(&o), v.min(ov)),
                _ => (e.max_with(&o), v.max(ov)),
            };
            assert_eq!(e.eval(&leaf), Some(v), "{e}");
            let s = e.simplify(&[Ix::konst(7), Ix::konst(5)]);
            assert_eq!(s.eval(&leaf), Some(v), "{e} -> {s}");
        }
    }
}

#[test]
fn overflow_saturates() {
    let big = Ix::konst(i64::MAX);
    assert_eq!((&big * &big).as_const(), Some(i64::MAX));
}

#[test]
fn division_by_zero_is_zero() {
    for e in [Ix::axis(0) + 4, n(), Ix::konst(7)] {
        assert!(e.floor_div(&Ix::zero()).is(0) && e.modulo(&Ix::zero()).is(0), "{e}");
    }
}

/// Repeated squaring, choosing and dividing of a sum: the expressions would fill any memory.
#[test]
fn expressions_stay_short() {
    let steps: [fn(&Ix) -> Ix; 4] = [
        |x| x * x,
        |x| x.max_with(&(Ix::sym("k") - x)),
        |x| x.floor_div(&(x + &n())),
        |x| x + &x.modulo(&Ix::sym("k")),
    ];
    for step in steps {
        let last = (0..60).fold(n() + Ix::sym("m"), |x, _| step(&x));
        assert!(last.is_intricate(), "{last}");
        assert!(last.to_string().len() < 100_000);
    }
    assert!(!(n() * n() + 7).is_intricate());
}
