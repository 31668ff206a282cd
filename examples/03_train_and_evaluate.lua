-- Training and evaluation loops for any device, over real data, with no_grad for evaluation.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data

torch.manual_seed(42)

-- 01 checking the device
local device
if torch.cuda.is_available() then
  device = torch.device("cuda")
  print("GPU is available, using CUDA.")
else
  device = torch.device("cpu")
  print("GPU not available, using CPU.")
end

-- real handwritten digits, 8x8 grey values 0..16, shipped with the program
local digits = torch.datasets.Digits()
local train, test = data.random_split(digits, {1500, 297})
local train_loader = data.DataLoader(train, {batch_size = 32, shuffle = true})
local test_loader = data.DataLoader(test, {batch_size = 297})

-- 02 moving the model to the device
local model = nn.Sequential(
  nn.Flatten(),
  nn.Linear(64, 64),
  nn.ReLU(),
  nn.Linear(64, 10)
):to(device)

local loss_fn = nn.CrossEntropyLoss()
local optimizer = optim.Adam(model:parameters(), {lr = 1e-3})

for epoch = 1, 10 do
  -- 03 the training loop: the batch moves to the device inside the loop
  model:train()
  local train_loss = 0
  for batch_X, batch_y in train_loader do
    batch_X = batch_X:to(device)
    batch_y = batch_y:to(device)

    local logits = model(batch_X)
    local loss = loss_fn(logits, batch_y)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    train_loss = train_loss + loss:item()
  end

  -- 04 the evaluation loop: the same two moves, and no gradients
  model:eval()
  local correct = 0
  do
    local _ <close> = torch.no_grad()
    for batch_X, batch_y in test_loader do
      batch_X, batch_y = batch_X:to(device), batch_y:to(device)
      correct = correct + model(batch_X):argmax{dim = 1}:eq(batch_y):sum():item()
    end
  end
  print(("epoch %2d  loss %.4f  test accuracy %.1f%%"):format(
    epoch, train_loss / #train_loader, 100 * correct / #test))
end
