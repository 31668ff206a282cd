-- limits.lua: for a file of kernels, rows of parts of a kernel's mangled name and what it may take on sm_90: registers; bytes of stack (spills;
-- none, if not said); and of its main loop the instructions of a round, the bytes of loads under way before the first is used (at least),
-- the narrowest load (16 bytes, if not said); instructions for products of tensor cores in all (at least). whole: a round is the whole
-- kernel. A row's comment: elements a round.
return {
  elementwise_activation = {
    {"11elementwise 12Formula_geluEfLi4", registers = 32, instructions = 140, ahead = 16},        -- 4
    {"11elementwise 12Formula_geluE8bfloat16", registers = 32, instructions = 250, ahead = 16},   -- 8
    {"11elementwise 12Formula_geluE7float16", registers = 32, instructions = 250, ahead = 16},    -- 8
    {"11elementwise 12Formula_siluE8bfloat16", registers = 32, instructions = 150, ahead = 16},   -- 8
    {"11elementwise 12Formula_reluE8bfloat16", registers = 24, instructions = 56, ahead = 16},    -- 8
  },
  elementwise_arithmetic = {
    {"11elementwise 11Formula_addEfLi4", registers = 32, instructions = 54, ahead = 32},         -- 4
    {"11elementwise 11Formula_addE8bfloat16", registers = 32, instructions = 70, ahead = 32},    -- 8
    {"5mixed 11Formula_addEfE", registers = 40, instructions = 90, ahead = 64},                  -- 4, and three calls
    {"5mixed 11Formula_addElE", registers = 48, instructions = 115, ahead = 64},                  -- int32 is computed so
  },
  elementwise_backward = {
    {"11elementwise 21Formula_gelu_backwardE8bfloat16", registers = 40, instructions = 375, ahead = 32}, -- 8
  },
  reduce_sum = {
    {"14reduce_columns 3RowIfEEfE", registers = 64, instructions = 42, ahead = 64},         -- 16; with 64 two blocks of 512 on a multiprocessor
    {"14reduce_columns 3RowIfEE8bfloat16", registers = 64, instructions = 96, ahead = 64},  -- 32
    {"14reduce_columns 3RowIfEE7float16", registers = 64, instructions = 96, ahead = 64},   -- 32
  },
  ["reduction/position"] = {
    {"14reduce_columns 8PositionIfEEfE", registers = 48, instructions = 100, ahead = 64}, -- 16
    {"6reduceI 8PositionIfEEfE", registers = 64, instructions = 90, ahead = 64},   -- 16
  },
  softmax = {
    {"10short_rows IfLi16E", registers = 64},         -- two blocks of 512 on a multiprocessor
    {"10short_rows I8bfloat16Li16E", registers = 64},
    {"9long_rows IfE", registers = 64, instructions = 60, ahead = 64},
    {"9long_rows I8bfloat16E", registers = 64, instructions = 60, ahead = 64},
  },
  norm_rows = {
    {"9norm_rows I8bfloat16Li32ELi8ES2_", registers = 80, whole = true, instructions = 640, ahead = 64, narrowest = 2}, -- 32
    {"9norm_rows I7float16Li32ELi8ES2_", registers = 80, whole = true, instructions = 640, ahead = 64, narrowest = 2},  -- 32
    {"9norm_rows IfLi32ELi4Ef", registers = 128, whole = true, instructions = 720, ahead = 128, narrowest = 4},         -- 32
    {"15layers_backward I8bfloat16Li16ELi8ES2_", registers = 128, instructions = 290, ahead = 64, narrowest = 4},  -- 16; mean and rstd are narrow
    {"15layers_backward IfLi8ELi4Ef", registers = 80, instructions = 195, ahead = 64, narrowest = 4},              -- 8
  },
  norm_columns = {
    {"14column_moments IfLi4E", registers = 64, instructions = 130, ahead = 64},  -- 16
    {"11column_sums IfLb0ELi4E", registers = 64, instructions = 130, ahead = 96},  -- 16
  },
  norm = {
    {"11set_moments IfLi4E", registers = 64, instructions = 155, ahead = 64},      -- 16
    {"11sample_sums IfLi4E", registers = 48, instructions = 80, ahead = 64},       -- 8
    {"15groups_backward IfLi4E", registers = 80},
  },
  scan = {{"12scan_columns 7RunningIfE", registers = 56, instructions = 90, ahead = 64, narrowest = 8}}, -- of float64, 8
  -- blocks of 128 threads, two on a multiprocessor
  flash_forward = {
    {"13flash_forward I8bfloat16Li64ELb0", registers = 255, products = 128},
    {"13flash_forward I8bfloat16Li64ELb1", registers = 255, products = 128},
    {"13flash_forward I7float16Li64ELb0", registers = 255, products = 128},
    {"13flash_forward I8bfloat16Li128ELb0", registers = 255, products = 128},
    {"13flash_forward I8bfloat16Li128ELb1", registers = 200, products = 64},
    {"13flash_forward I8bfloat16Li32ELb0", registers = 200, products = 64},
  },
  flash_backward = {
    {"18flash_query_slopes I8bfloat16Li64ELb0", registers = 224, products = 96},
    {"18flash_query_slopes I8bfloat16Li64ELb1", registers = 248, products = 96},
    {"18flash_query_slopes I8bfloat16Li128ELb0", registers = 200, products = 96},
    {"16flash_key_slopes I8bfloat16Li64ELb0", registers = 255, products = 128},
    {"16flash_key_slopes I8bfloat16Li64ELb1", registers = 224, products = 64},
    {"16flash_key_slopes I8bfloat16Li128ELb0", registers = 248, products = 128},
    {"16flash_key_slopes I8bfloat16Li128ELb1", registers = 255, products = 64},
  },
  index = {{"4moveIjjLi5E", registers = 24, instructions = 125, ahead = 12, narrowest = 4}},
  resize = {
    {"6resizeIfLi2ELi2E", registers = 32}, {"6resizeIfLi4ELi2E", registers = 48}, {"11resize_wideIfE", registers = 64},
    {"15resize_backwardIfLi2ELi2E", registers = 64}, {"15resize_backwardIfLi4ELi2E", registers = 64},
  },
  sample = {
    {"6sampleIf AroundILi2ELi2E", registers = 40}, {"6sampleIf AroundILi4ELi2E", registers = 96}, {"6sampleIf AroundILi2ELi3E", registers = 72},
    {"5slopeIf AroundILi2ELi2E", registers = 48}, {"6spreadIf AroundILi2ELi2E", registers = 48}, {"5bringIf AroundILi2ELi2E", registers = 64},
    {"6spreadId AroundILi4ELi2E", registers = 128},
  },
  optim = {
    {"4stepI 4AdamE8bfloat16", registers = 48}, {"4stepI 4AdamEf", registers = 48},
    {"7prepareI 4AdamEf", registers = 56}, {"7prepareI 5RAdamEd", registers = 64},
  },
  ["random/position"] = {{"advance_positions", registers = 16}},
  pool_images = {
    {"10max_imagesIfLi3E", registers = 32}, {"14average_imagesIfLi2E", registers = 32}, {"13spread_imagesIfE", registers = 48},
  },
  dense_loss = {
    {"10loss_partsIfLi0E", registers = 40, instructions = 100, ahead = 32},           -- 8
    {"10dense_lossIfLi0ELi1E", registers = 40, instructions = 100, ahead = 64},       -- 8
    {"10dense_lossI8bfloat16Li1ELi1E", registers = 48, instructions = 250, ahead = 64}, -- 16
  },
  ctc = {{"5alphaIfE", registers = 40}, {"4betaIfE", registers = 40}, {"7collectIfE", registers = 40}},
}
