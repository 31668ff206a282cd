-- limits.lua: what an operator on a GPU may cost the host: instructions, kernel launches, and calls of the driver without these.
-- Measured on a CUDA runtime that does nothing (runtime.cpp) with an optimized build; instructions with a tenth to spare.
return {
  {"add", instructions = 7000, launches = 1, calls = 3},
  {"add_in_place", instructions = 7000, launches = 1, calls = 3},
  {"sum", instructions = 9000, launches = 1, calls = 3},
  {"softmax", instructions = 9000, launches = 1, calls = 3},
  {"matmul", instructions = 9000, launches = 0, calls = 3},
  {"linear", instructions = 9000, launches = 0, calls = 3},
  {"item", instructions = 9000, launches = 0, calls = 4},
  {"train", instructions = 210000, launches = 18, calls = 80, rounds = 40},
}
