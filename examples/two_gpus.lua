-- Several GPUs in one process: nn.DataParallel cuts every batch, runs a replica of the model on each GPU, and adds the
-- gradients up in the model itself. TOCHA_CUDA=simulate TOCHA_SIMULATED_GPUS=2 shows it on a machine without any.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data

local count = torch.cuda.device_count()
local device = count > 0 and "cuda:0" or "cpu"
print(count == 1 and "1 GPU" or ("%d GPUs"):format(count))
if count < 2 then
  print "With fewer than two, DataParallel is the model itself: this runs all the same."
end

local talk = true

local DigitsNet = nn.Module:extend "DigitsNet"
function DigitsNet:init()
  self.hidden = nn.Linear(64, 64)
  self.output = nn.Linear(64, 10)
end
function DigitsNet:forward(x)
  if talk then print(("  a replica on %s has %s"):format(tostring(x.device), tostring(x.shape))) end
  return self.output(torch.relu(self.hidden(x:flatten(1))))
end

local function train(parallel)
  torch.manual_seed(42)
  local model = DigitsNet():to(device)
  local net = parallel and nn.DataParallel(model) or model
  local train_set, test_set = data.random_split(torch.datasets.Digits(), {1500, 297})
  local loader = data.DataLoader(train_set, {batch_size = 100, shuffle = true})
  local loss_fn = nn.CrossEntropyLoss()
  local optimizer = optim.Adam(net:parameters(), {lr = 1e-2})
  local last
  for epoch = 1, 3 do
    local total = 0
    for images, labels in loader do
      local loss = loss_fn(net(images:to(device)), labels:to(device))   -- the outputs come together on device
      talk = false
      optimizer:zero_grad()
      loss:backward()
      optimizer:step()
      total = total + loss:item()
    end
    last = total / #loader
    print(("  epoch %d  loss %.4f"):format(epoch, last))
  end
  return last, model
end

print "one device:"
local alone = train(false)
print "all devices:"
talk = true
local together = train(true)
print(("the last losses differ by %.6f"):format(math.abs(alone - together)))

for i = 0, count - 1 do
  print(("at most %d bytes in tensors on cuda:%d"):format(torch.cuda.max_memory_allocated(i), i))
end

-- by hand: work for every GPU first, and only then a look at the results
if count >= 2 then
  local results = {}
  for i = 0, count - 1 do
    local x = torch.full({1000}, i + 1., {device = torch.device("cuda", i)})
    results[i + 1] = (x * x):sum()
  end
  local total = torch.zeros(1, {device = "cuda:0"})
  for _, result in ipairs(results) do total = total + result:to("cuda:0") end
  print(("the sum of the squares of %d GPUs: %g"):format(count, total:item()))
end
