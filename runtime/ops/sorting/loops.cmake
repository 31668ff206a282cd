tocha_loops(sort_keys TYPES bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64)
tocha_loops(sort_entries TYPES int32 int64)
tocha_loops(select_entries TYPES int32 int64)
tocha_loops(nth TYPES bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64)
