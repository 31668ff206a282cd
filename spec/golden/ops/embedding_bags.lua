-- Bags of rows: modes, padding, factors, lengths; values, gradients, and what is not a number.
local torch = require "torch"
torch.set_printoptions{precision = 3, sci_mode = false}
local F = torch.nn.functional
local nan = 0 / 0
local function show(...) for _, t in ipairs {...} do print(t.dtype, t.shape, t:detach()) end end

for _, dtype in ipairs {torch.float32, torch.float64, torch.float16, torch.bfloat16} do
  torch.manual_seed(0)
  local w = torch.randn({6, 5}):to(dtype):requires_grad_()
  local s = torch.randn({9}):to(dtype):requires_grad_()
  local i = torch.tensor{1, 4, 1, 3, 0, 2, 1, 4, 5}
  for mode = 0, 2 do
    for _, padding in ipairs {2, 4, -2} do
      for _, last in ipairs {false, true} do
        local o = torch.tensor{0, 3, 3, 7, 9}
        local out, bags, sizes, places = torch.embedding_bag(w, i, o, false, mode, false, nil, last, padding)
        print("==", mode, padding, last)
        show(out, bags, sizes, places)
        out:float():pow(2):sum():backward()
        show(w.grad) w.grad = nil
      end
    end
  end
  print("== factors", dtype)
  for _, padding in ipairs {-1, 1} do
    local out = torch.embedding_bag(w, i, torch.tensor{0, 3, 3}, false, 0, false, s, false, padding)
    show(out) out:float():pow(2):sum():backward()
    show(w.grad, s.grad) w.grad, s.grad = nil, nil
  end
  local out = F.embedding_bag(i:reshape(3, 3), w, {mode = "mean", scale_grad_by_freq = true})
  show(out) out:float():pow(2):sum():backward() show(w.grad) w.grad = nil
  out = F.embedding_bag(i:reshape(3, 3), w, {mode = "sum", per_sample_weights = s:reshape(3, 3)})
  show(out) out:float():pow(2):sum():backward() show(w.grad, s.grad)
end
local w = torch.tensor{{1.0, nan}, {nan, 2.0}, {2.0, 3.0}}
for mode = 0, 2 do show(F.embedding_bag(torch.tensor{{0, 1, 2}, {1, 0, 2}, {2, 2, 1}}, w, {mode = mode == 0 and "sum" or mode == 1 and "mean" or "max"})) end
show(F.embedding_bag(torch.tensor{0, 1}:to(torch.int32), w, torch.tensor{0, 1}, {mode = "max"}))
