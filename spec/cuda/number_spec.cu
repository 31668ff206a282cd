// number_spec.cu: 16-bit types against an independent definition of rounding, and the functions of
// CUDA's that the C library lacks.
#include "device_array.h"
#include "harness.h"

#include <math.h>
#include <stdint.h>

namespace {

// The nearest number with `digits` fraction bits, ties to even, exponent not below `lowest`.
double rounded(double x, int digits, int lowest) {
  int exponent;
  if (x == 0 || !isfinite(x)) return x;
  frexp(x, &exponent); // x = f 2^exponent with f in [1/2, 1)
  int unit = (exponent - 1 < lowest ? lowest : exponent - 1) - digits;
  return ldexp(nearbyint(ldexp(x, -unit)), unit);
}

void half_types() {
  bool exact = true, back = true, wide = true;
  for (unsigned bits = 0; bits < 65536; bits++) {
    float16 h = {static_cast<unsigned short>(bits)};
    bfloat16 b = {static_cast<unsigned short>(bits)};
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double sign = bits >> 15 ? -1 : 1;
    double value = exponent == 0 ? sign * ldexp(fraction, -24)
                   : exponent == 31
                       ? (fraction ? NAN : sign * INFINITY)
                       : sign * ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
    double got = static_cast<double>(to_float(h));
    exact &= value != value ? got != got : got == value && signbit(got) == signbit(value);
    if (value == value) back &= from_float<float16>(to_float(h)).bits == bits;
    if (to_float(b) == to_float(b)) wide &= from_float<bfloat16>(to_float(b)).bits == bits;
  }
  check(exact, "every float16 has its value");
  check(back, "every float16 comes back");
  check(wide, "every bfloat16 comes back");
  bool half_rounds = true, bfloat_rounds = true;
  uint32_t bits = 12345;
  for (int i = 0; i < 300000; i++) {
    bits = bits * 1664525u + 1013904223u;
    uint32_t near_half =
        i % 2 ? bits : (bits & 0x807fffffu) | (0x33000000u + (bits >> 8 & 0x1f) * 0x00800000u);
    if (i % 3 == 0) near_half &= ~0xfffu; // ties
    float x = float_of_bits(near_half);
    if (x != x) continue;
    double h = rounded(static_cast<double>(x), 10, -14),
           b = rounded(static_cast<double>(x), 7, -126);
    if (fabs(h) >= 65536) h = copysign(INFINITY, h);
    if (fabs(b) >= ldexp(1, 128)) b = copysign(INFINITY, b);
    half_rounds &= static_cast<double>(to_float(from_float<float16>(x))) == h;
    bfloat_rounds &= static_cast<double>(to_float(from_float<bfloat16>(x))) == b;
  }
  check(half_rounds, "float16 rounds to nearest, ties to even");
  check(bfloat_rounds, "bfloat16 rounds to nearest, ties to even");
  float nan = float_of_bits(0x7f800001u);
  check(to_float(from_float<float16>(nan)) != to_float(from_float<float16>(nan)),
        "float16 keeps NaN");
  check(from_float<bfloat16>(nan).bits == 0x7fc0, "bfloat16 keeps NaN");
  check(from_float<float16>(65519.996f).bits == 0x7bff &&
            from_float<float16>(65520.0f).bits == 0x7c00,
        "float16 overflows where it should");
}

__global__ void arithmetic(double *out) {
  out[0] = rsqrt(4.0);
  out[1] = erfinv(0.3);
  out[2] = erfcinv(1e-10);
  out[3] = normcdf(-1.5);
  out[4] = normcdfinv(0.975);
  out[5] = sinpi(2.5);
  out[6] = cospi(-0.5);
  out[7] = erfinv(-0.999999);
  out[8] = static_cast<double>(__umulhi(0xdeadbeefu, 0x12345678u));
  out[9] = static_cast<double>(__umul64hi(0xdeadbeefdeadbeefull, 0x123456789abcdef0ull) >> 11);
  out[10] = __popc(0xf0f0u) + 100 * __clz(1) + 10000 * __ffs(8);
  out[11] = static_cast<double>(__uint_as_float(__float_as_uint(1.5f)));
  out[12] = static_cast<double>(rsqrtf(16.0f)) + static_cast<double>(__fdividef(1.0f, 4.0f));
  out[13] = static_cast<double>(min(3, -2) + max(5u, 7u)) + min(0.5, 2.0);
  out[14] = static_cast<double>(__float2int_rz(-2.7f)) + 1000.0 * __float2int_rz(3e38f);
  out[15] = static_cast<double>(__brev(1u));
  double s, c;
  sincospi(0.25, &s, &c);
  out[16] = s - c;
  out[17] = erfinv(1e-12);
  out[18] = erfcinv(1.7);
}

// Expected values: by definition where that is exact, else from the defining equation
// (erf(erfinv(x)) = x).
void functions() {
  DeviceArray<double> out(19);
  LAUNCH(arithmetic, 1, 1, 0, 0, out.pointer);
  std::vector<double> r = out.get();
  check_near(r[0], 0.5, 0, "rsqrt");
  check_near(erf(r[1]), 0.3, 1e-15, "erfinv");
  check_near(erfc(r[2]) / 1e-10, 1, 1e-13, "erfcinv in the tail");
  check_near(r[3], 0.5 * erfc(1.5 / sqrt(2.0)), 1e-15, "normcdf");
  check_near(0.5 * erfc(-r[4] / sqrt(2.0)), 0.975, 1e-14, "normcdfinv");
  check_near(r[5], 1, 0, "sinpi");
  check_near(r[6], 0, 0, "cospi");
  check_near((1 + erf(r[7])) / 1e-6, 1, 1e-9, "erfinv near -1");
  check_near(r[8], static_cast<double>(0xdeadbeefull * 0x12345678ull >> 32), 0, "__umulhi");
  __extension__ typedef unsigned __int128 Widest;
  Widest product = static_cast<Widest>(0xdeadbeefdeadbeefull) * 0x123456789abcdef0ull;
  check_near(r[9], static_cast<double>(static_cast<uint64_t>(product >> 64) >> 11), 0,
             "__umul64hi");
  check_near(r[10], 8 + 3100 + 40000, 0, "__popc, __clz, __ffs");
  check_near(r[11], 1.5, 0, "bits and back");
  check_near(r[12], 0.5, 1e-7, "rsqrtf, __fdividef");
  check_near(r[13], 5.5, 0, "min and max");
  check_near(r[14], -2.0 + 1000.0 * 2147483647.0, 0, "conversions saturate");
  check_near(r[15], 2147483648.0, 0, "__brev");
  check_near(r[16], 0, 1e-15, "sincospi");
  check_near(r[17] / (1e-12 * sqrt(3.14159265358979323846) / 2), 1, 1e-14, "erfinv near 0");
  check_near(erfc(r[18]), 1.7, 1e-14, "erfcinv beyond 1");
}

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011): Philox4x32-10, and its known
// answers.
__global__ void philox(uint4 *out, uint4 counter, uint2 key) {
  for (int round = 0; round < 10; round++) {
    unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  *out = counter;
}

void random_words() {
  DeviceArray<uint4> out(1);
  LAUNCH(philox, 1, 1, 0, 0, out.pointer, make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  uint4 w = out.get()[0];
  check(w.x == 0x6627e8d5u && w.y == 0xe169c58du && w.z == 0xbc57ac4cu && w.w == 0x9b00dbd8u,
        "Philox of zeros");
  LAUNCH(philox, 1, 1, 0, 0, out.pointer,
         make_uint4(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u),
         make_uint2(0xa4093822u, 0x299f31d0u));
  w = out.get()[0];
  check(w.x == 0xd16cfe09u && w.y == 0x94fdccebu && w.z == 0x5001e420u && w.w == 0x24126ea1u,
        "Philox of pi");
}

} // namespace

void number_specs() {
  expect_silence("half types", half_types);
  expect_silence("functions", functions);
  expect_silence("random words", random_words);
}
