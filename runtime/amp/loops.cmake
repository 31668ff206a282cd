tocha_loops(unscale TYPES float32 float64)
