tocha_loops(index TYPES bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64
  float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu)
tocha_loops(nonzero TYPES bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64)
tocha_loops(where TYPES uint8 int16 int32 int64)
tocha_loops(join_rows TYPES float32 float64 int64)
tocha_loops(bag TYPES float16 bfloat16 float32 float64)
