tocha_loops(loss TYPES float32 float64)
tocha_loops(nll_loss TYPES float32 float64)
tocha_loops(margin TYPES float32 float64)
tocha_loops(ctc TYPES float32 float64)
