local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local O = nn.LinearCrossEntropyOptions
local function try(f, ...)
  local ok, result = pcall(f, ...)
  print(ok and result or tostring(result):match "[^\n]*")
  return result
end
local x, W = torch.linspace(-1, 1, 12):reshape(3, 4):requires_grad_(), torch.linspace(-.5, 1, 20):reshape(5, 4):requires_grad_()
local t, b = torch.tensor{0, 4, 2}, torch.linspace(0, 1, 5):requires_grad_()
print(O(), O{batch_chunk_size = 2, acc_dtype = torch.float32})
print(O(true, 2).batch_chunk_size, O().acc_policy)
for _, reduction in ipairs{"mean", "sum", "none"} do
  for _, target in ipairs{t, torch.softmax(torch.linspace(-1, 1, 15):reshape(3, 5), 1)} do
    for _, weight in ipairs{false, torch.arange(5.)} do
      local loss = F.linear_cross_entropy(x, W, target, {linear_bias = b, weight = weight or nil, reduction = reduction, options = O{batch_chunk_size = 2}})
      print(loss)
      for _ = 1, 2 do
        x.grad, W.grad, b.grad = nil, nil, nil
        local ok, words = pcall(function() (loss * 2):sum():backward{retain_graph = true} end)
        print(ok and x.grad or tostring(words):match "[^\n]*", W.grad, b.grad)
      end
    end
  end
end
local y = F.linear_cross_entropy(x, W, t, {options = O{allow_retain_graph = true}})
for _ = 1, 2 do
  x.grad, W.grad = nil, nil
  y:backward{retain_graph = true}
  print(x.grad, W.grad)
end
y = F.linear_cross_entropy(x, W, t, {options = O()})
y:backward()
try(y.backward, y)
print((torch.autograd.grad(F.linear_cross_entropy(x, W, t, {options = O()}), x, {create_graph = true})))
torch.no_grad(function() print(F.linear_cross_entropy(x, W, t, {options = O()})) end)
local soft = torch.softmax(torch.ones(3, 5), 1)
for _, case in ipairs{
  {x, W, t, {label_smoothing = .1}}, {x, W, t, {reduction = "x"}}, {x, W, soft, {}}, {x, W, soft:double(), {}}, {x[0], W, t[0], {}},
  {x[0], W, t[0], {reduction = "none"}}, {x, W, t, {ignore_index = 4, weight = torch.arange(5.)}}, {x, W, torch.tensor{4, 4, 4}, {ignore_index = 4}},
  {x[":0"], W, t[":0"], {}}, {x[":0"], W, t[":0"], {reduction = "none"}},
  {x:double(), W, t, {}}, {x, W, t, {linear_bias = b:double()}}, {x, W, t, {weight = torch.ones(5):double()}},
  {x, W:reshape(5, 1, 4), t:unsqueeze(1), {}}, {x, W, soft, {ignore_index = 1}}, {x, W[":, :3"], t, {}}, {x, W, t, {linear_bias = b[":4"]}},
} do
  case[4].options = O()
  try(F.linear_cross_entropy, table.unpack(case))
end
try(F.linear_cross_entropy, x, W, t, {options = 3})
try(F.linear_cross_entropy, x, W, t, {options = O{acc_dtype = torch.float64}})
try(F.linear_cross_entropy, x, W, t, {options = O{batch_chunk_size = 1, chunking_method = "aspect_ratio"}})
try(F.linear_cross_entropy, x, W, t, {options = O{chunking_method = "aspect_ratio:2"}})
try(F.linear_cross_entropy, x, torch.linspace(-1, 1, 400):reshape(100, 4), t, {options = O()})
for _, wrong in ipairs{{acc_policy = "x"}, {chunking_method = "x"}, {chunking_method = "aspect_ratio:0"}, {batch_chunk_size = 0}, {batch_chunk_size = 1.5},
    {acc_dtype = torch.int64}, {foo = 1}, {batch_chunk_size = "a"}} do
  try(O, wrong)
end
torch.manual_seed(1)
local loss = nn.LinearCrossEntropyLoss(4, 5, {bias = true, options = O{batch_chunk_size = 2}})
print(loss, loss(x, t), loss.options.batch_chunk_size)
loss(x, t):backward()
print(loss.linear.weight.grad)
