tocha_loops(softmax TYPES float32 float64)
