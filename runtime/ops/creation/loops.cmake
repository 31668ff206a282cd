tocha_loops(sequence TYPES uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64)
