-- backends.lua: torch.backends: what this build can do, and the switches that programs set.
local torch = ...
local support = torch._part "_support"
local build = torch._build()

local function no() return false end
local function answer(value) return function() return value end end

local capability = {avx2 = "AVX2", avx512 = "AVX512"}

return support.module("torch.backends", {
  cpu = support.module("torch.backends.cpu", {
    get_cpu_capability = answer(capability[build.kernels] or "DEFAULT"),
  }),
  cuda = support.module("torch.backends.cuda", {
    is_built = no,
    matmul = {allow_tf32 = false, allow_fp16_reduced_precision_reduction = true,
      allow_bf16_reduced_precision_reduction = true},
  }),
  -- switches of a library that is not there may be set; nothing reads them
  cudnn = {is_available = no, version = answer(nil), enabled = true, benchmark = false, deterministic = false,
    allow_tf32 = true},
  mps = support.module("torch.backends.mps", {is_available = no, is_built = no}),
  mkl = support.module("torch.backends.mkl", {is_available = no}),
  mkldnn = support.module("torch.backends.mkldnn", {is_available = no}),
  openmp = support.module("torch.backends.openmp", {is_available = answer(build.openmp ~= nil)}),
})
