tocha_loops(convert TYPES bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64
  float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu)
tocha_loops(move TYPES uint8 int16 int32 int64)
