/* typed_special_math.h: modified Bessel functions and incomplete gamma functions of one type
 * (after Cephes and SciPy). The steps are PyTorch's, because they show in the last digits.
 * Included by special_math.h for float and for double:
 *
 *   REAL         the type
 *   TYPED(name)  the name with the type at its end
 *   REAL_F(name) the library's function of the type
 *   DOUBLE       1 if the type is double */

/* --- modified Bessel functions (Cephes) ------------------------------------------------------------ */

/* Returns the sum of a Chebyshev series. */
TOCHA_DEVICE static inline REAL TYPED(tocha_chebyshev)(REAL x, const REAL *terms, int count) {
  REAL sum = terms[0], before = 0, last = 0;
  for (int i = 1; i < count; i++) {
    last = before;
    before = sum;
    sum = x * before - last + terms[i];
  }
  return (REAL)0.5 * (sum - last);
}

/* Returns exp(-|x|) I0(x) for |x| up to 8 (_small), or exp(-x) sqrt(x) I0(x) for larger x
 * (_large). */
TOCHA_DEVICE static inline REAL TYPED(tocha_i0_small)(REAL x) {
  static const REAL terms[] = {
      -4.41534164647933937950E-18, 3.33079451882223809783E-17,  -2.43127984654795469359E-16,
      1.71539128555513303061E-15,  -1.16853328779934516808E-14, 7.67618549860493561688E-14,
      -4.85644678311192946090E-13, 2.95505266312963983461E-12,  -1.72682629144155570723E-11,
      9.67580903537323691224E-11,  -5.18979560163526290666E-10, 2.65982372468238665035E-9,
      -1.30002500998624804212E-8,  6.04699502254191894932E-8,   -2.67079385394061173391E-7,
      1.11738753912010371815E-6,   -4.41673835845875056359E-6,  1.64484480707288970893E-5,
      -5.75419501008210370398E-5,  1.88502885095841655729E-4,   -5.76375574538582365885E-4,
      1.63947561694133579842E-3,   -4.32430999505057594430E-3,  1.05464603945949983183E-2,
      -2.37374148058994688156E-2,  4.93052842396707084878E-2,   -9.49010970480476444210E-2,
      1.71620901522208775349E-1,   -3.04682672343198398683E-1,  6.76795274409476084995E-1,
  };
  return TYPED(tocha_chebyshev)(x / 2 - 2, terms, (int)(sizeof terms / sizeof *terms));
}
TOCHA_DEVICE static inline REAL TYPED(tocha_i0_large)(REAL x) {
  static const REAL terms[] = {
      -7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17,
      3.46122286769746109310E-17,  -2.82762398051658348494E-16, -3.42548561967721913462E-16,
      1.77256013305652638360E-15,  3.81168066935262242075E-15,  -9.55484669882830764870E-15,
      -4.15056934728722208663E-14, 1.54008621752140982691E-14,  3.85277838274214270114E-13,
      7.18012445138366623367E-13,  -1.79417853150680611778E-12, -1.32158118404477131188E-11,
      -3.14991652796324136454E-11, 1.18891471078464383424E-11,  4.94060238822496958910E-10,
      3.39623202570838634515E-9,   2.26666899049817806459E-8,   2.04891858946906374183E-7,
      2.89137052083475648297E-6,   6.88975834691682398426E-5,   3.36911647825569408990E-3,
      8.04490411014108831608E-1,
  };
  return TYPED(tocha_chebyshev)(32 / x - 2, terms, (int)(sizeof terms / sizeof *terms));
}
TOCHA_DEVICE static inline REAL TYPED(tocha_i0)(REAL x) {
  REAL size = REAL_F(fabs)(x), growth = REAL_F(exp)(size);
  if (size <= 8) return growth * TYPED(tocha_i0_small)(size);
  return growth * TYPED(tocha_i0_large)(size) / REAL_F(sqrt)(size);
}

/* Returns exp(-|x|) I1(x) / x for |x| up to 8 (_small), or exp(-x) sqrt(x) I1(x) for larger x
 * (_large). */
