-- The same network learns to read digits twice: in float32, and in mixed precision, where matrix products run in
-- half the memory (float16 on a GPU, bfloat16 on the CPU) and weights, losses and updates stay in float32.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data

local device = torch.cuda.is_available() and "cuda" or "cpu"
local digits = torch.datasets.Digits()

local function train(mixed)
  torch.manual_seed(42)
  local train_set, test_set = data.random_split(digits, {1500, 297})
  local model = nn.Sequential(
    nn.Flatten(),
    nn.Linear(64, 512),
    nn.ReLU(),
    nn.Linear(512, 512),
    nn.ReLU(),
    nn.Linear(512, 10)
  ):to(device)
  local loss_fn = nn.CrossEntropyLoss()
  local optimizer = optim.AdamW(model:parameters(), {lr = 1e-3})
  -- float16 loses small gradients: the loss is multiplied before backward, the gradients divided after it
  local scaler = torch.amp.GradScaler(device, {enabled = mixed and device == "cuda"})

  local clock = os.clock()
  for epoch = 1, 10 do
    model:train()
    local total, batches = 0, 0
    for images, labels in data.DataLoader(train_set, {batch_size = 64, shuffle = true}) do
      local loss
      do
        local _ <close> = torch.autocast(device, {enabled = mixed})
        loss = loss_fn(model(images:to(device)), labels:to(device))
      end
      optimizer:zero_grad()
      scaler:scale(loss):backward()
      scaler:unscale_(optimizer) -- the true gradients, for clipping
      nn.utils.clip_grad_norm_(model:parameters(), 1.0)
      scaler:step(optimizer)
      scaler:update()
      total, batches = total + loss:item(), batches + 1
    end
    if epoch % 5 == 0 then
      print(("%s  epoch %2d  loss %.3f"):format(mixed and "mixed  " or "float32", epoch, total / batches))
    end
  end
  local seconds = os.clock() - clock

  model:eval()
  local correct = 0
  torch.inference_mode(function()
    for images, labels in data.DataLoader(test_set, {batch_size = 297}) do
      local _ <close> = torch.autocast(device, {enabled = mixed})
      correct = correct + model(images:to(device)):argmax(1):eq(labels:to(device)):sum():item()
    end
  end)
  return correct / #test_set, seconds
end

for _, mixed in ipairs{false, true} do
  local accuracy, seconds = train(mixed)
  print(("%s  %.1f%% of the new digits, %.1f s of processor time"):format(
    mixed and "mixed  " or "float32", 100 * accuracy, seconds))
end
