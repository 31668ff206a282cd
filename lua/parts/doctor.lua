-- doctor.lua: the output of `tocha --doctor`: how Tocha was built, what it found, what a missing part costs.
local torch = ...
local build = torch._build()
local lines = {}

local function line(name, value, note)
  lines[#lines + 1] = ("%-10s %s"):format(name, value)
  if note then lines[#lines + 1] = ("%-10s   %s"):format("", note) end
end

local function optional(name, value, cost) line(name, value or "not found", not value and cost or nil) end

local kernels = {
  baseline = "baseline loops: a processor with AVX2 computes elementwise work several times faster",
}

-- Returns how a GPU runs the kernels, by their architectures: nil if one is its own.
local function fit(architectures, i)
  local major, minor = torch.cuda.get_device_capability(i)
  local own, ptx = ("sm_%d%d"):format(major, minor), false
  for _, name in ipairs(architectures) do
    local of_major, of_minor = name:match "^sm_(%d+)(%d)$"
    if name == own or name == "simulated" then return nil end
    if tonumber(of_major) == major and tonumber(of_minor) <= minor then return nil end
    local version = tonumber(name:match "^compute_(%d+)$")
    ptx = ptx or version ~= nil and version <= 10 * major + minor
  end
  if ptx then return "no kernels for " .. own .. ", but PTX: the first start compiles them, once" end
  return "no kernels for " .. own .. ": build with -DTOCHA_CUDA_ARCHITECTURES=" .. major .. minor
end

-- Writes the version and the file of a library of the GPUs, or the reason that it is not there and what that costs.
local function device_library(name, cost)
  local version, file = torch._cuda.library(name)
  if version then
    line(name, ("%d.%d.%d, %s"):format(version // 10000, version // 100 % 100, version % 100, file))
  else
    line(name, "not found: " .. file, cost)
  end
end

line("torch", build.version)
line("lua", build.lua .. " (running: " .. _VERSION .. ")")
line("compiler", build.compiler)
if build.flags then line("flags", build.flags) end
line("kernels", build.kernels, kernels[build.kernels])
optional("blas", torch._blas(), "products and torch.linalg use Tocha's own loops, several times slower on large matrices; "
  .. "Debian: libopenblas0-openmp")
line("bfloat16", build.bfloat16 == "float32" and "multiplied in float32" or "multiplied by " .. build.bfloat16,
  build.bfloat16 == "float32" and "bfloat16 saves memory here, not time: a processor with AVX512-BF16 multiplies it faster"
  or nil)
optional("onednn", torch._onednn(), "large products take a tenth longer, and processors with AMX or "
  .. "AVX512-FP16 do not use them; Debian: libdnnl2 or libdnnl3")
optional("sleef", build.sleef, "exp, log, tanh and the like are as fast and right to about one unit in the last place, but not always "
  .. "PyTorch's; lgamma is computed one number at a time; Debian: libsleef-dev")
optional("jpeg", torch._io.jpeg_version(), "torch.vision reads and writes no JPEG; Debian: libjpeg-dev, then build again")
if rawget(torch, "_zmq") then optional("zeromq", torch._zmq(), "`tocha` is no kernel of notebooks; Debian: libzmq5") end

-- Writes the library of a backend of torch.distributed, or the reason that it is not there and what that costs.
local function backend(name, cost)
  local available, text = torch._distributed.is_backend_available(name)
  line(name, available and text or "not found: " .. text, not available and cost or nil)
end

if rawget(torch, "_distributed") then
  backend("gloo", "torch.distributed has no backend of its own for CPUs; Debian: libgloo-dev, then build again")
  backend("mpi", "torch.distributed does not start under mpirun, nor pass 512 ranks; Debian: libopenmpi-dev or libmpich-dev, "
    .. "then build again")
end
line("threads", tostring(torch.get_num_threads()), "set OMP_NUM_THREADS or call torch.set_num_threads(n)")
if torch.cuda.is_available() then
  local kernels_for = torch.cuda.get_arch_list()
  for i = 0, torch.cuda.device_count() - 1 do
    line("cuda:" .. i, tostring(torch.cuda.get_device_properties(i)), fit(kernels_for, i))
  end
  line("kernels for", table.concat(kernels_for, " "))
  device_library("cublas", "a GPU multiplies no matrices; pip: nvidia-cublas")
  device_library("cudnn", "convolutions are products of matrices, several times slower; pip: nvidia-cudnn-cu13")
  if rawget(torch, "_distributed") then
    backend("nccl", "torch.distributed has no backend for tensors of GPUs but gloo and mpi, by way of the host; pip: nvidia-nccl-cu13")
  end
  device_library("cusolver", "linear algebra runs on the CPU; pip: nvidia-cusolver")
else
  line("cuda", "not available: " .. torch.cuda.reason(), "everything runs on the CPU")
end

return table.concat(lines, "\n")
