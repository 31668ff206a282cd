-- torchvision.models: names of parameters, weights for a seed, and what the networks make of a picture.
local torch = require "torch"
local models = require "torchvision.models"
torch.set_grad_enabled(false)

local function number(x) return ("%.4g"):format(x) end
-- The names of all that a checkpoint holds, as a number: order matters.
local function digest(net)
  local sum, count = 0, 0
  for name, t in pairs(net:state_dict()) do
    for c in name:gmatch "." do sum = (sum * 31 + c:byte()) % 1000003 end
    sum, count = (sum * 31 + t:numel()) % 1000003, count + 1
  end
  return sum, count
end
local function weights(net)
  local sum, large = torch.zeros({}, {dtype = torch.float64}), torch.zeros({}, {dtype = torch.float64})
  for _, p in pairs(net:state_dict()) do
    if p.dtype == torch.float32 then
      sum = sum + p:double():abs():sum()
      large = large + p:double():pow(2):sum()
    end
  end
  return number(sum:item()), number(large:item())
end
for _, row in ipairs {{"alexnet", 64}, {"vgg11", 32}, {"resnet18", 40}, {"resnet50", 40}, {"mobilenet_v2", 40}, {"mobilenet_v3_small", 40},
    {"mobilenet_v3_large", 40}, {"efficientnet_b0", 40}, {"convnext_tiny", 32}, {"vit_b_16", 224}} do
  torch.manual_seed(1)
  local net = models[row[1]] {num_classes = 5}
  print(row[1], digest(net))
  print(weights(net))
  net:eval()
  if row[1] == "vit_b_16" then torch.nn.init.normal_(net.heads.head.weight) end
  torch.manual_seed(2)
  local out = net(torch.rand(1, 3, row[2], row[2]))
  print(out.shape, number(out:double():abs():sum():item()))
end
for _, name in ipairs {"resnet34", "resnet101", "vgg16_bn"} do
  torch.manual_seed(1)
  print(name, digest(models[name]()))
end
torch.manual_seed(3)
local net = models.efficientnet_b0 {num_classes = 3}
net:train()
torch.manual_seed(4)
print(torch.format("%.1f", net(torch.rand(4, 3, 32, 32)):double():abs():sum():item()))
print(pcall(models.resnet18, {classes = 3}) == false)
