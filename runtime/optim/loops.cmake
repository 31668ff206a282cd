tocha_loops(step TYPES float32 float64)
