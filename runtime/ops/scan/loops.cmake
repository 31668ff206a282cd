tocha_loops(scan TYPES float32 float64 int64)
