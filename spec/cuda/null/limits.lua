-- limits.lua: what an operator on a GPU may cost the host: instructions, kernel launches, and calls of the driver without these.
-- Measured on a CUDA runtime that does nothing (runtime.cpp) with an optimized build; instructions with a tenth to spare.
return {
  {"add", instructions = 6900, launches = 1, calls = 2},
  {"add_in_place", instructions = 4350, launches = 1, calls = 2},
  {"sum", instructions = 10500, launches = 2, calls = 2},
  {"softmax", instructions = 7900, launches = 1, calls = 2},
  {"matmul", instructions = 8800, launches = 0, calls = 1},
  {"linear", instructions = 10200, launches = 0, calls = 1},
  {"layer_norm", instructions = 18500, launches = 1, calls = 2, rounds = 40},
  {"batch_norm", instructions = 18000, launches = 2, calls = 2, rounds = 40},
  {"depthwise", instructions = 12900, launches = 1, calls = 2, rounds = 40},
  {"attention", instructions = 12700, launches = 1, calls = 6, rounds = 40},
  {"scatter_add", instructions = 9000, launches = 1, calls = 4, rounds = 40},
  {"item", instructions = 2350, launches = 0, calls = 4},
  {"replay", instructions = 1500, launches = 1, calls = 1, rounds = 40},
  {"decode", instructions = 1500, launches = 1, calls = 1, rounds = 40},
  {"train", instructions = 150000, launches = 18, calls = 42, rounds = 40},
}
