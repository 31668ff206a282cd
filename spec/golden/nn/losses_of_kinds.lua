-- cpu only: a bad value is an error at the next synchronization
-- Losses: weights, dtypes that differ, what may not require grad; and other checks that losses and activations make.
local torch = require "torch"
local nn = torch.nn
local F = nn.functional
local function try(name, f)
  local r = table.pack(pcall(f))
  for i = 2, r.n do r[i] = tostring(r[i]) end
  print(name, r[1] and table.concat(r, " | ", 2, r.n):gsub("\n", " // ") or "error: " .. tostring(r[2]):match "^[^\n]*")
end
local a, b, w = torch.tensor{1., 2.}, torch.zeros(2), torch.tensor{1., 3.}
local function leaf(t) return t:clone():requires_grad_() end
for _, name in ipairs{"mse_loss", "l1_loss", "huber_loss"} do
  for _, reduction in ipairs{"mean", "sum", "none"} do
    try(name .. " weight " .. reduction, function() local x = leaf(a); local y = F[name](x, b, {weight = w, reduction = reduction}); y:sum():backward(); return y, x.grad, y.grad_fn:name() end)
  end
  try(name .. " weight shape", function() return F[name](a, b, {weight = torch.tensor{1.}}) end)
  try(name .. " weight shape 2", function() return F[name](a, torch.zeros(2, 2), {weight = torch.ones(2)}) end)
  try(name .. " weight grad", function() local v = leaf(w); F[name](a, b, {weight = v}):backward(); return v.grad end)
  try(name .. " weight shape 3", function() return F[name](a, torch.zeros(2, 2), {weight = torch.ones(2, 2)}) end)
end
local d = torch.zeros(2, {dtype = torch.float64})
local h = torch.zeros(2, {dtype = torch.float16})
for _, name in ipairs{"MSELoss", "L1Loss", "SmoothL1Loss", "BCEWithLogitsLoss", "BCELoss", "KLDivLoss", "HingeEmbeddingLoss"} do
  for _, reduction in ipairs{"none", "mean"} do
    try(name .. " " .. reduction .. " f32 f64", function() local x = leaf(a); local y = nn[name]{reduction = reduction}(x, d); y:sum():backward(); return y.dtype, x.grad.dtype end)
    try(name .. " " .. reduction .. " f64 f32", function() local x = leaf(d); local y = nn[name]{reduction = reduction}(x, a); y:sum():backward(); return y.dtype, x.grad.dtype end)
    try(name .. " " .. reduction .. " f32 f16", function() local x = leaf(a); local y = nn[name]{reduction = reduction}(x, h); y:sum():backward(); return y.dtype, x.grad.dtype end)
    try(name .. " " .. reduction .. " f16 f32", function() local x = leaf(h); local y = nn[name]{reduction = reduction}(x, a); y:sum():backward(); return y.dtype, x.grad.dtype end)
    try(name .. " " .. reduction .. " target grad", function() local x = leaf(a); local y = nn[name]{reduction = reduction}(b, x); y:sum():backward(); return y.dtype, x.grad end)
    try(name .. " " .. reduction .. " int", function() local y = nn[name]{reduction = reduction}(a, torch.tensor{1, 1}); return y end)
  end
end
try("pos_weight grad", function() return F.binary_cross_entropy_with_logits(a, b, {pos_weight = leaf(w)}) end)
try("weight grad", function() return F.binary_cross_entropy_with_logits(a, b, {weight = leaf(w)}) end)
try("bce weight grad", function() return F.binary_cross_entropy(torch.tensor{0.1, 0.2}, b, {weight = leaf(w)}) end)
try("nll weight grad", function() return F.nll_loss(torch.ones(2, 2), torch.tensor{0, 1}, {weight = leaf(w)}) end)
try("ce weight grad", function() return F.cross_entropy(torch.ones(2, 2), torch.tensor{0, 1}, {weight = leaf(w)}) end)
try("bce weight shape", function() return F.binary_cross_entropy(torch.tensor{0.1, 0.2}, b, {weight = torch.ones(2, 2)}) end)
try("bcewl weight shape", function() return F.binary_cross_entropy_with_logits(torch.tensor{0.1, 0.2}, b, {weight = torch.ones(2, 2)}) end)
try("bcewl weight shape", function() return F.binary_cross_entropy_with_logits(torch.tensor{0.1, 0.2}, b, {pos_weight = torch.ones(2, 2)}) end)
try("prelu", function() return nn.PReLU()(d) end)
try("prelu2", function() return F.prelu(a, torch.ones(1, {dtype = torch.float16})) end)
try("ls", function() return F.cross_entropy(torch.ones(2, 2), torch.tensor{0, 1}, {label_smoothing = -0.5}) end)
try("ls2", function() return F.cross_entropy(torch.ones(2, 2), torch.tensor{0, 1}, {label_smoothing = 1.5}) end)
try("softshrink", function() return F.softshrink(a, -1) end)
try("softshrink", function() return F.softshrink(d, -0.5) end)
try("cumsum_", function() return torch.ones(2):cumsum_(0, {dtype = torch.float64}) end)
try("cumprod_", function() return torch.ones(2):cumprod_(0, {dtype = torch.int64}) end)
try("sum dtype", function() return leaf(a):sum{dtype = torch.int64} end)
try("sum dtype 0", function() return leaf(a):sum(0, {dtype = torch.int64}) end)
try("prod dtype", function() return leaf(a):prod{dtype = torch.int64} end)
try("cumsum dtype", function() return leaf(a):cumsum(0, {dtype = torch.int64}) end)
try("mean dtype", function() return leaf(a):mean{dtype = torch.int64} end)
try("softmax dtype", function() return leaf(a):softmax(0, {dtype = torch.int64}) end)
try("nansum", function() return leaf(a):nansum{dtype = torch.int64} end)
