tocha_loops(unfold TYPES float32 float64 int64)
tocha_loops(strided)
