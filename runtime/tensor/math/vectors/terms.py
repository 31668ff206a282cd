"""Computes the polynomials of vectors/*.h, and writes terms.h.

    pip install mpmath; python3 terms.py > terms.h; clang-format -i terms.h

Each polynomial is the best approximation on its interval: Remez's exchange algorithm makes the largest
weighted error as small as its degree allows. If 0 is an end of the interval, the coefficients are rounded
to the type one after the other, the lowest power first, and the remaining ones are fitted again to what a
rounded one leaves.
"""
from mpmath import asin, atan, cos, erf, erfc, exp, expm1, log, log1p, lu_solve, matrix, mp, mpf, pi, sin, sqrt, taylor

mp.prec = 200


def rounded(x, bits):
    with_bits = mp.prec
    mp.prec = bits
    y = +x
    mp.prec = with_bits
    return y


def best(f, weight, low, high, first, count):
    """Returns the coefficients of x^first, ..., x^(first + count - 1) that approximate f best, and the error."""
    grid = [low + (high - low) * (1 - cos(pi * i / (16 * count))) / 2 for i in range(16 * count + 1)]
    values = [(x, f(x), weight(x)) for x in grid]
    points = [values[round(16 * count * (i + mpf(2) / 5) / (count + 1))] for i in range(count + 1)]
    for _ in range(12):
        a, b = matrix(count + 1), matrix(count + 1, 1)
        for i, (x, y, w) in enumerate(points):
            for j in range(count):
                a[i, j] = w * x ** (first + j)
            a[i, count] = (-1) ** i
            b[i] = w * y
        solution = lu_solve(a, b)
        terms = [solution[j] for j in range(count)]
        errors = [w * (sum(c * x ** (first + j) for j, c in enumerate(terms)) - y) for x, y, w in values]
        peaks = []
        for e, at in zip(errors, values):   # the extremes between changes of sign
            if peaks and peaks[-1][0] * e > 0:
                if abs(e) > abs(peaks[-1][0]):
                    peaks[-1] = (e, at)
            else:
                peaks.append((e, at))
        while len(peaks) > count + 1:
            peaks.pop(0 if abs(peaks[0][0]) < abs(peaks[-1][0]) else -1)
        if len(peaks) < count + 1:
            break
        points = [at for _, at in peaks]
        if max(abs(e) for e, _ in peaks) < mpf(1.02) * min(abs(e) for e, _ in peaks):
            break
    return terms, max(abs(e) for e in errors)


def fitted(f, weight, low, high, count, bits):
    done = []
    if low < 0:
        done = [rounded(c, bits) for c in best(f, weight, low, high, 0, count)[0]]
    while len(done) < count:
        known = len(done)
        terms, _ = best(lambda x: f(x) - sum(c * x ** i for i, c in enumerate(done)), weight, low, high,
                        known, count - known)
        done.append(rounded(terms[0], bits))
        if bits > 24 and len(done) == 3:   # the rounding of later ones no longer counts
            done += [rounded(c, bits) for c in terms[1:]]
    grid = [low + (high - low) * i / mpf(400) for i in range(401)]
    error = max(abs(weight(x) * (sum(c * x ** i for i, c in enumerate(done)) - f(x))) for x in grid)
    return done, error


def odd_rest(f):
    """Returns (f(s) - s) / s^3 as a function of s^2, by its Taylor series near 0."""
    series = [c for c in taylor(f, 0, 9)]

    def rest(z):
        if z < mpf(2) ** -40:
            return series[3] + z * series[5]
        s = sqrt(z)
        return (f(s) - s) / (s * z)
    return rest


def near_zero(f, limit):
    """Returns f with a value instead of a quotient of two zeros at 0."""
    return lambda x: f(x) if abs(x) > mpf(2) ** -30 else limit + x * (f(mpf(2) ** -20) - limit) * mpf(2) ** 20


def log_quotient(s):
    return (log1p(s) - log1p(-s)) / 2   # artanh s = s + s^3 / 3 + ...


def at_share(f):
    """Returns f as a function of q = 2u - 1, where x = 4u / (1 - u)."""
    return lambda q: f(max(4 * (1 + q) / (1 - q), mpf(2) ** -60))


def scaled_erfc(x):
    return (1 + 2 * x) * exp(x ** 2) * erfc(x)   # between 1 and 1.24


