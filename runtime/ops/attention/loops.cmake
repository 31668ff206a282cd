tocha_loops(attention TYPES float32 float64)
