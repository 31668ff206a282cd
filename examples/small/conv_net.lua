-- A convolutional network reads handwritten digits of 8x8 points. It takes a few seconds.
local torch = require "torch"
local nn, data = torch.nn, torch.utils.data

torch.manual_seed(0)
local digits = torch.datasets.Digits()
local train = data.TensorDataset(digits.data["0:1500"], digits.targets["0:1500"])
local loader = data.DataLoader(train, {batch_size = 50, shuffle = true})
local test_images, test_labels = digits.data["1500:"], digits.targets["1500:"]

local model = nn.Sequential(
  nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2), -- 16 x 4 x 4
  nn.Conv2d(16, 32, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2), -- 32 x 2 x 2
  nn.Flatten(), nn.Linear(128, 10)
)
print(model)
local loss_fn = nn.CrossEntropyLoss()
local optimizer = torch.optim.Adam(model:parameters(), {lr = 3e-3})

for epoch = 1, 5 do
  local total = 0.0
  for images, labels in loader do
    local loss = loss_fn(model(images), labels)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    total = total + loss:item()
  end
  local right = torch.no_grad(function() return model(test_images):argmax(1):eq(test_labels):sum():item() end)
  print(("epoch %d  loss %.4f  %d of %d new digits are read correctly"):format(epoch, total / #loader, right, #test_labels))
end
