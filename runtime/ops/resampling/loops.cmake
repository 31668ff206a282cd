tocha_loops(sample TYPES float32 float64)
tocha_loops(weigh TYPES float32 float64)
tocha_loops(taps TYPES float32 float64)
