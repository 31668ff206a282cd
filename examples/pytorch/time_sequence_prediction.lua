-- time_sequence_prediction.lua: PyTorch's example "time_sequence_prediction": two LSTM cells, trained by LBFGS in float64, continue sine waves.
--
--   tocha examples/pytorch/time_sequence_prediction.lua
local torch = require "torch"
local nn, optim = torch.nn, torch.optim

local Sequence = nn.Module:extend "Sequence"

function Sequence:init()
  self.lstm1 = nn.LSTMCell(1, 16)
  self.lstm2 = nn.LSTMCell(16, 16)
  self.linear = nn.Linear(16, 1)
end

function Sequence:forward(input, future)
  local outputs, output = {}, nil
  local h_t = torch.zeros(input:size(0), 16, {dtype = torch.double})
  local c_t = torch.zeros(input:size(0), 16, {dtype = torch.double})
  local h_t2 = torch.zeros(input:size(0), 16, {dtype = torch.double})
  local c_t2 = torch.zeros(input:size(0), 16, {dtype = torch.double})

  for _, input_t in ipairs(input:split(1, {dim = 1})) do
    h_t, c_t = self.lstm1(input_t, {h_t, c_t})
    h_t2, c_t2 = self.lstm2(h_t, {h_t2, c_t2})
    output = self.linear(h_t2)
    outputs[#outputs + 1] = output
  end
  for _ = 1, future or 0 do                 -- if we should predict the future
    h_t, c_t = self.lstm1(output, {h_t, c_t})
    h_t2, c_t2 = self.lstm2(h_t, {h_t2, c_t2})
    output = self.linear(h_t2)
    outputs[#outputs + 1] = output
  end
  return torch.cat(outputs, {dim = 1})
end

torch.manual_seed(0)
-- 12 waves of period 20 that begin anywhere, 40 steps long
local T, L, N = 20, 40, 12
local x = torch.arange(L, {dtype = torch.double}):unsqueeze(0) + torch.randint(-4 * T, 4 * T, {N, 1})
local waves = torch.sin(x / T * 3)
local input, target = waves["3:, :-1"], waves["3:, 1:"]
local test_input, test_target = waves[":3, :-1"], waves[":3, 1:"]

local seq = Sequence():double()
local criterion = nn.MSELoss()
-- use LBFGS as optimizer since we can load the whole data to train
local optimizer = optim.LBFGS(seq:parameters(), {lr = 0.8})

for i = 0, 2 do
  print("STEP: " .. i)
  optimizer:step(function()
    optimizer:zero_grad()
    local loss = criterion(seq(input), target)
    print(("loss: %.8f"):format(loss:item()))
    loss:backward()
    return loss
  end)
  -- begin to predict, no need to track gradient here
  torch.no_grad(function()
    local pred = seq(test_input, 10)
    print(("test loss: %.8f"):format(criterion(pred[":, :-10"], test_target):item()))
  end)
end
