-- How long the same work takes on the CPU and on the GPU: a matrix product, a sum of two tensors, and the training and
-- evaluation loops of the tutorials. Small work is faster on the CPU, where nothing has to be sent.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data

torch.set_num_threads(1)   -- os.clock adds up the time of all threads

local devices = {"cpu"}
if torch.cuda.is_available() then
  devices[2] = "cuda"
  print("GPU: " .. torch.cuda.get_device_name(0))
else
  print("There is no GPU here: " .. torch.cuda.reason())
  print("These are the times of the CPU alone.")
end

-- Milliseconds of work(). The GPU works on while the script goes on, so a clock of the CPU would only time the asking:
-- two events in its stream take the time on the GPU itself.
local function milliseconds(device, work)
  if device == "cpu" then
    local start = os.clock()
    work()
    return 1000 * (os.clock() - start)
  end
  local start = torch.cuda.Event{enable_timing = true}
  local stop = torch.cuda.Event{enable_timing = true}
  start:record()
  work()
  stop:record()
  stop:synchronize()       -- elapsed_time wants both events in the past
  return start:elapsed_time(stop)
end

-- prepare(device) returns a function; its first call (libraries are loaded, memory is taken) does not count.
local function compare(name, times, prepare)
  local results = {}
  for i, device in ipairs(devices) do
    torch.manual_seed(42)
    local work = prepare(device)
    work()
    results[i] = milliseconds(device, function() for _ = 1, times do work() end end) / times
  end
  local line = ("%-34s %10.3f ms"):format(name, results[1])
  if results[2] then
    line = line .. (" %10.3f ms %8.2f times"):format(results[2], results[1] / results[2])
  end
  print(line)
end

print(("\n%-34s %13s"):format("", "CPU, one core") .. (devices[2] and (" %13s %14s"):format("GPU", "faster") or ""))

for _, size in ipairs{64, 256, 1024} do
  compare(("matrix product, %d x %d"):format(size, size), 5, function(device)
    local a, b = torch.rand(size, size, {device = device}), torch.rand(size, size, {device = device})
    return function() return a:matmul(b) end
  end)
end

for _, count in ipairs{1000, 1000000} do
  compare(("sum of two tensors of %d"):format(count), 20, function(device)
    local a, b = torch.rand(count, {device = device}), torch.rand(count, {device = device})
    return function() return a + b end
  end)
end

-- the loops of 03_train_and_evaluate.lua, one epoch each
local train, test = data.random_split(torch.datasets.Digits(), {1500, 297})

local function digits_network(device)
  return nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)):to(device)
end

compare("training loop, 1500 digits", 1, function(device)
  local model, loss_fn = digits_network(device), nn.CrossEntropyLoss()
  local optimizer = optim.Adam(model:parameters(), {lr = 1e-3})
  local loader = data.DataLoader(train, {batch_size = 32, shuffle = true})
  return function()
    model:train()
    for images, labels in loader do
      optimizer:zero_grad()
      loss_fn(model(images:to(device)), labels:to(device)):backward()
      optimizer:step()
    end
  end
end)

compare("evaluation loop, 297 digits", 1, function(device)
  local model = digits_network(device):eval()
  local loader = data.DataLoader(test, {batch_size = 297})
  return function()
    local _ <close> = torch.inference_mode()
    local correct = 0
    for images, labels in loader do
      correct = correct + model(images:to(device)):argmax{dim = 1}:eq(labels:to(device)):sum():item()
    end
    return correct
  end
end)

if devices[2] and torch.cuda.get_device_name(0) == "Simulated GPU" then
  print "\nThis GPU is simulated on the CPU: its times say nothing about a GPU."
end
