tocha_loops(softmax TYPES float32 float64)
tocha_loops(norm TYPES float32 float64)
