-- members.lua: members of PyTorch's modules that ours do not store, or that are seldom used. bindings/nn/module.c looks here if
-- nothing else has the name. members[NAME](module) returns the value of module.NAME, or nil if this module has no such member.
local torch = ...
local nn = torch.nn
local members = {}

local function is_any(module, ...)
  for _, name in ipairs{...} do
    if module:isinstance(nn[name]) then return true end
  end
  return false
end

-- Defines a member of the modules of these classes. value(module) computes it on each use.
local function define(name, classes, value)
  members[name] = function(module)
    if is_any(module, table.unpack(classes)) then return value(module) end
  end
end

-- --- norms ------------------------------------------------------------------------------------------------------

local function reset_running_stats(self)
  if not self.track_running_stats then return end
  self.running_mean:zero_()
  self.running_var:fill_(1)
  self.num_batches_tracked:zero_()
end
define("reset_running_stats", {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "SyncBatchNorm"},
  function() return reset_running_stats end)

-- --- recurrent layers ---------------------------------------------------------------------------------------------

local RECURRENT = {"RNN", "LSTM", "GRU"}

local function mode_of(module)
  if module:isinstance(nn.LSTM) then return "LSTM" end
  if module:isinstance(nn.GRU) then return "GRU" end
  return "RNN_" .. module.nonlinearity:upper()
end
define("mode", RECURRENT, mode_of)
define("proj_size", RECURRENT, function() return 0 end)   -- LSTM's is an option of its own

-- Returns all_weights: the parameters of each layer and direction, in their order.
define("all_weights", RECURRENT, function(module)
  local list, at = {}, {}
  for name, p in module:named_parameters() do
    local layer = name:match "_l%d+.*$"
    if not at[layer] then
      at[layer] = {}
      list[#list + 1] = at[layer]
    end
    table.insert(at[layer], p)
  end
  return list
end)

local function flatten_parameters() end   -- the library itself decides how the weights are stored
define("flatten_parameters", RECURRENT, function() return flatten_parameters end)

local function expected_size(self, input, batch_sizes, size)
  local batch = batch_sizes and batch_sizes[0]:item() or input:size(self.batch_first and 0 or 1)
  return {self.num_layers * (self.bidirectional and 2 or 1), batch, size}
end
local function get_expected_hidden_size(self, input, batch_sizes)
  return expected_size(self, input, batch_sizes, self.proj_size > 0 and self.proj_size or self.hidden_size)
end
local function get_expected_cell_size(self, input, batch_sizes) return expected_size(self, input, batch_sizes, self.hidden_size) end
define("get_expected_hidden_size", RECURRENT, function() return get_expected_hidden_size end)
define("get_expected_cell_size", {"LSTM"}, function() return get_expected_cell_size end)

local function permute_hidden(self, hidden, permutation)
  if permutation == nil then return hidden end
  if torch.is_tensor(hidden) then return hidden:index_select(1, permutation) end
  local out = {}
  for i, state in ipairs(hidden) do out[i] = permute_hidden(self, state, permutation) end
  return out
end
define("permute_hidden", RECURRENT, function() return permute_hidden end)

-- --- others -----------------------------------------------------------------------------------------------------

local CONVOLUTIONS, TRANSPOSED, ZERO_PADS = {}, {}, {}
for n = 1, 3 do
  CONVOLUTIONS[n], TRANSPOSED[n], ZERO_PADS[n] = ("Conv%dd"):format(n), ("ConvTranspose%dd"):format(n), ("ZeroPad%dd"):format(n)
end
function members.transposed(module)
  if is_any(module, table.unpack(TRANSPOSED)) then return true end
  if is_any(module, table.unpack(CONVOLUTIONS)) then return false end
end
define("output_padding", CONVOLUTIONS, function(module)
  local zeros = {}
  for i = 1, #module.kernel_size do zeros[i] = 0 end
  return zeros
end)
define("value", ZERO_PADS, function() return 0.0 end)
define("head_dim", {"MultiheadAttention"}, function(module) return module.embed_dim // module.num_heads end)
define("norm", {"PairwiseDistance"}, function(module) return module.p end)

return members
