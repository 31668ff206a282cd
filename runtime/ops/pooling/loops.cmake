tocha_loops(pool TYPES float32 float64 int64)
