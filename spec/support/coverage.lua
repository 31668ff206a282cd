-- coverage.lua: prints the coverage table: which operators take which dtypes on the CPU and on CUDA, and how they run
-- there. Nothing is looked up: the first sample call of each operator is made on each device in each dtype.
--   TOCHA_CUDA=simulate build/tocha spec/support/coverage.lua > docs/coverage.md
package.path = "spec/support/?.lua;" .. package.path
local torch = require "torch"
local samples = require "samples"
local calls = require "sample_calls"
local list = samples.load()
local floats = {float = true, positive = true, unit = true, sorted = true}

-- Returns true if the call has a result on a device with its tensors (those that may) in a dtype.
local function runs(op, call, dtype, device)
  local any, any_float = false, false
  for _, arguments in ipairs{call.positional, call.keywords} do
    for _, argument in pairs(arguments) do
      for _, spec in ipairs(calls.tensors_of(argument)) do any, any_float = true, any_float or floats[spec.values] end
    end
  end
  local options = {cast = function(spec) return (floats[spec.values] or not any_float) and dtype or nil end}
  if not any then options.keywords = {dtype = torch[dtype]} end
  torch.set_default_device(device)
  local ok = pcall(function() return calls.results_of(op, (calls.build(call, options))) end)
  local fine = device == "cpu" or pcall(torch.cuda.synchronize)
  torch.set_default_device "cpu"
  return ok and fine
end

-- Returns how an operator runs on CUDA.
local function way(op)
  if op.composite then return "made of operators" end
  if op.view then return "a view" end
  if op.host == "without library" then return "cuSOLVER" end
  return op.host and "on the CPU" or "kernel"
end

assert(torch.cuda.is_available(), "no device: " .. torch.cuda.reason())
print "# Coverage\n"
print "Made by `TOCHA_CUDA=simulate build/tocha spec/support/coverage.lua > docs/coverage.md`: the first sample call of every"
print "operator, run in each dtype. `+`: on the CPU and on CUDA; `c`: on the CPU only; `g`: on CUDA only; `.`: on"
print "neither (as in PyTorch, or an error that says so). An operator that has no kernel on CUDA runs on the CPU instead.\n"
print("| operator | " .. table.concat(samples.dtypes, " | ") .. " | on CUDA | gradient |")
print("|---|" .. ("---|"):rep(#samples.dtypes + 2))
local marks = {[true] = {[true] = "+", [false] = "c"}, [false] = {[true] = "g", [false] = "."}}
local rows, missing = {}, 0
for _, op in ipairs(list) do
  local call = not op.inplace_of and not op.alias_of and not op.unlisted and #op.forms > 0 and samples.calls(op)[1]
  if call then
    local cells = {}
    for k, dtype in ipairs(samples.dtypes) do
      cells[k] = marks[runs(op, call, dtype, "cpu")][runs(op, call, dtype, "cuda")]
    end
    if way(op) == "on the CPU" then missing = missing + 1 end
    local gradient = (op.grad or op.backward or op.composite) and "yes" or ""
    rows[#rows + 1] = ("| %s | %s | %s | %s |"):format(op.name, table.concat(cells, " | "), way(op), gradient)
  end
end
table.sort(rows)
print(table.concat(rows, "\n"))
print(("\n%d operators; %d of them run on the CPU instead."):format(#rows, missing))
