tocha_loops(gemm TYPES float32 float64 int64)
tocha_loops(bfloat16_tiles)
tocha_loops(narrow)
tocha_loops(small_avx512)