half_log2 = log(2) / 2 * mpf(1.001)
quarter, half = (pi / 4 * mpf(1.0001)) ** 2, (pi / 2 * mpf(1.0001)) ** 2
eighth = (3 - 2 * sqrt(mpf(2))) ** 2 * mpf(1.001)
exp_rest = near_zero(lambda r: (expm1(r) - r) / r ** 2, mpf(1) / 2)
cos_rest = near_zero(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, mpf(1) / 24)
log_rest = odd_rest(log_quotient)
erf_rest = near_zero(lambda z: erf(sqrt(z)) / sqrt(z) - 1, 2 / sqrt(pi) - 1)
one = lambda x: mpf(1)
itself = lambda x: x

# name, what it is, function, weight, interval, numbers of coefficients of float and double
polynomials = [
    ("exp", "(e^x - 1 - x) / x^2 for |x| <= log(2) / 2", exp_rest,
     lambda x: max(abs(x), half_log2 / 4) ** 2 / exp(x), -half_log2, half_log2, 5, 10),
    ("log", "(artanh(s) - s) / s^3 of s^2, for the s of a number in [sqrt(1/2), sqrt(2)]", log_rest, itself,
     mpf(0), eighth, 3, 7),
    ("log_high", "the same less 1/3, divided by s^2",
     lambda z: (log_rest(z) - mpf(1) / 3) / z if z > mpf(2) ** -40 else mpf(1) / 5, lambda z: z ** 2,
     mpf(0), eighth, 0, 8),
    ("asin", "(arcsin(s) - s) / s^3 of s^2 <= 1/4", odd_rest(asin), itself, mpf(0), mpf(1) / 4, 5, 12),
    ("atan", "(arctan(s) - s) / s^3 of s^2 <= (7/16)^2", odd_rest(atan), itself, mpf(0), (mpf(7) / 16) ** 2, 5, 11),
    ("sin", "(sin(s) - s) / s^3 of s^2, for s <= pi / 4", odd_rest(sin), itself, mpf(0), quarter, 0, 6),
    ("cos", "(cos(s) - 1 + s^2 / 2) / s^4 of s^2, for s <= pi / 4", cos_rest, lambda z: z ** 2,
     mpf(0), quarter, 0, 6),
    ("near_sin", "(sin(s) - s) / s^3 of s^2, for s <= pi / 4; for floats", odd_rest(sin), itself,
     mpf(0), quarter, 0, 4),
    ("near_cos", "(cos(s) - 1 + s^2 / 2) / s^4 of s^2, for s <= pi / 4; for floats", cos_rest, lambda z: z ** 2,
     mpf(0), quarter, 0, 4),
    ("wide_sin", "(sin(s) - s) / s^3 of s^2, for s <= pi / 2; for floats", odd_rest(sin), itself,
     mpf(0), half, 0, 6),
    ("erf", "erf(s) / s - 1 of s^2, for s <= 7/8", erf_rest, one, mpf(0), mpf(49) / 64, 0, 12),
    ("erf_tail", "-log(erfc(7/8 + x)) for x <= 41/8; the error is erf's", lambda x: -log(erfc(x + mpf(7) / 8)),
     lambda x: erfc(x + mpf(7) / 8), mpf(0), mpf(41) / 8, 0, 19),
    ("erfc", "((1 + 2x) e^x^2 erfc(x) - 1) / u of 2u - 1, where u = x / (x + 4), for x <= 28; the error is erfc's",
     at_share(lambda x: (scaled_erfc(x) - 1) * (x + 4) / x), at_share(lambda x: x / (x + 4) / scaled_erfc(x)),
     mpf(-1), mpf(3) / 4, 0, 22),
    ("near_erfc", "(1 + 2x) e^x^2 erfc(x) of the same, for x <= 10.5; for floats", at_share(scaled_erfc),
     at_share(lambda x: 1 / scaled_erfc(x)), mpf(-1), mpf(13) / 29, 0, 12),
]


def main():
    print("/* terms.h: coefficients of the polynomials in this folder, the highest power's first (written by\n"
          " * terms.py). */\n#ifndef TOCHA_VECTOR_TERMS_H\n#define TOCHA_VECTOR_TERMS_H\n")
    for name, means, f, weight, low, high, singles, doubles in polynomials:
        for kind, bits, count, digits in (("float", 24, singles, 9), ("double", 53, doubles, 17)):
            if not count:
                continue
            terms, error = fitted(f, weight, low, high, count, bits)
            print(f"/* {means}; error 2^{float(log(error, 2)):.1f} */")
            text = ", ".join(f"{float(c):.{digits}g}" + ("f" if bits == 24 else "") for c in reversed(terms))
            print(f"static const {kind} v{kind}_{name}_terms[] = {{{text}}};\n", flush=True)
    print("#endif")


main()
