-- 02_classification.lua: the course's "neural network classification": circles within circles, then blobs of four classes.
--
--   tocha examples/course/02_classification.lua
local torch = require "torch"
local nn, datasets = torch.nn, torch.datasets

local function accuracy_fn(y_true, y_pred)
  local correct = torch.eq(y_true, y_pred):sum():item()
  return correct / #y_pred * 100
end

-- ---- two classes ----

local X, y = datasets.make_circles(1000, {noise = 0.03, random_state = 42})
X, y = X:type(torch.float), y:type(torch.float)
local X_train, X_test, y_train, y_test = datasets.train_test_split(X, y, {test_size = 0.2, random_state = 42})

local CircleModelV2 = nn.Module:extend "CircleModelV2"

function CircleModelV2:init()
  self.layer_1 = nn.Linear{in_features = 2, out_features = 10}
  self.layer_2 = nn.Linear{in_features = 10, out_features = 10}
  self.layer_3 = nn.Linear{in_features = 10, out_features = 1}
  self.relu = nn.ReLU()
end

function CircleModelV2:forward(x)
  return self.layer_3(self.relu(self.layer_2(self.relu(self.layer_1(x)))))
end

torch.manual_seed(42)
local model_3 = CircleModelV2()
print(model_3)
local loss_fn = nn.BCEWithLogitsLoss()
local optimizer = torch.optim.SGD(model_3:parameters(), {lr = 0.1})

for epoch = 0, 1000 do
  model_3:train()
  local y_logits = model_3(X_train):squeeze()
  local y_pred = torch.round(torch.sigmoid(y_logits))      -- logits -> prediction probabilities -> labels
  local loss = loss_fn(y_logits, y_train)
  local acc = accuracy_fn(y_train, y_pred)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()

  if epoch < 20 or epoch % 100 == 0 then
    model_3:eval()
    local _ <close> = torch.inference_mode()
    local test_logits = model_3(X_test):squeeze()
    local test_pred = torch.round(torch.sigmoid(test_logits))
    local test_loss = loss_fn(test_logits, y_test)
    print(torch.format("Epoch: %d | Loss: %.6f, Accuracy: %.2f%% | Test Loss: %.6f, Test Accuracy: %.2f%%",
      epoch, loss, acc, test_loss, accuracy_fn(y_test, test_pred)))
  end
end

-- ---- four classes ----

local NUM_CLASSES, NUM_FEATURES, RANDOM_SEED = 4, 2, 42
local X_blob, y_blob = datasets.make_blobs{n_samples = 1000, n_features = NUM_FEATURES, centers = NUM_CLASSES, cluster_std = 1.5, random_state = RANDOM_SEED}
X_blob, y_blob = X_blob:type(torch.float), y_blob:type(torch.LongTensor)
X_train, X_test, y_train, y_test = datasets.train_test_split(X_blob, y_blob, {test_size = 0.2, random_state = RANDOM_SEED})

local BlobModel = nn.Module:extend "BlobModel"

function BlobModel:init(input_features, output_features, hidden_units)
  self.linear_layer_stack = nn.Sequential(
    nn.Linear{in_features = input_features, out_features = hidden_units},
    nn.Linear{in_features = hidden_units, out_features = hidden_units},
    nn.Linear{in_features = hidden_units, out_features = output_features}
  )
end

function BlobModel:forward(x) return self.linear_layer_stack(x) end

torch.manual_seed(42)
local model_4 = BlobModel(NUM_FEATURES, NUM_CLASSES, 8)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model_4:parameters(), {lr = 0.1})
for epoch = 0, 29 do
  model_4:train()
  local y_logits = model_4(X_train)
  local y_pred = torch.softmax(y_logits, {dim = 1}):argmax{dim = 1}
  local loss = loss_fn(y_logits, y_train)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  print(torch.format("Epoch: %d | Loss: %.5f, Acc: %.2f%%", epoch, loss, accuracy_fn(y_train, y_pred)))
end
model_4:eval()
local _ <close> = torch.inference_mode()
local y_preds = model_4(X_test):softmax{dim = 1}:argmax{dim = 1}
local metric = torch.metrics.Accuracy{task = "multiclass", num_classes = NUM_CLASSES}
print(torch.format("accuracy %.4f", metric(y_preds, y_test)))
