tocha_loops(step TYPES float32 float64 float16 bfloat16)
