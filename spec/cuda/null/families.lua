-- families.lua FOLDER [PATTERN]: what the cases of bench/families_cuda.lua and its neighbours, at their real sizes, launch: kernels and
-- their blocks, products by type, and waits for the GPU. FOLDER: the programs and libraries of a build of tocha_cuda_null. Device memory is only
-- addresses there, so a network of a real size takes no time. Against families_limits.lua; --print writes that file anew, and
-- --kernels shows the kernels.
local here = arg[0]:match "^(.*)/"
local folder, pattern, shows_limits, shows_kernels = arg[1], "", false, false
for i = 2, #arg do
  if arg[i] == "--print" then
    shows_limits = true
  elseif arg[i] == "--kernels" then
    shows_kernels = true
  else
    pattern = arg[i]
  end
end

local PROGRAMS = {"families_cuda", "networks_cuda", "operators_cuda"}

-- Returns the output of a program of bench/ with so many rounds of a case, and the lines of the files of counts.
local function run(program, name, rounds)
  local counts, products = os.tmpname(), os.tmpname()
  local pipe = assert(io.popen(("OMP_NUM_THREADS=1 TOCHA_CUDA=auto LD_LIBRARY_PATH='%s' NULL_CUDA_COUNTS=%s NULL_CUBLAS_COUNTS=%s ROUNDS=%d " ..
    "'%s/tocha' bench/%s.lua '%s' 2>&1"):format(folder, counts, products, rounds, folder, program, name)))
  local printed = pipe:read "a"
  if not pipe:close() then error(name .. " did not run:\n" .. printed, 0) end
  local lines = {}
  for _, file in ipairs {counts, products} do
    for line in io.lines(file) do lines[#lines + 1] = line end
    os.remove(file)
  end
  return printed, lines
end

-- Adds what the lines count, times `sign`, to the sums: launches, few (launches with fewer blocks than processors), waits,
-- products, small (products that do not fill the processors), convolutions of cuDNN, solver (calls of cuSOLVER, and of cuBLAS for
-- factors), and GFLOP by type; kernels: by name {launches,
-- few}.
local function add(sums, lines, sign)
  for _, line in ipairs(lines) do
    local launches, few, _, kernel = line:match "^kernel (%d+) (%d+) (%d+) (.*)$"
    local type, products, small, gflop = line:match "^product (%S+) (%d+) (%d+) (%S+)$"
    local name, calls = line:match "^(%S+) (%d+)$"
    if kernel then
      local k = sums.kernels[kernel] or {launches = 0, few = 0}
      k.launches, k.few = k.launches + sign * launches, k.few + sign * few
      sums.kernels[kernel] = k
      sums.launches, sums.few = sums.launches + sign * launches, sums.few + sign * few
    elseif type then
      sums.products, sums.small = sums.products + sign * products, sums.small + sign * small
      sums.gflop[type] = (sums.gflop[type] or 0) + sign * gflop
    elseif name == "convolutions" or name == "solver" then
      sums[name] = sums[name] + sign * calls
    elseif name and name:find "Synchronize$" then
      sums.waits = sums.waits + sign * calls
    end
  end
end

local FEW, MANY = 2, 4   -- rounds; what differs is what the rounds between cost

local function cost(program, name)
  local sums = {launches = 0, few = 0, waits = 0, products = 0, small = 0, convolutions = 0, solver = 0, gflop = {}, kernels = {}}
  add(sums, select(2, run(program, name, MANY)), 1)
  add(sums, select(2, run(program, name, FEW)), -1)
  for _, key in ipairs {"launches", "few", "waits", "products", "small", "convolutions", "solver"} do sums[key] = sums[key] / (MANY - FEW) end
  for type, gflop in pairs(sums.gflop) do sums.gflop[type] = gflop / (MANY - FEW) end
  for _, k in pairs(sums.kernels) do k.launches, k.few = k.launches / (MANY - FEW), k.few / (MANY - FEW) end
  return sums
end

local function words(got)
  local out, types = {}, {}
  for _, key in ipairs {"launches", "few", "waits", "products", "small", "convolutions", "solver"} do out[#out + 1] = ("%s %g"):format(key, got[key]) end
  for type, gflop in pairs(got.gflop) do
    if gflop > 0 then types[#types + 1] = ("%.1f GFLOP %s"):format(gflop, type) end
  end
  table.sort(types)
  return table.concat(out, ", ") .. (#types > 0 and ", " .. table.concat(types, ", ") or "")
end

local function show_kernels(kernels)
  local names = {}
  for name, k in pairs(kernels) do if k.launches > 0 then names[#names + 1] = name end end
  table.sort(names, function(a, b) return kernels[a].launches > kernels[b].launches end)
  for _, name in ipairs(names) do print(("  %6g launches, %6g of few blocks: %s"):format(kernels[name].launches, kernels[name].few, name)) end
end

local limits = {}
for _, limit in ipairs(shows_limits and {} or dofile(here .. "/families_limits.lua")) do limits[limit[1]] = limit end
local KEYS = {"launches", "few", "waits", "products", "convolutions", "solver"}

-- Returns what is more than the limit of a case allows, in words, or nil. GFLOP have one decimal there.
local function excess(name, got)
  local limit, out = limits[name], {}
  if not limit then return "there is no limit in families_limits.lua" end
  for _, key in ipairs(KEYS) do
    if got[key] > (limit[key] or 0) then out[#out + 1] = ("%s: more than %g"):format(key, limit[key] or 0) end
  end
  if (got.gflop.float32 or 0) > limit.float32 + 0.05 then out[#out + 1] = ("GFLOP float32: more than %g"):format(limit.float32) end
  return #out > 0 and table.concat(out, "; ") or nil
end

local passed, failed = 0, 0

local function check(program, name)
  local got = cost(program, name)
  if shows_limits then
    print(('  {"%s", launches = %g, few = %g, waits = %g, products = %g,%s%s float32 = %.1f},'):format(name, got.launches, got.few, got.waits,
      got.products, got.convolutions > 0 and (" convolutions = %g,"):format(got.convolutions) or "",
      got.solver > 0 and (" solver = %g,"):format(got.solver) or "", got.gflop.float32 or 0))
  else
    local more = excess(name, got)
    passed, failed = passed + (more and 0 or 1), failed + (more and 1 or 0)
    print(name .. ": " .. words(got) .. (more and "; " .. more or ""))
  end
  if shows_kernels then show_kernels(got.kernels) end
end

for _, program in ipairs(PROGRAMS) do
  for name in run(program, "", 0):gmatch "[^\n]+" do
    if name:find(pattern, 1, true) then check(program, name) end
  end
end
if not shows_limits then print(("%d passed, %d failed"):format(passed, failed)) end
os.exit(failed == 0)
