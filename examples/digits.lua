-- The demo: a small network learns to read handwritten digits, in a few seconds.
local torch = require "torch"
local nn, optim, data, plot = torch.nn, torch.optim, torch.utils.data, torch.plot

torch.manual_seed(42)
local device = torch.device(torch.cuda.is_available() and "cuda" or "cpu")

-- 1797 digits of 8x8 grey values: most to learn from, 297 to be examined on
local digits = torch.datasets.Digits()
local train, test = data.random_split(digits, {1500, 297})
local train_loader = data.DataLoader(train, {batch_size = 32, shuffle = true})
local test_loader = data.DataLoader(test, {batch_size = 297})

local model = nn.Sequential(
  nn.Flatten(),
  nn.Linear(64, 256),
  nn.ReLU(),
  nn.Linear(256, 128),
  nn.ReLU(),
  nn.Linear(128, 10)
):to(device)
local loss_fn = nn.CrossEntropyLoss()
local optimizer = optim.Adam(model:parameters(), {lr = 2e-3})
print(model)

local function train_epoch(epoch)
  model:train()
  local total = 0
  local bar = torch.tqdm(train_loader, {desc = ("epoch %2d"):format(epoch), leave = false})
  for images, labels in bar do
    -- a digit is the same digit a pixel further left or right
    images = images:roll(torch.randint(-1, 2, {1}):item(), 3)
    local loss = loss_fn(model(images:to(device)), labels:to(device))
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    total = total + loss:item()
    bar:set_postfix{loss = loss}
  end
  return total / #train_loader
end

local function accuracy(loader)
  model:eval()
  local _ <close> = torch.no_grad()
  local correct = 0
  for images, labels in loader do
    local guesses = model(images:to(device)):argmax{dim = 1}
    correct = correct + guesses:eq(labels:to(device)):sum():item()
  end
  return correct / #loader.dataset
end

local epochs, losses, accuracies = 20, {}, {}
for epoch = 1, epochs do
  if epoch > epochs - 5 then optimizer.param_groups[1].lr = 2e-4 end -- smaller steps towards the end
  losses[epoch] = train_epoch(epoch)
  accuracies[epoch] = accuracy(test_loader)
  print(("epoch %2d  loss %.4f  accuracy %5.1f%%"):format(epoch, losses[epoch], 100 * accuracies[epoch]))
end

-- What it says about digits it has never seen
local some = data.Subset(test, {0, 1, 2, 3, 4, 5, 6, 7})
local answers = {}
for images, labels in data.DataLoader(some, {batch_size = #some}) do
  local guesses = torch.no_grad(function() return model(images:to(device)):argmax{dim = 1}:cpu() end)
  for i = 0, #some - 1 do
    local right = guesses[i]:item() == labels[i]:item()
    answers[i + 1] = right and "" .. guesses[i] or guesses[i] .. " (" .. labels[i] .. ")"
  end
  print "\nNew digits and what the network reads (in parentheses what was meant, where it errs):"
  plot.image(images, {labels = answers})
end

print ""
plot.lines(losses, {title = "training loss over " .. epochs .. " epochs", height = 6})
print ""
plot.lines(accuracies, {title = "accuracy on new digits", height = 6})

print(([[

%.1f%% of the digits it had never seen are read correctly. What to try next:
  build/tocha -i examples/digits.lua           the same, and then a prompt with all of it:
                                                 > model(test[0][1]:to(device)):softmax(1)
                                                 > plot.image(test[0][1])
  build/tocha examples/linear_regression.lua   a first model, step by step
  build/tocha examples/03_train_and_evaluate.lua]]):format(100 * accuracies[#accuracies]))
