tocha_loops(sample TYPES float32 float64)
