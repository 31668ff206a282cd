-- demo.lua: a line is fitted by gradient descent, in LuaJIT.  luajit demo.lua LIBTOCHA TOCHA_API.JSON
local ffi = require "ffi"
local tocha = require "tocha"(arg[1], arg[2])
local C = tocha.C

local count = 0
for _, f in ipairs(tocha.api.functions) do if not f.inline then count = count + 1 end end
assert(count > 2000)

-- Returns a tensor (N, 1) with the numbers.
local function column(numbers)
  return tocha.from_values(ffi.new("float[?]", #numbers, numbers), 2, ffi.new("int64_t[2]", #numbers, 1), C.TOCHA_FLOAT32)
end

local xs, ys = {}, {}
for i = 1, 20 do
  xs[i] = (i - 1) / 20
  ys[i] = 0.7 * xs[i] + 0.3
end
local x, y, w, b = column(xs), column(ys), column {0}, column {0}
w:set_requires_grad(true)
b:set_requires_grad(true)

-- The structs of the interface are made as those of C are.
local step = ffi.new("tocha_scalar", {C.TOCHA_SCALAR_FLOAT, {real = -0.5}})
local number = ffi.new "tocha_scalar"

for i = 0, 40 do
  local wrong = x:matmul(w) + b - y
  local loss = (wrong * wrong):mean()
  loss:backward(nil, false, false)
  tocha.set_grad_enabled(false)
  for _, parameter in ipairs {w, b} do
    tocha.add_full_(parameter, ffi.new("tocha_operand", {parameter:grad()}), step)
    parameter:set_grad(nil)
  end
  tocha.set_grad_enabled(true)
  if i % 10 == 0 then
    loss:item(number)
    print(("step %3d  loss %.6f"):format(i, number.value.real))
  end
end
print("w", w)
print("b", b)
print(select(2, pcall(x.matmul, x, x)))
