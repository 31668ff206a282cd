-- indexing_spec.lua: indexing, gather and scatter, masks and order on a device against the same calls on the CPU:
-- dtypes, layouts, positions that repeat, sizes that need several blocks, tiles or passes, gradients, errors.
local torch = require "torch"

local section = require("gpus").with_one

-- --- comparing ---------------------------------------------------------------------------------------------
-- Sums of floating numbers run in another order there; everything else is exact.
local allowed = {float32 = 4e-6, float64 = 1e-14, float16 = 4e-3, bfloat16 = 3e-2}

local function check(expected, answer, what, sums)
  if type(expected) == "table" then
    assert.are.equal(#expected, #answer, what)
    for i = 1, #expected do check(expected[i], answer[i], what .. " result " .. i, sums) end
    return
  end
  assert(tostring(answer.device):find "cuda", what .. ": not on the device")
  assert.are.equal(tostring(expected.dtype), tostring(answer.dtype), what)
  assert.are.equal(tostring(expected.shape), tostring(answer.shape), what)
  answer = answer:cpu()
  local bound = allowed[tostring(expected.dtype):match "%w+$"]
  if not bound or expected:numel() == 0 then
    assert(expected:equal(answer), ("%s:\n%s\nbut\n%s"):format(what, expected, answer))
    return
  end
  expected, answer = expected:double(), answer:double()
  local same = expected:eq(answer):logical_or(expected:isnan():logical_and(answer:isnan()))
  local off = (expected - answer):abs():masked_fill(same, 0):max():item()
  local size = expected:abs():max():item()
  if off ~= off or off > (sums and bound * math.max(size, 1) or 0) then
    error(("%s: %g off\n%s\n%s"):format(what, off, expected, answer))
  end
end

local function there(x)
  if torch.is_tensor(x) then return x:to("cuda") end
  if type(x) == "table" and getmetatable(x) == nil then
    local moved = {}
    for k, v in pairs(x) do moved[k] = there(v) end
    return moved
  end
  return x
end

local function both(f, what, sums, ...)
  local n, moved = select("#", ...), {}
  local here = {...}
  for i = 1, n do moved[i] = there(here[i]) end
  check(table.pack(f(table.unpack(here, 1, n))), table.pack(f(table.unpack(moved, 1, n))), what, sums)
end

-- --- inputs ------------------------------------------------------------------------------------------------
local all = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"}
local numbers = {"float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"}

local function drawn(dtype, ...)
  if dtype == "bool" then return torch.rand(...):gt(0.5) end
  if dtype == "uint8" then return torch.randint(0, 9, {...}):to(torch.uint8) end
  if dtype:find "int" then return torch.randint(-9, 10, {...}):to(torch[dtype]) end
  return torch.randn(...):to(torch[dtype])
end

-- The same values in several layouts, made on the device of t.
local layouts = {
  rows = function(t) return t end,
  columns = function(t) return t:transpose(0, -1):contiguous():transpose(0, -1) end,
  cut = function(t) return torch.cat({t, t}, -1):narrow(-1, 1, t:size(-1)) end,
  stepped = function(t) return torch.stack({t, t}, -1):select(-1, 1) end,
  repeated = function(t) return t:narrow(0, 0, 1):expand_as(t) end,
}

local function integers(limit, ...) return torch.randint(0, limit, {...}) end

-- topk's values, and what its indices point to: which of several equals those name is not said.
local function first(t, k, largest)
  local values, indices = t:topk(k, -1, largest)
  return values, t:gather(-1, indices)
end

-- The same of one value along dim.
local function named(t, dim, values, indices)
  local at = indices:dim() < t:dim() and indices:unsqueeze(dim) or indices
  return values, t:gather(dim, at)
end

section("indexing on a device", function()
  before_each(function() torch.manual_seed(7) end)

  it("reads by index tensors, of every dtype and layout", function()
    local forms = {
      first = function(x, i) return x[{i}] end,
      last = function(x, i) return x[{"...", i}] end,
      middle = function(x, i) return x[{":", i}] end,
      apart = function(x, i, j) return x[{i, ":", j}] end,
      pair = function(x, i, j) return x[{i, j}] end,
      crossed = function(x, i, j) return x[{i:unsqueeze(1), j}] end,
      three = function(x, i, j) return x[{i, j, i}] end,
      mixed = function(x, i) return x[{"1:", 2, i}] end,
      narrow = function(x, i) return x[{i:to(torch.int32)}] end,
      empty = function(x, i) return x[{i:narrow(0, 0, 0)}] end,
      selected = function(x, i) return x:index_select(1, i) end,
      taken = function(x, i, j) return x:take(i * 9 + j) end,
    }
    local i, j = torch.tensor {0, 3, -1, 2, 3, -4}, torch.tensor {1, -3, 0, 2, 1, 3}
    for _, dtype in ipairs(all) do
      local x = drawn(dtype, 4, 4, 5)
      for name, layout in pairs(layouts) do
        for form, f in pairs(forms) do
          local positions = form == "selected" and i:remainder(4) or i
          both(function(t, a, b) return f(layout(t), a, b) end, dtype .. " " .. name .. " " .. form, false, x,
            positions, j)
        end
      end
    end
  end)

  it("reads rows of any length and alignment", function()
    for _, length in ipairs {1, 3, 4, 5, 9, 17, 31, 64, 300} do
      for _, dtype in ipairs {"float32", "float16", "int8", "float64"} do
        local x = drawn(dtype, 40, length)
        both(function(t, i) return t[{i}], t[{":", i:remainder(length)}] end, dtype .. " " .. length, false, x, integers(40, 3, 50))
        if length > 3 then
          both(function(t, i) return t[{":", "1:"}][{i}], t[{":", "2:"}][{i}], t[{":", ":-1"}][{i}] end, dtype .. " of " .. length, false, x,
            integers(40, 100))
        end
      end
    end
  end)

  it("takes more index tensors than one launch", function()
    local x = drawn("float32", 3, 4, 5, 2, 3)
    local i = {integers(3, 7), integers(4, 7), integers(5, 7), integers(2, 7), integers(3, 7)}
    both(function(t, a, b, c, d, e) return t[{a, b, c, d, e}], t[{a, b, c, d}], t[{a:unsqueeze(1), b, c, d}] end,
      "five", false, x, table.unpack(i))
    both(function(t, a, b, c, d, e)
      t:index_put_({a, b, c, d, e}, torch.tensor(1.0, {device = t.device}), true)
      return t
    end, "five, added", true, x:clone(), table.unpack(i))
  end)

  it("writes where positions are different", function()
    for _, dtype in ipairs(all) do
      for name, layout in pairs(layouts) do
        if name ~= "repeated" then
          local x, rows, column = drawn(dtype, 6, 4, 5), drawn(dtype, 3, 4, 5), drawn(dtype, 3, 1)
          local function on(t) return layout(t:clone()) end
          both(function(t, v, w, i, j)
            local a, b, c, d, e = on(t), on(t), on(t), on(t), on(t)
            a[{i}] = v
            b[{i, ":", j}] = w
            c[{i, j}] = 1
            d:index_copy_(0, i:remainder(6), v)
            e:index_fill_(2, j, 0)
            return a, b, c, d, e
          end, dtype .. " " .. name, false, x, rows, column, torch.tensor {5, 0, -3}, torch.tensor {1, -2, 0})
        end
      end
    end
  end)

  it("reads and writes by masks", function()
    for _, dtype in ipairs(all) do
      local x, mask, line = drawn(dtype, 6, 5, 4), drawn("bool", 6, 5, 4), drawn("bool", 6)
      both(function(t, m, l)
        local a, b, c, d = t:clone(), t:clone(), t:clone(), t:clone()
        a[{m}] = 1
        b[{l}] = b[{l}]:clone():flip(0)
        c[{m}] = torch.arange(m:sum():item(), {device = t.device}):to(t.dtype)
        d[{":", m[0][{":", 0}]}] = 0
        return t[{m}], t[{l}], t:masked_select(m), t:masked_select(l:view(6, 1, 1)), a, b, c, d
      end, dtype, false, x, mask, line)
    end
  end)

  it("finds what is not zero", function()
    for _, shape in ipairs {{1}, {0}, {7}, {2048}, {2049}, {9000}, {3, 4, 5}, {40, 0, 2}, {100, 90}} do
      for _, dtype in ipairs(numbers) do
        local x = drawn(dtype, table.unpack(shape)) * drawn("bool", table.unpack(shape)):to(torch[dtype])
        both(function(t)
          local coordinates = t:nonzero {as_tuple = true}
          return t:nonzero(), torch.argwhere(t), coordinates, torch.where(t:ne(0))
        end, dtype .. " " .. #shape, false, x)
      end
    end
    both(function(t) return t:nonzero(), (t * 0):nonzero(), (t * -0.0):ne(0):nonzero() end, "0-dim", false,
      torch.tensor(2.5))
    both(function(t) return t:t():nonzero(), t:t():masked_select(t:t():gt(0)) end, "transposed", false, drawn("float32", 70, 50))
  end)

  it("adds where positions repeat, the same in every run", function()
    for _, dtype in ipairs(numbers) do
      for _, case in ipairs {{5, 1, 3}, {300, 7, 1}, {300, 7, 40}, {5000, 1, 2}, {5000, 40, 3}, {33, 33, 1}} do
        local n, rows, lanes = table.unpack(case)
        local x, v, i = drawn(dtype, rows, lanes), drawn(dtype, n, lanes), integers(rows, n)
        if dtype == "float16" or dtype == "bfloat16" then v = v / 64 end
        local what = ("%s %d in %d x %d"):format(dtype, n, rows, lanes)
        if not dtype:find "float16" or n <= 300 then  -- the CPU rounds each sum of halves
          both(function(t, s, k)
            local a = t:clone():index_put_({k}, s, true)
            local b = t:clone():index_add_(0, k, s, {alpha = 2})
            local c = t:t():contiguous():t():index_add_(0, k, s)
            local d = t:clone():scatter_add_(0, k:unsqueeze(1):expand(n, lanes), s)
            local e = t:clone():scatter_add_(0, k:unsqueeze(1):expand(n, lanes):contiguous(), s)
            return a, b, c, d, e
          end, what, true, x, v, i)
        end
        local once = there(x):index_add(0, there(i), there(v))
        assert(once:equal(there(x):index_add(0, there(i), there(v))), what .. ": not the same twice")
      end
    end
  end)

  it("adds to what index tensors of several dimensions pick", function()
    local x, i, j = drawn("float64", 5, 6, 7), integers(5, 40, 1), integers(7, 30)
    both(function(t, a, b)
      return t:clone():index_put_({a, torch.tensor(2, {device = t.device}), b}, torch.tensor(1.5, {device = t.device, dtype = t.dtype}), true)
    end, "number", true, x, i, j)
    both(function(t, a, b, v)
      local transposed = t:permute(2, 0, 1):contiguous():permute(1, 2, 0)
      transposed:transpose(0, 1):index_put_({torch.tensor({1, 1, 4}, {device = t.device}):view(3, 1, 1), a, b}, v, true)
      return transposed
    end, "transposed", true, x, i, j, drawn("float64", 3, 40, 30))
  end)

  it("gathers and scatters along any dimension", function()
    for _, dtype in ipairs(all) do
      for name, layout in pairs(layouts) do
        for dim = 0, 2 do
          local sizes = {4, 5, 6}
          local limit = sizes[dim + 1]
          sizes[dim + 1] = 4
          local i = integers(limit, 4, 4, 3)
          local different = torch.stack({torch.randperm(limit), torch.randperm(limit)}, dim == 0 and 1 or 0)
          local x = drawn(dtype, 4, 5, 6)
          both(function(t, k) return layout(t):gather(dim, k), layout(t):gather(dim, k:to(torch.int32)) end,
            ("%s %s gather %d"):format(dtype, name, dim), false, x, i)
          if name ~= "repeated" and dim < 2 then
            both(function(t, k, v)
              local a, b = layout(t:select(2, 0):clone()), layout(t:select(2, 0):clone())
              return a:scatter_(dim, k, v), b:scatter_(dim, k, 1)
            end, ("%s %s scatter %d"):format(dtype, name, dim), false, x, different, drawn(dtype, 5, 5))
          end
        end
      end
    end
  end)

  it("carries gradients back", function()
    local x, i, j, mask = drawn("float32", 30, 8), integers(30, 90), integers(8, 90), drawn("bool", 30, 8)
    local forms = {
      index = function(t, a) return t[{a}] end,
      pair = function(t, a, b) return t[{a, b}] end,
      mask = function(t, _, _, m) return t[{m}] end,
      masked_select = function(t, _, _, m) return t:masked_select(m) end,
      index_select = function(t, a) return t:index_select(0, a) end,
      gather = function(t, a, b) return t:gather(0, torch.stack({a, b}, 1)) end,
      take = function(t, a, b) return t:take(a * 8 + b) end,
      sort = function(t) return (t:sort(0)) end,
      topk = function(t) return (t:topk(3, 0)) end,
      median = function(t) return (t:median(1)) end,
      kthvalue = function(t) return (t:kthvalue(2, 1)) end,
      unfold = function(t) return t:unfold(0, 5, 2) end,
      as_strided = function(t) return t:as_strided({6, 5}, {3, 2}, 1) * 1 end,
      repeats = function(t, a) return t:repeat_interleave(a:narrow(0, 0, 30):remainder(3), 0) end,
      index_add = function(t, a) return t:index_add(0, a, t:repeat_interleave(3, 0)) end,
      index_put = function(t, a, b)
        return t:index_put({a, b}, t:view(-1):narrow(0, 0, 90), true)
      end,
    }
    for name, f in pairs(forms) do
      both(function(t, a, b, m)
        local leaf = t:detach():requires_grad_(true)
        local y = f(leaf, a, b, m)
        local weights = torch.arange(y:numel(), {device = t.device}):view(y.shape):to(torch.float32):remainder(7)
        y:backward(weights)
        return y:detach(), leaf.grad
      end, name, true, x, i, j, mask)
    end
  end)

  it("sorts rows of every dtype and length", function()
    for _, dtype in ipairs(all) do
      for _, n in ipairs {0, 1, 2, 31, 64, 100, 700, 2048, 2049, 5000} do
        local x = drawn(dtype, 3, n)
        local v, i = torch.sort(there(x), {stable = true})
        local w, j = torch.sort(x, {stable = true})
        check({w, j}, {v, i}, dtype .. " " .. n)
        both(function(t)
          local a, b = t:sort(-1, true)
          return a, b, t:argsort()
        end, dtype .. " down " .. n, false, x)
      end
      both(function(t)
        local a, b = t:sort(0)
        local c, d = t:sort(1, true)
        return a, b, c, d
      end, dtype .. " along others", false, drawn(dtype, 70, 5, 4))
    end
    both(function(t) return t:sort() end, "0-dim", false, torch.tensor(3.0))
    both(function(t) return t:sort(1) end, "many short rows", false, drawn("int64", 1000, 3))
    both(function(t) return t:sort(0) end, "three tiles of wide integers", false, integers(1 << 50, 6000) - (1 << 49))
    both(function(t) return t:sort(0) end, "more tiles than a chunk has", false, drawn("int16", 140000))
  end)

  it("puts NaN last, keeps equals in order, takes -0 for 0", function()
    local nan, inf = 0 / 0, math.huge
    for _, n in ipairs {9, 4500} do
      local values = torch.tensor {nan, 1, -0.0, 0.0, inf, -inf, -1, nan, 0.0}
      local x = values[{torch.arange(n):remainder(9)}]
      for _, dtype in ipairs {"float32", "float64", "float16", "bfloat16"} do
        both(function(t)
          local a, b = t:sort()
          local c, d = t:sort(0, true)
          local e, f = first(t, n > 1024 and 1024 or 5, true)
          local g, h = first(t, 4, false)
          local k, l = named(t, 0, t:median(0))
          local m, o = named(t, 0, t:nanmedian(0))
          local numbers_of_t = t:masked_fill(t:isnan(), inf)
          local p, q = named(numbers_of_t, 0, numbers_of_t:mode(0))
          return a, b, c, d, e, f, g, h, k, l, m, o, p, q, 1 / a, t:median(), t:nanmedian()
        end, dtype .. " " .. n, false, x:to(torch[dtype]))
      end
    end
  end)

  it("selects by rank", function()
    for _, dtype in ipairs(numbers) do
      for _, case in ipairs {{4, 10, 3}, {3, 3000, 7}, {2, 3000, 1024}, {2, 3000, 2000}, {1, 2500, 2500}, {2, 2100, 1}} do
        local rows, n, k = table.unpack(case)
        both(function(t)
          local a, b = first(t, k, true)
          local c, d = first(t, k, false)
          local e, f = named(t, 1, t:kthvalue(k))
          local g, h = named(t, 1, t:median(1))
          local i, j = named(t, 1, t:mode(1))
          local l, m = named(t:t(), 0, t:t():kthvalue(k, 0, true))
          return a, b, c, d, e, f, g, h, i, j, l, m, t:median()
        end, ("%s %d of %d x %d"):format(dtype, k, rows, n), false, drawn(dtype, rows, n))
      end
    end
    both(function(t)
      local a, b = first(t, 5, true)
      local c, d = named(t, 1, t:kthvalue(60000))
      local e, f = named(t, 1, t:median(1))
      return a, b, c, d, e, f
    end, "one long row", false, drawn("float32", 1, 66000))
    both(function(t) return t:topk(0), t:topk(1) end, "0-dim", false, torch.tensor(3.0))
  end)

  it("selects from a few long rows in parts, the first of equals", function()
    for _, case in ipairs {{3, 70001, 50}, {1, 200000, 1000}, {31, 66000, 7}} do
      for _, dtype in ipairs {torch.float32, torch.float64, torch.bfloat16, torch.int64} do
        local x = (torch.rand(case[1], case[2]) * 3000):to(dtype)
        for _, largest in ipairs {true, false} do
          local values, places = x:cuda():topk(case[3], 1, largest)
          local sorted, order = x:sort {dim = 1, descending = largest, stable = true}
          assert.is_true(torch.equal(values:cpu(), sorted:narrow(1, 0, case[3])))
          assert.is_true(torch.equal(places:cpu(), order:narrow(1, 0, case[3])))
        end
      end
    end
    local x = torch.zeros(2, 70000)
    x["0, 69999"] = 0 / 0
    assert.are.same({{69999, 0, 1}, {0, 1, 2}}, select(2, x:cuda():topk(3)):cpu():tolist())
  end)

  it("counts", function()
    for _, dtype in ipairs {"float32", "float64", "int64", "int32", "uint8", "bool", "float16"} do
      for _, n in ipairs {0, 1, 50, 5000} do
        both(function(t)
          local a, b, c = torch._unique2(t, true, true, true)
          return a, b, c
        end, "unique " .. dtype .. " " .. n, false, drawn(dtype, n))
      end
    end
    both(function(t) return torch._unique2(t, true, true, true) end, "unique NaN", false,
      torch.tensor {{0 / 0, 1, 0.0}, {0 / 0, -0.0, 1}})
    both(function(t, w)
      return torch.bincount(t), torch.bincount(t, w), torch.bincount(t, w:double(), 90), torch.bincount(t:narrow(0, 0, 0), {minlength = 3})
    end, "bincount", true, integers(60, 4000), drawn("float32", 4000))
    for _, dtype in ipairs {"float32", "float64", "float16"} do
      both(function(t)
        return torch.histc(t, 10), torch.histc(t, 7, -1, 1), torch.histc(t, 3000, -2, 2)
      end, "histc " .. dtype, false, drawn(dtype, 50, 70))
    end
    both(function(t)
      return torch.nn.functional.one_hot(t), torch.nn.functional.one_hot(t, 12), t:repeat_interleave(t:view(-1)),
        torch.repeat_interleave(t:view(-1)), t:repeat_interleave(t:select(1, 0), 0)
    end, "one_hot", false, integers(9, 40, 3))
  end)

  it("takes indices and numbers of the CPU", function()
    local x, i, mask = there(torch.arange(12):view(4, 3)), torch.tensor {2, 0}, torch.tensor {true, false, false, true}
    assert.are.equal("tensor([[6, 7, 8],\n        [0, 1, 2]], device='cuda:0')", tostring(x[{i}]))
    assert.are.equal("tensor([[ 0,  1,  2],\n        [ 9, 10, 11]], device='cuda:0')", tostring(x[{mask}]))
    x[{mask}] = -1
    x[{i, 1}] = torch.tensor(50)
    x:index_put_({torch.tensor {1}}, torch.tensor(7), true)
    assert.are.equal("tensor([[-1, 50, -1],\n        [10, 11, 12],\n        [ 6, 50,  8],\n        [-1, -1, -1]], device='cuda:0')",
      tostring(x))
    assert.are.equal(50, x[{0, there(torch.tensor(1))}]:item())
  end)

  it("names what is wrong", function()
    local function problem(f, ...)
      local ok, e = pcall(f, ...)
      assert.is_false(ok)
      return (tostring(e):match "^[^\n]*")
    end
    local x, i = torch.ones(3), there(torch.tensor {0})
    local expected = "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
    assert.are.equal(expected, problem(function() return x[{i}] end))
    assert.are.equal(expected, problem(function() x[{i}] = 1 end))
    assert.are.equal(expected, problem(function() x:index_put_({i}, torch.ones(1)) end))
    assert.is_truthy(problem(function() there(x):index_put_({i}, torch.ones(1)) end):find "same device")
    assert.are.equal("index is out of bounds for dimension with size 0",
      problem(function() return there(torch.zeros(0))[{i}] end))

    local y = there(torch.ones(3, 4))
    local reports = {
      ["index(): index 3 is out of bounds for dimension 0 with size 3"] = function(k) return y[{k}] end,
      ["index_select(): index 3 is out of bounds for dimension 0 with size 3"] = function(k) return y:index_select(0, k) end,
      ["gather(): index 3 is out of bounds for dimension 0 with size 3"] = function(k) return y:gather(0, k:view(1, 1)) end,
      ["scatter_add(): index 3 is out of bounds for dimension 0 with size 3"] =
        function(k) return y:scatter_add(0, k:view(1, 1), torch.ones(1, 1, {device = "cuda"})) end,
      ["index_add_(): index 3 is out of bounds for dimension 0 with size 3"] =
        function(k) return y:index_add(0, k, torch.ones(1, 4, {device = "cuda"})) end,
    }
    for message, f in pairs(reports) do
      assert.are.equal(message, problem(function()
        f(there(torch.tensor {3}))
        torch.cuda.synchronize()
      end))
      torch.cuda.synchronize() -- said once
    end
    assert.are.equal(12, y:sum():item())
  end)
end)
