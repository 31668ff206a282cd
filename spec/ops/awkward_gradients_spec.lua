-- awkward_gradients_spec.lua: walks the list of operators with awkward inputs (zeros, all equal, ties, corners, denormal numbers,
-- NaN, infinities, one element, none: spec/support/samples.lua). The gradients, whether they have a graph in turn, and the gradients
-- of the gradients are PyTorch's (spec/golden/awkward/FAMILY.json, by spec/golden/awkward.py).
--   OPS="softmax" busted ...                                              these operators alone (as in ops_spec.lua)
--   AWKWARD_KINDS="nan inf" busted spec/ops/awkward_gradients_spec.lua    these kinds alone
--   AWKWARD_ALL=1 busted spec/ops/awkward_gradients_spec.lua              also where PyTorch is not followed
local torch = require "torch"
local samples = require "samples"
local answers = require "answers"
local calls = require "sample_calls"
local weighted = calls.weighted

local words = {nan = 0 / 0, ["-nan"] = 0 / 0, inf = math.huge, ["-inf"] = -math.huge}

-- Returns the numbers of a text such as "0*3 nan".
local function numbers(text)
  local out = {}
  for word, times in text:gmatch "([^%s*]+)%*?(%d*)" do
    local value = words[word] or tonumber(word)
    for _ = 1, tonumber(times) or 1 do out[#out + 1] = value end
  end
  return out
end

local function close(a, b, tolerance)
  if a == b or (a ~= a and b ~= b) then return true end
  return math.abs(a - b) <= tolerance * (1 + math.abs(b))
end

-- Fails if a gradient differs from PyTorch's. No gradient and zeros count as equal.
local function compare(got, expected, what, tolerance)
  local wanted = numbers(expected or "")
  local values = got and got:detach():reshape{-1}:double():tolist() or {}
  for k = 1, math.max(#values, #wanted) do
    if not close(values[k] or 0, wanted[k] or 0, tolerance) then
      error(("%s: element %d is %s, PyTorch has %s\n  %s\n  %s"):format(what, k - 1, values[k], wanted[k], table.concat(values, " "), expected), 0)
    end
  end
end

local function check(op, call, expected)
  local first, graph, second = table.unpack(expected, 1, 3)
  local arguments, leaves = calls.leaves_of(op, call, "float64")
  local total = weighted(calls.results_of(op, arguments), 20)
  assert(total, "no result requires grad")
  local function gradients() return table.pack(torch.autograd.grad(total, leaves, {allow_unused = true, create_graph = true})) end
  if type(first) == "string" then return assert.is_false(pcall(gradients), "PyTorch refuses: " .. first) end
  local grads, present = gradients(), {}
  for k = 1, #leaves do
    compare(grads[k], first[k], "gradient " .. k - 1, 1e-5)
    if grads[k] then present[#present + 1] = grads[k] end
    if graph:sub(k, k) == "1" then assert(grads[k] and grads[k].requires_grad, "gradient " .. k - 1 .. " has no graph") end
  end
  if type(second) ~= "table" then return end
  local again = table.pack(torch.autograd.grad(weighted(present, 30), leaves, {allow_unused = true}))
  for k = 1, #leaves do compare(again[k], second[k], "gradient of the gradient " .. k - 1, 1e-5) end
end

-- The operators, by kind of input, that do not follow PyTorch (docs/differences.md), and why.
local differs = {}
local function differ(kind, names)
  differs[kind] = differs[kind] or {}
  for name in names:gmatch "%S+" do differs[kind][name] = true end
end

for _, kind in ipairs(samples.kinds) do differ(kind, "as_strided_scatter") end   -- PyTorch's own gradcheck rejects its gradient

-- The choice among equal elements, or several NaN, as the quantile.
for _, kind in ipairs {"zeros", "same", "ties", "corners", "denormal"} do differ(kind, "quantile.scalar nanquantile.scalar") end
differ("nan", "quantile.scalar")

-- PyTorch's second derivative is NaN although it exists: of sinc at 0, of pow with a base of 0.
for _, kind in ipairs {"zeros", "ties", "corners", "denormal"} do differ(kind, "sinc") end
differ("ties", "pow")
differ("corners", "pow")

-- PyTorch's vector loop and the one for the elements left over have different gradients; so have its kernels of two and three dimensions.
differ("nan", "elu.functional celu celu.functional selu selu.functional selu_ hardswish.functional logit grid_sampler_2d grid_sampler_3d")
differ("inf", "grid_sampler_2d grid_sampler_3d")

-- Powers that leave float64's range, or lose its digits, in another order of steps.
differ("denormal", "cdist pdist cumprod i1 triangular_solve vander")

-- Matrices without inverse or without unique factors, where rounding decides, and those with NaN or infinity.
differ("zeros", "polar.linalg")
local factors = " cond det det.linalg eigh eigvalsh matrix_norm matrix_norm.str_ord matrix_sqrth norm.linalg_str polar.linalg qr svd svd.linalg svdvals"
differ("same", "cholesky_ex" .. factors)
differ("ties", "lu_solve lu_solve.linalg" .. factors)
differ("corners", "lu_solve lu_solve.linalg matrix_sqrth ormqr")
differ("denormal", "cholesky_ex cond lu lu_solve.linalg matrix_norm matrix_sqrth qr svdvals")
differ("nan", "householder_product ormqr")
differ("inf", "cholesky_inverse householder_product lstsq lu lu_factor lu_factor_ex lu_solve.linalg matrix_power matrix_power.linalg ormqr")

-- PyTorch checks no sizes where there are no elements, or reads past the end of the sequences; gradients without elements that have a graph.
differ("empty", "adaptive_avg_pool3d batch_norm.functional scaled_dot_product_attention cummax cummin ormqr")
differ("one", "_pack_padded_sequence")

local function is_difference(op, kind) return differs[kind] and differs[kind][op.name] and not os.getenv "AWKWARD_ALL" end

local list = samples.chosen(samples.load())
local kinds = (os.getenv "AWKWARD_KINDS" or table.concat(samples.kinds, " "))

for kind in kinds:gmatch "%S+" do
  describe("gradients of " .. kind .. ":", function()
    for _, op in ipairs(list) do
      local rows = answers.awkward(op)[kind] or {}
      for i, call in ipairs(next(rows) and samples.calls(op) or {}) do
        if type(rows[i]) == "table" and not is_difference(op, kind) then
          it(op.name .. (i > 1 and " #" .. i or ""), function() check(op, samples.awkward(op, call, kind), rows[i]) end)
        end
      end
    end
  end)
end
