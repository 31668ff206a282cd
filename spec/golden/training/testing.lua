-- torch.testing: what assert_close says, what make_tensor draws.
local torch = require "torch"
local t = torch.testing
local function try(...)
  local ok, problem = pcall(t.assert_close, ...)
  if ok then
    print "close"
  else
    local text = tostring(problem):gsub("\nat [^\n]*", ""):gsub("\nhint: [^\n]*", ""):gsub("\nstack.*", "")
    print(text)
  end
end
local a = torch.tensor{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}
try(a, a + 1e-7)
try(a, a + torch.tensor{0.0, 0.1, 1.0})
try(a, a * 1.001)
try(a, a + 0.5, {rtol = 0, atol = 0})
try(a, a + 0.5, {rtol = 0.01, atol = 0.1})
try(a, a:double())
try(a, a:double(), {check_dtype = false})
try(a, a[0])
try(a, a:t():contiguous():t(), {check_stride = true})
try(a[0], torch.tensor{1.0, 2.0, 4.0})
try(torch.tensor(1.5), torch.tensor(2.0))
try(torch.tensor(0), torch.tensor(3))
try(torch.tensor{1, 2, 3}, torch.tensor{1, 5, 3})
try(torch.tensor{true, false}, torch.tensor{true, true})
try(torch.tensor{0 / 0, 1.0}, torch.tensor{0 / 0, 1.0})
try(torch.tensor{0 / 0, 1.0}, torch.tensor{0 / 0, 1.0}, {equal_nan = true})
try(torch.tensor{1 / 0, 1.0}, torch.tensor{-1 / 0, 0.0})
try(a:half(), a:half() + 0.1)
try(1.0, 1.0 + 1e-9)
try(1.0, 1.5)
try(3, 4)
try(3, 3.0, {check_dtype = true})
try(3, 0)
try(true, false)
try({a, a + 1}, {a, a + 1})
try({a, a + 1}, {a, a})
try({a, a}, {a})
try({{1.0, 2.0}, {3.0, 4.0}}, {{1.0, 2.0}, {3.0, 4.5}})
try(a, a + 1, {rtol = 0.1})
try(a, a + 1, {msg = "mine"})
try(a, a + 1, {msg = function(text) return "mine: " .. text end})
try("a", "a")
try(a, 1.0)
torch.manual_seed(5)
for _, name in ipairs{"float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool"} do
  if name == "uint8" then
    print(t.make_tensor(3, {dtype = torch[name], device = "cpu", low = 0}))
  else
    print(t.make_tensor(2, 3, {dtype = torch[name], device = "cpu"}))
  end
end
print(t.make_tensor({2, 2}, {dtype = torch.float32, device = "cpu", low = 0, high = 1, requires_grad = true}))
local n = t.make_tensor(3, 4, {dtype = torch.float32, device = "cpu", noncontiguous = true})
print(n, n:is_contiguous(), n:stride()[1], n:stride()[2])
print(t.make_tensor(8, {dtype = torch.int32, device = "cpu", low = 0, high = 2, exclude_zero = true}))
local function fails(...)
  local ok, problem = pcall(t.make_tensor, ...)
  print(ok, (tostring(problem):match "^[^\n]*"))
end
fails(2, {dtype = torch.float32, device = "cpu", low = 3, high = 1})
fails(2, {dtype = torch.uint8, device = "cpu", low = -9, high = -1})
fails(2, {dtype = torch.int64, device = "cpu", requires_grad = true})
fails(2, {dtype = torch.float32, device = "cpu", low = 0 / 0})