TOCHA_DEVICE static inline REAL TYPED(tocha_i1_small)(REAL x) {
#if DOUBLE
  static const REAL terms[] = {
      2.77791411276104639959E-18,  -2.11142121435816608115E-17, 1.55363195773620046921E-16,
      -1.10559694773538630805E-15, 7.60068429473540693410E-15,  -5.04218550472791168711E-14,
      3.22379336594557470981E-13,  -1.98397439776494371520E-12, 1.17361862988909016308E-11,
      -6.66348972350202774223E-11, 3.62559028155211703701E-10,  -1.88724975172282928790E-9,
      9.38153738649577178388E-9,   -4.44505912879632808065E-8,  2.00329475355213526229E-7,
      -8.56872026469545474066E-7,  3.47025130813767847674E-6,   -1.32731636560394358279E-5,
      4.78156510755005422638E-5,   -1.61760815825896745588E-4,  5.12285956168575772895E-4,
      -1.51357245063125314899E-3,  4.15642294431288815669E-3,   -1.05640848946261981558E-2,
      2.47264490306265168283E-2,   -5.29459812080949914269E-2,  1.02643658689847095384E-1,
      -1.76416518357834055153E-1,  2.52587186443633654823E-1,
  };
#else
  static const REAL terms[] = {
      9.38153738649577178388E-9,  -4.44505912879632808065E-8, 2.00329475355213526229E-7,
      -8.56872026469545474066E-7, 3.47025130813767847674E-6,  -1.32731636560394358279E-5,
      4.78156510755005422638E-5,  -1.61760815825896745588E-4, 5.12285956168575772895E-4,
      -1.51357245063125314899E-3, 4.15642294431288815669E-3,  -1.05640848946261981558E-2,
      2.47264490306265168283E-2,  -5.29459812080949914269E-2, 1.02643658689847095384E-1,
      -1.76416518357834055153E-1, 2.52587186443633654823E-1,
  };
#endif
  return TYPED(tocha_chebyshev)(x / 2 - 2, terms, (int)(sizeof terms / sizeof *terms));
}
TOCHA_DEVICE static inline REAL TYPED(tocha_i1_large)(REAL x) {
#if DOUBLE
  static const REAL terms[] = {
      7.51729631084210481353E-18,  4.41434832307170791151E-18,  -4.65030536848935832153E-17,
      -3.20952592199342395980E-17, 2.96262899764595013876E-16,  3.30820231092092828324E-16,
      -1.88035477551078244854E-15, -3.81440307243700780478E-15, 1.04202769841288027642E-14,
      4.27244001671195135429E-14,  -2.10154184277266431302E-14, -4.08355111109219731823E-13,
      -7.19855177624590851209E-13, 2.03562854414708950722E-12,  1.41258074366137813316E-11,
      3.25260358301548823856E-11,  -1.89749581235054123450E-11, -5.58974346219658380687E-10,
      -3.83538038596423702205E-9,  -2.63146884688951950684E-8,  -2.51223623787020892529E-7,
      -3.88256480887769039346E-6,  -1.10588938762623716291E-4,  -9.76109749136146840777E-3,
      7.78576235018280120474E-1,
  };
#else
  static const REAL terms[] = {
      -3.83538038596423702205E-9, -2.63146884688951950684E-8, -2.51223623787020892529E-7,
      -3.88256480887769039346E-6, -1.10588938762623716291E-4, -9.76109749136146840777E-3,
      7.78576235018280120474E-1,
  };
#endif
  return TYPED(tocha_chebyshev)(32 / x - 2, terms, (int)(sizeof terms / sizeof *terms));
}
TOCHA_DEVICE static inline REAL TYPED(tocha_i1)(REAL x) {
  REAL size = REAL_F(fabs)(x), growth = REAL_F(exp)(size);
  REAL result = size <= 8 ? growth * size * TYPED(tocha_i1_small)(size)
                          : growth * TYPED(tocha_i1_large)(size) / REAL_F(sqrt)(size);
  return x < 0 ? -result : result;
}

/* --- incomplete gamma functions (SciPy) ------------------------------------------------------------ */

#if DOUBLE
#define EPSILON 1.11022302462515654042E-16
#define BIG 4.503599627370496e15
#define LITTLE 2.22044604925031308085e-16
#define MAX_LOG 7.09782712893383996843E2
#else
#define EPSILON 5.9604644775390625E-8f
#define BIG 16777216.f
#define LITTLE 5.9604644775390625E-8f
#define MAX_LOG 88.72283905206835f
#endif
#define LANCZOS_G ((REAL)6.024680040776729583740234375)

/* Returns Lanczos' approximation of the gamma function, scaled: a quotient of polynomials in x,
 * or in 1 / x if x > 1. */
