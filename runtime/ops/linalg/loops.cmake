tocha_loops(plain_factors TYPES float32 float64 STRUCT tocha_lapack)
tocha_loops(plain_reflections TYPES float32 float64 STRUCT tocha_lapack)
tocha_loops(plain_spectra TYPES float32 float64 STRUCT tocha_lapack)
