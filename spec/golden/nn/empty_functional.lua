-- A batch of none through the functions of torch.nn.functional that no module of empty_batches.lua calls.
local torch = require "torch"
local F = torch.nn.functional
torch.manual_seed(0)

local function real(...) return torch.rand({...}):requires_grad_() end
local function labels(...) return torch.zeros({...}, {dtype = torch.int64}) end
local function number(x) return x ~= x and "nan" or tostring(x) end
local function show(t)
  if not torch.is_tensor(t) then return tostring(t) end
  return tostring(t.shape) .. " " .. tostring(t.dtype) .. (t.ndim == 0 and " " .. number(t:item()) or "")
end

local function try(name, ...)
  local inputs = {...}
  local done, problem = pcall(function()
    local results, line = {F[name](table.unpack(inputs))}, {name}
    for _, t in ipairs(results) do line[#line + 1] = show(t) end
    if torch.is_tensor(results[1]) and results[1].requires_grad then
      results[1]:sum():backward()
      for _, x in ipairs(inputs) do
        if getmetatable(x) and torch.is_tensor(x) and x.requires_grad then line[#line + 1] = "gradient " .. (x.grad and show(x.grad) or "none") end
      end
    end
    print(table.concat(line, "  "))
  end)
  if not done then print(name, (tostring(problem):match "^[^\n]*")) end
end

try("affine_grid", real(0, 2, 3), {0, 1, 4, 4})
try("affine_grid", real(0, 2, 3), {0, 1, 4, 4}, {align_corners = true})
for _, mode in ipairs{"bilinear", "nearest", "bicubic"} do
  try("grid_sample", real(0, 1, 4, 4), real(0, 2, 2, 2), {mode = mode, align_corners = false})
end
try("grid_sample", real(0, 1, 4, 4, 4), real(0, 2, 2, 2, 3), {align_corners = false})
try("conv_tbc", real(4, 0, 2), real(3, 2, 3), real(3))
try("gumbel_softmax", real(0, 3))
try("gumbel_softmax", real(0, 3), {hard = true})
for _, mode in ipairs{"nearest", "nearest-exact", "area", "bilinear", "bicubic"} do
  try("interpolate", real(0, 2, 4, 4), {scale_factor = 2, mode = mode})
  try("interpolate", real(0, 2, 4, 4), {size = {3, 3}, mode = mode})
end
try("interpolate", real(0, 2, 4), {size = 3, mode = "linear"})
try("interpolate", real(0, 2, 4, 4, 4), {size = {3, 3, 3}, mode = "trilinear"})
try("normalize", real(0, 3))
try("normalize", real(0, 3), {dim = 0})
try("one_hot", labels(0))
try("one_hot", labels(0), 4)
for _, mode in ipairs{"constant", "reflect", "replicate", "circular"} do try("pad", real(0, 2, 4, 4), {1, 1, 1, 1}, {mode = mode}) end
try("pdist", real(1, 3))
try("scaled_dot_product_attention", real(0, 2, 3, 4), real(0, 2, 5, 4), real(0, 2, 5, 4))
try("scaled_dot_product_attention", real(0, 2, 3, 4), real(0, 2, 3, 4), real(0, 2, 3, 4), {is_causal = true})
for _, name in ipairs{"rrelu", "softmin", "log_softmax", "softmax"} do
  if name == "rrelu" then try(name, real(0, 3)) else try(name, real(0, 3), 1) end
end
for _, name in ipairs{"celu", "elu", "selu", "gelu", "silu", "mish", "softsign", "tanhshrink", "hardtanh", "hardswish", "relu6", "logsigmoid", "glu"} do
  try(name, real(0, 4))
end
try("prelu", real(0, 3), real(3))
try("threshold", real(0, 3), 0.1, 1.0)
for n = 1, 3 do
  local size = {0, 2}
  for _ = 1, n do size[#size + 1] = 4 end
  try("max_pool" .. n .. "d", real(table.unpack(size)), 2)
  try("max_pool" .. n .. "d_with_indices", real(table.unpack(size)), 2)
  try("adaptive_max_pool" .. n .. "d_with_indices", real(table.unpack(size)), 2)
  try("avg_pool" .. n .. "d", real(table.unpack(size)), 2)
  try("adaptive_avg_pool" .. n .. "d", real(table.unpack(size)), 2)
  try("lp_pool" .. n .. "d", real(table.unpack(size)), 2.0, 2)
end
try("batch_norm", real(0, 2), torch.zeros(2), torch.ones(2), real(2), real(2), {training = true})
try("batch_norm", real(0, 2), torch.zeros(2), torch.ones(2), real(2), real(2))
try("layer_norm", real(0, 3), {3}, real(3), real(3))
try("rms_norm", real(0, 3), {3}, real(3))
try("group_norm", real(0, 4), 2, real(4), real(4))
try("local_response_norm", real(0, 4, 3), 2)
try("linear", real(0, 3), real(2, 3), real(2))
try("bilinear", real(0, 3), real(0, 2), real(4, 3, 2), real(4))
try("embedding", labels(0), real(5, 2))
try("cosine_similarity", real(0, 3), real(0, 3))
try("pairwise_distance", real(0, 3), real(0, 3))
try("fold", real(0, 4, 9), {4, 4}, {2, 2})
try("unfold", real(0, 1, 4, 4), {2, 2})
for _, reduction in ipairs{"mean", "sum", "none"} do
  local how = {reduction = reduction}
  for _, name in ipairs{"l1_loss", "mse_loss", "huber_loss", "smooth_l1_loss", "poisson_nll_loss", "kl_div", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "soft_margin_loss", "hinge_embedding_loss", "multilabel_soft_margin_loss"} do
    try(name, real(0, 3), torch.rand(0, 3), how)
  end
  try("gaussian_nll_loss", real(0, 3), torch.rand(0, 3), torch.rand(0, 3), how)
  try("cross_entropy", real(0, 3), labels(0), {reduction = reduction, label_smoothing = 0.1})
  try("cross_entropy", real(0, 3), labels(0), {reduction = reduction, weight = torch.ones(3)})
  try("nll_loss", real(0, 3), labels(0), {reduction = reduction, weight = torch.ones(3)})
  try("margin_ranking_loss", real(0), real(0), torch.ones(0), how)
  try("cosine_embedding_loss", real(0, 3), real(0, 3), torch.ones(0), how)
  try("triplet_margin_loss", real(0, 3), real(0, 3), real(0, 3), how)
  try("ctc_loss", real(4, 0, 3), labels(0, 2), labels(0), labels(0), how)
end