TOCHA_DEVICE static inline REAL TYPED(tocha_lanczos)(REAL x) {
  static const REAL above[] = {
      0.006061842346248906525783753964555936883222, 0.5098416655656676188125178644804694509993,
      19.51992788247617482847860966235652136208,    449.9445569063168119446858607650988409623,
      6955.999602515376140356310115515198987526,    75999.29304014542649875303443598909137092,
      601859.6171681098786670226533699352302507,    3481712.15498064590882071018964774556468,
      14605578.08768506808414169982791359218571,    43338889.32467613834773723740590533316085,
      86363131.28813859145546927288977868422342,    103794043.1163445451906271053616070238554,
      56906521.91347156388090791033559122686859,
  };
  static const REAL below[] = {
      1.,        66.,        1925.,      32670.,     357423.,   2637558., 13339535.,
      45995730., 105258076., 150917976., 120543840., 39916800., 0.,
  };
  REAL y = x > 1 ? 1 / x : x, up = 0, down = 0;
  for (int i = 0; i < 13; i++) {
    int at = x > 1 ? 12 - i : i;
    up = up * y + above[at];
    down = down * y + below[at];
  }
  return up / down;
}

/* Returns x^a exp(-x) / gamma(a). */
TOCHA_DEVICE static inline REAL TYPED(tocha_igam_factor)(REAL a, REAL x) {
  if ((double)REAL_F(fabs)(a - x) > 0.4 * (double)REAL_F(fabs)(a)) {
    REAL power = a * REAL_F(log)(x) - x - REAL_F(lgamma)(a);
    return power < -MAX_LOG ? 0 : REAL_F(exp)(power);
  }
  REAL shifted = (REAL)((double)(a + LANCZOS_G) - 0.5);
  REAL result = REAL_F(sqrt)(shifted / (REAL)2.718281828459045) / TYPED(tocha_lanczos)(a);
  if (a < 200 && x < 200) return result * (REAL_F(exp)(a - x) * REAL_F(pow)(x / shifted, a));
  REAL ratio = (REAL)((double)(x - a - LANCZOS_G) + 0.5) / shifted;
  double power = (double)(a * (REAL_F(log1p)(ratio) - ratio)) +
                 (double)x * (0.5 - (double)LANCZOS_G) / (double)shifted;
  return (REAL)((double)result * exp(power));
}

/* Returns the lower function as a power series (DLMF 8.11.4). */
TOCHA_DEVICE static inline REAL TYPED(tocha_igam_series)(REAL a, REAL x) {
  REAL factor = TYPED(tocha_igam_factor)(a, x), r = a, term = 1, sum = 1;
  if (factor == 0) return 0;
  for (int i = 0; i < 2000; i++) {
    r += 1;
    term *= x / r;
    sum += term;
    if (term <= EPSILON * sum) break;
  }
  return sum * factor / a;
}

/* Returns the upper function as a power series (DLMF 8.7.3). */
TOCHA_DEVICE static inline REAL TYPED(tocha_igamc_series)(REAL a, REAL x) {
  REAL factor = 1, sum = 0;
  for (int n = 1; n < 2000; n++) {
    factor *= -x / (REAL)n;
    REAL term = factor / (a + (REAL)n);
    sum += term;
    if (REAL_F(fabs)(term) <= EPSILON * REAL_F(fabs)(sum)) break;
  }
  REAL log_x = REAL_F(log)(x), first = -REAL_F(expm1)(a * log_x - REAL_F(lgamma)(1 + a));
  return first - REAL_F(exp)(a * log_x - REAL_F(lgamma)(a)) * sum;
}

/* Returns the upper function as a continued fraction (DLMF 8.9.2). */
TOCHA_DEVICE static inline REAL TYPED(tocha_igamc_fraction)(REAL a, REAL x) {
  REAL factor = TYPED(tocha_igam_factor)(a, x), y = 1 - a, z = x + y + 1, c = 0;
  REAL p_before = 1, q_before = x, p = x + 1, q = z * x, result = p / q;
  if (factor == 0) return 0;
  for (int i = 0; i < 2000; i++) {
    c += 1;
    y += 1;
    z += 2;
    REAL next_p = p * z - p_before * (y * c), next_q = q * z - q_before * (y * c), change = 1;
    if (next_q != 0) {
      REAL r = next_p / next_q;
      change = REAL_F(fabs)((result - r) / r);
      result = r;
    }
    REAL scale = REAL_F(fabs)(next_p) > BIG ? LITTLE : 1;
    p_before = p * scale;
    p = next_p * scale;
    q_before = q * scale;
    q = next_q * scale;
    if (change <= EPSILON) break;
  }
  return result * factor;
}

