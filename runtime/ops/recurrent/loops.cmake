tocha_loops(recurrent TYPES float32 float64)
