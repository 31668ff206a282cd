-- cpu only: a bad index is an error at the next synchronization
-- Writing and reading at positions: what is checked, and in which order.
local torch = require "torch"
local function attempt(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return print(result) end
  print((tostring(result):match "[^\n]*"))
end
local long = {dtype = torch.int64}
local function index(...) return torch.tensor({...}, long) end
local none = torch.zeros({0}, long)
local square, rows = torch.zeros(3, 3), torch.zeros(3, 4, 5)
local sources = {{1, 3}, {2, 3}, {2, 2}, {1, 2}, {3}, {2}, {1}, {}, {0, 3}, {2, 2, 2}, {2, 3, 2}}
for _, name in ipairs {"index_add", "index_copy"} do
  for _, shape in ipairs(sources) do
    local source = torch.ones(shape)
    attempt(torch[name], square, 0, index(1, 1), source)
    attempt(torch[name], square, 0, index(5), source)
    attempt(torch[name], square, 1, index(0, -1), source)
    attempt(torch[name], torch.zeros(3), 0, index(1), source)
    attempt(torch[name], torch.tensor(0.0), 0, index(0), source)
    attempt(torch[name], torch.zeros(0, 3), 0, index(0, 1), source)
  end
  attempt(torch[name], square, 2, index(1), torch.ones(1, 3))
  attempt(torch[name], square, 0, torch.tensor({{1}}), torch.ones(1, 3))
  attempt(torch[name], square, 0, torch.tensor({{1.0}}), torch.ones(1, 3))
  attempt(torch[name], square, 0, torch.tensor({1.0}), torch.ones(1, 3))
  attempt(torch[name], square, 0, torch.tensor({5}, {dtype = torch.int32}), torch.ones(1, 3))
  attempt(torch[name], square, 0, index(1), torch.ones({1, 3}, long))
  attempt(torch[name], square, 0, index(1, 1), torch.ones({1, 3}, long))
  attempt(torch[name], rows, 1, index(7), torch.ones(3, 1, 5))
  attempt(torch[name], rows, 1, index(1), torch.ones(3, 1, 4))
  attempt(torch[name], rows, 2, index(7), torch.ones(3, 4, 1))
  attempt(torch[name], torch.zeros(0), 0, index(0), torch.ones(1))
  attempt(torch[name], torch.zeros(3, 0), 0, index(5), torch.ones(1, 0))
  attempt(torch[name], torch.zeros(0, 2, 3), 0, index(0, 9), torch.ones(2, 2, 3))
  attempt(torch[name], square, 0, none, torch.ones(0, 3))
  attempt(torch[name], torch.zeros(3), 0, none, torch.tensor(1.0))
  local x = torch.zeros(3, 3)
  attempt(x[name .. "_"], x, 0, index(1, 1, 1), x)
  attempt(x[name .. "_"], x, 0, index(1, 1), x)
  attempt(x[name .. "_"], x, 0, torch.tensor({{1, 1}}), x)
  x = torch.zeros(0)
  attempt(x[name .. "_"], x, 0, none, x)
end
attempt(torch.index_add, square, 0, index(5), torch.ones(1, 3), {alpha = 2})
attempt(torch.index_add, square:long(), 0, index(1), torch.ones({1, 3}, long), {alpha = 0 / 0})
attempt(torch.index_add, torch.zeros(6):expand(2, 6), 0, index(1), torch.ones(1, 6))
attempt(torch.Tensor.index_add_, torch.zeros(6):expand(2, 6), 0, index(1), torch.ones(1, 6))
for _, value in ipairs {1.5, torch.tensor(1.5), torch.tensor({1.5})} do
  attempt(torch.index_fill, square, 0, index(5), value)
  attempt(torch.index_fill, square, 0, torch.tensor({{5}}), value)
  attempt(torch.index_fill, square, 2, index(5), value)
  attempt(torch.index_fill, torch.zeros(0, 3), 0, index(0, 0), value)
  attempt(torch.index_fill, torch.zeros(3, 0), 0, index(5), value)
  attempt(torch.index_fill, torch.zeros({0}, long), 0, index(0), value)
  attempt(torch.index_fill, torch.zeros(0, 0), 0, index(0), value)
end
attempt(torch.index_fill, square:long(), 0, index(7), 0 / 0)
attempt(torch.index_fill, square:long(), 0, torch.tensor({{7}}), 0 / 0)
local positions = index(0, 1)
attempt(positions.index_fill_, positions, 0, positions, 1)
for _, name in ipairs {"scatter", "scatter_add"} do
  for _, shape in ipairs {{3}, {3, 3}, {3, 3, 3}, {1}, {}} do
    local src = torch.ones(shape)
    attempt(torch[name], square, 0, index(0), src)
    attempt(torch[name], square, 0, torch.tensor({{0}}), src)
    attempt(torch[name], square, 0, torch.tensor({{0, 0, 0, 0}}), src)
    attempt(torch[name], square, 0, torch.tensor({{5}}), src)
    attempt(torch[name], square, 0, torch.tensor({{0.0}}), src:double())
    attempt(torch[name], square, 0, index(0), src:double())
    attempt(torch[name], torch.zeros(3), -1, index(0, 0), src)
    attempt(torch[name], torch.tensor(0.0), 0, index(0, 0), src)
    attempt(torch[name], square, 0, none, src)
  end
  local x = torch.zeros(3, 3)
  attempt(x[name .. "_"], x, 0, torch.zeros({3, 3}, long), x)
  attempt(x[name .. "_"], x, 0, torch.zeros({3, 4}, long), x)
  attempt(x[name .. "_"], x, 0, torch.tensor(0), x)
  attempt(x[name .. "_"], x, 0, none, x)
end
attempt(torch.index_select, square, 0, index(5))
attempt(torch.index_select, square, 1, index(-1))
attempt(torch.index_select, rows, 1, index(0, 9, 10))
attempt(torch.index_select, rows, 2, index(0, 9, 10))
attempt(torch.index_select, torch.zeros(0), 0, index(0))
attempt(torch.index_select, torch.zeros(0, 3), 0, index(0))
attempt(torch.index_select, torch.zeros(3, 0), 0, index(5))
attempt(torch.index_select, torch.zeros(3, 0), 0, index(1))
attempt(torch.index_select, torch.zeros(3, 0), 1, index(0))
attempt(torch.take_along_dim, torch.zeros(3, 0), torch.tensor({{0}, {0}, {0}}), 1)
attempt(torch.take_along_dim, torch.zeros(3, 0), torch.tensor({{0}, {0}, {0}}), 0)
attempt(torch.take_along_dim, torch.tensor(1.0), torch.tensor(0), 0)
attempt(torch.take_along_dim, torch.zeros(0), index(0))
for _, repeats in ipairs {2, -1, torch.tensor(2), torch.tensor({1, 2, 3}), torch.tensor({1.0}), torch.tensor({true}), torch.tensor({1, 2}),
  torch.tensor({1, 2, 3}, {dtype = torch.uint8}), torch.ones(3, 3), torch.tensor({-1})} do
  for _, x in ipairs {torch.arange(3.0), torch.tensor(1.0), torch.zeros(3, 0)} do
    attempt(torch.repeat_interleave, x, repeats)
    attempt(torch.repeat_interleave, x, repeats, 0)
    attempt(torch.repeat_interleave, x, repeats, 1)
  end
  if torch.is_tensor(repeats) then attempt(torch.repeat_interleave, repeats) end
end