/* Returns the lower or the upper function for a large a near x (DLMF 8.12.3 and 8.12.4). */
TOCHA_DEVICE static inline REAL TYPED(tocha_igam_asymptotic)(REAL a, REAL x, int lower) {
  REAL slope = (x - a) / a, absolute = (REAL)INFINITY, sum = 0, scale = 1, powers[25] = {1};
  REAL eta = REAL_F(sqrt)(-2 * (REAL_F(log1p)(slope) - slope)), sign = lower ? -1 : 1;
  if (!(x / a > 1)) eta = x / a < 1 ? -eta : 0;
  for (int n = 1; n < 25; n++) powers[n] = eta * powers[n - 1];
  for (int k = 0; k < 25; k++) {
    REAL c = (REAL)tocha_igam_terms[k][0];
    for (int n = 1; n < 25; n++) {
      REAL term = (REAL)tocha_igam_terms[k][n] * powers[n];
      c += term;
      if (REAL_F(fabs)(term) < EPSILON * REAL_F(fabs)(c)) break;
    }
    REAL term = c * scale, size = REAL_F(fabs)(term);
    if (size > absolute) break;
    sum += term;
    if (size < EPSILON * REAL_F(fabs)(sum)) break;
    absolute = size;
    scale /= a;
  }
  REAL result = (REAL)(0.5 * (double)REAL_F(erfc)(sign * eta * REAL_F(sqrt)(a / 2)));
  double falls = exp(-0.5 * (double)a * (double)eta * (double)eta);
  return (REAL)((double)result + (double)sign * falls * (double)sum /
                                     (double)REAL_F(sqrt)(2 * (REAL)3.14159265358979323846f * a));
}

/* Returns true if a is large and near x. */
TOCHA_DEVICE static inline int TYPED(tocha_igam_is_asymptotic)(REAL a, REAL x) {
  REAL distance = REAL_F(fabs)(x - a) / a;
  return (a > 20 && a < 200 && distance < (REAL)0.3) ||
         (a > 200 && distance < (REAL)4.5 / REAL_F(sqrt)(a));
}

/* Returns the regularized upper incomplete gamma function, 1 - tocha_igamma(a, x). */
TOCHA_DEVICE static inline REAL TYPED(tocha_igammac)(REAL a, REAL x) {
  if (x < 0 || a < 0 || (a == 0 && !(x > 0))) return (REAL)NAN;
  if (a == 0) return 0;
  if (x == 0) return 1;
  if (isinf(a)) return isinf(x) ? (REAL)NAN : 1;
  if (isinf(x)) return 0;
  if (TYPED(tocha_igam_is_asymptotic)(a, x)) return TYPED(tocha_igam_asymptotic)(a, x, 0);
  if ((double)x > 1.1)
    return x < a ? 1 - TYPED(tocha_igam_series)(a, x) : TYPED(tocha_igamc_fraction)(a, x);
  double border = (double)x <= 0.5 ? -0.4 / (double)REAL_F(log)(x) : (double)x * 1.1;
  return border < (double)a ? 1 - TYPED(tocha_igam_series)(a, x) : TYPED(tocha_igamc_series)(a, x);
}

/* Returns the regularized lower incomplete gamma function. */
TOCHA_DEVICE static inline REAL TYPED(tocha_igamma)(REAL a, REAL x) {
  if (x < 0 || a < 0 || (a == 0 && !(x > 0))) return (REAL)NAN;
  if (a == 0) return 1;
  if (x == 0) return 0;
  if (isinf(a)) return isinf(x) ? (REAL)NAN : 0;
  if (isinf(x)) return 1;
  if (TYPED(tocha_igam_is_asymptotic)(a, x)) return TYPED(tocha_igam_asymptotic)(a, x, 1);
  return x > 1 && x > a ? 1 - TYPED(tocha_igammac)(a, x) : TYPED(tocha_igam_series)(a, x);
}
#undef EPSILON
#undef BIG
#undef LITTLE
#undef MAX_LOG
#undef LANCZOS_G
