-- 03_computer_vision.lua: the course's "computer vision": a baseline, then TinyVGG, on small grey pictures.
--
--   tocha examples/course/03_computer_vision.lua [folder]     with FashionMNIST in folder (downloaded if it is not there), else on digits
local torch = require "torch"
local nn, F, data = torch.nn, torch.nn.functional, torch.utils.data

local function datasets(folder)
  if folder then
    local vision = require "torchvision"
    local transform = vision.transforms.ToTensor()
    local train = vision.datasets.FashionMNIST{root = folder, train = true, download = true, transform = transform}
    return train, vision.datasets.FashionMNIST{root = folder, train = false, download = true, transform = transform}, train.classes
  end
  local digits = torch.datasets.Digits()
  local images = F.interpolate(digits.data, {size = {28, 28}, mode = "bilinear"})
  return data.TensorDataset(images[":960"], digits.targets[":960"]), data.TensorDataset(images["1500:"], digits.targets["1500:"]), digits.classes
end

local train_data, test_data, class_names = datasets(arg and arg[1])
local BATCH_SIZE = 32

local function accuracy_fn(y_true, y_pred)
  return torch.eq(y_true, y_pred):sum():item() / #y_pred * 100
end

local function train_step(model, data_loader, loss_fn, optimizer)
  local train_loss, train_acc = 0, 0
  model:train()
  for _, X, y in data_loader:enumerate() do
    local y_pred = model(X)
    local loss = loss_fn(y_pred, y)
    train_loss = train_loss + loss
    train_acc = train_acc + accuracy_fn(y, y_pred:argmax{dim = 1})
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    print(torch.format("  loss %.5f", loss))
  end
  train_loss = train_loss / #data_loader
  train_acc = train_acc / #data_loader
  print(torch.format("Train loss: %.5f | Train accuracy: %.2f%%", train_loss, train_acc))
end

local function eval_model(model, data_loader, loss_fn)
  local loss, acc = 0, 0
  model:eval()
  local _ <close> = torch.inference_mode()
  for X, y in data_loader do
    local y_pred = model(X)
    loss = loss + loss_fn(y_pred, y)
    acc = acc + accuracy_fn(y, y_pred:argmax{dim = 1})
  end
  return {model_name = model.__class__.__name__, model_loss = (loss / #data_loader):item(), model_acc = acc / #data_loader}
end

local FashionMNISTModelV0 = nn.Module:extend "FashionMNISTModelV0"

function FashionMNISTModelV0:init(input_shape, hidden_units, output_shape)
  self.layer_stack = nn.Sequential(
    nn.Flatten(),
    nn.Linear{in_features = input_shape, out_features = hidden_units},
    nn.Linear{in_features = hidden_units, out_features = output_shape}
  )
end

function FashionMNISTModelV0:forward(x) return self.layer_stack(x) end

-- TinyVGG, from https://poloclub.github.io/cnn-explainer/
local FashionMNISTModelV2 = nn.Module:extend "FashionMNISTModelV2"

function FashionMNISTModelV2:init(input_shape, hidden_units, output_shape)
  self.block_1 = nn.Sequential(
    nn.Conv2d{in_channels = input_shape, out_channels = hidden_units, kernel_size = 3, stride = 1, padding = 1},
    nn.ReLU(),
    nn.Conv2d{in_channels = hidden_units, out_channels = hidden_units, kernel_size = 3, stride = 1, padding = 1},
    nn.ReLU(),
    nn.MaxPool2d{kernel_size = 2, stride = 2}
  )
  self.block_2 = nn.Sequential(
    nn.Conv2d(hidden_units, hidden_units, 3, {padding = 1}),
    nn.ReLU(),
    nn.Conv2d(hidden_units, hidden_units, 3, {padding = 1}),
    nn.ReLU(),
    nn.MaxPool2d(2)
  )
  self.classifier = nn.Sequential(
    nn.Flatten(),
    nn.Linear{in_features = hidden_units * 7 * 7, out_features = output_shape}
  )
end

function FashionMNISTModelV2:forward(x)
  return self.classifier(self.block_2(self.block_1(x)))
end

for _, class in ipairs{FashionMNISTModelV0, FashionMNISTModelV2} do
  torch.manual_seed(42)
  local train_dataloader = data.DataLoader(train_data, {batch_size = BATCH_SIZE, shuffle = true})
  local test_dataloader = data.DataLoader(test_data, {batch_size = BATCH_SIZE, shuffle = false})
  local model = class == FashionMNISTModelV0 and class(784, 10, #class_names) or class(1, 10, #class_names)
  print(model)
  local loss_fn = nn.CrossEntropyLoss()
  local optimizer = torch.optim.SGD{params = model:parameters(), lr = 0.1}
  for epoch = 0, 1 do
    print("Epoch: " .. epoch)
    train_step(model, train_dataloader, loss_fn, optimizer)
    local result = eval_model(model, test_dataloader, loss_fn)
    print(("%s: test loss %.5f, accuracy %.2f"):format(result.model_name, result.model_loss, result.model_acc))
  end
end
