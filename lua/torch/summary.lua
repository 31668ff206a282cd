-- summary.lua: torch.summary(model, {input_size = {2, 3, 64, 64}}): a table of a model's layers with the sizes of their inputs
-- and outputs, as the package torchinfo prints it.
local torch = ...
local support = torch._part "support"
local fail = support.fail

local COLUMNS = {kernel_size = "Kernel Shape", input_size = "Input Shape", output_size = "Output Shape", num_params = "Param #",
  params_percent = "Param %", mult_adds = "Mult-Adds", trainable = "Trainable"}
local LAYER_WIDTH, INDENT = 40, 5

local function with_commas(n)
  local text = ("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (text:gsub("^,", ""))
end

-- Returns the number of characters that a text shows.
local function width_of(text) return utf8.len(text) or #text end
local function padded(text, width) return text .. (" "):rep(width - width_of(text)) end

-- --- one layer -------------------------------------------------------------------------------------------------

local function is_leaf(module) return module:children()() == nil end

local function count_parameters(info)
  info.parameters, info.trainable, info.bytes = 0, 0, 0
  for _, p in info.module:named_parameters() do
    local n = p:numel()
    info.parameters, info.bytes = info.parameters + n, info.bytes + n * p.itemsize
    if p.requires_grad then info.trainable = info.trainable + n end
  end
end

local function new_info(entry, seen)
  local info = {module = entry.module, class = entry.module:_get_name(), name = entry.name, depth = entry.depth, parent = entry.parent,
    leaf = is_leaf(entry.module), macs = 0, out_bytes = 0}
  count_parameters(info)
  if seen then
    info.again = seen[info.module] ~= nil
    seen[info.module] = true
  end
  return info
end

-- Returns the sizes of the first tensor in a value.
local function sizes_of(value, batch_dim)
  if support.is_plain(value) then
    local first = value[1]
    if first == nil then first = select(2, next(value)) end
    if first == nil then return {}, 0 end
    return sizes_of(first, batch_dim)
  end
  if not torch.is_tensor(value) then return {}, 0 end
  local sizes = {}
  for d = 1, value.ndim do sizes[d] = value.shape[d - 1] end
  if batch_dim and batch_dim < #sizes then sizes[batch_dim + 1] = 1 end
  return sizes, value.itemsize
end

local function product(list, from, to)
  local out = 1
  for i = from or 1, math.min(to or #list, #list) do out = out * list[i] end
  return out
end

-- Adds up info.macs, the multiplications and additions for the whole batch. The channels of a convolution's output are in its
-- weight.
local function count_macs(info)
  local out = info.output
  for name, p in info.module:named_parameters() do
    local n = p:numel()
    if name ~= "weight" and name ~= "bias" then
      if name:find "weight" or name:find "bias" then info.macs = info.macs + product(out, 1, 2) * n end
    elseif info.class:find "Conv" then
      info.macs = info.macs + n * (out[1] or 1) * product(out, 3)
    else
      info.macs = info.macs + n * (out[1] or 1)
    end
  end
end

-- --- a pass through the model -----------------------------------------------------------------------------------

-- Visits the tree of modules in order: f(entry), whose result is the parent in the entries of its children.
local function visit(module, name, depth, parent, f)
  local own = f{module = module, name = name, depth = depth, parent = parent}
  for child_name, child in module:named_children() do visit(child, child_name, depth + 1, own, f) end
end

local function hook_all(model, layers, batch_dim)
  local handles, latest, seen = {}, {}, {}
  visit(model, model:_get_name(), 0, nil, function(entry)
    local own = new_info(entry)
    for _, handle in ipairs(handles[entry.module] or {}) do handle:remove() end
    handles[entry.module] = {
      entry.module:register_forward_pre_hook(function()
        local info = new_info(entry, seen)
        layers[#layers + 1] = info
        latest[entry.module] = info
      end),
      entry.module:register_forward_hook(function(_, inputs, outputs)
        local info, size = latest[entry.module]
        info.input = sizes_of(inputs, batch_dim)
        info.output, size = sizes_of(outputs, batch_dim)
        info.out_bytes = size * product(info.output)
        count_macs(info)
      end)}
    return own
  end)
  return function()
    for _, pair in pairs(handles) do
      for _, handle in ipairs(pair) do handle:remove() end
    end
  end
end

-- Adds a line for each container that was never called (a ModuleList), before the first of its members.
local function add_containers(layers)
  local seen, current, out = {}, {}, {}
  for _, info in ipairs(layers) do seen[info.module] = true end
  for _, info in ipairs(layers) do
    local above, parent = {}, info.parent
    while parent and parent.depth > 0 do
      above[parent.depth] = parent
      parent = parent.parent
    end
    for d = 1, info.depth - 1 do
      local last = out[#out]
      if (not current[d] or current[d].module ~= above[d].module) and last and last.module ~= above[d].module then
        above[d].again = seen[above[d].module] ~= nil
        seen[above[d].module] = true
        out[#out + 1] = above[d]
        current[d] = above[d]
      end
    end
    out[#out + 1] = info
    current[info.depth] = info
    local d = info.depth + 1
    while current[d] do
      current[d] = nil
      d = d + 1
    end
  end
  return out
end

local function number_layers(layers)
  local counts = {}
  for i, info in ipairs(layers) do
    counts[info.depth] = (counts[info.depth] or 0) + 1
    info.index, info.below = counts[info.depth], {}
    for k = i + 1, #layers do
      if layers[k].depth <= info.depth then break end
      info.below[#info.below + 1] = layers[k]
    end
  end
end

local function run(model, inputs, options)
  local layers = {}
  if not inputs then
    local seen = {}
    visit(model, model:_get_name(), 0, nil, function(entry)
      layers[#layers + 1] = new_info(entry, seen)
      return layers[#layers]
    end)
    number_layers(layers)
    return layers
  end
  local unhook, was_training = hook_all(model, layers, options.batch_dim), model.training
  if options.mode == "train" then model:train() else model:eval() end
  local ok, problem = pcall(function()
    local _ <close> = torch.no_grad()
    model(table.unpack(inputs))
  end)
  unhook()
  model:train(was_training)
  if not ok then error(problem, 0) end
  layers = add_containers(layers)
  number_layers(layers)
  return layers
end

-- --- text -------------------------------------------------------------------------------------------------------

-- Returns the number of parameters of a layer that no layer below it has.
local function leftover(info, key)
  local n = info[key]
  for _, child in ipairs(info.below) do
    if not child.again then n = n - (child.leaf and child[key] or leftover(child, key)) end
  end
  return n
end

local function list_text(sizes) return sizes and #sizes > 0 and "[" .. table.concat(sizes, ", ") .. "]" or "--" end

local cells = {}
function cells.input_size(info) return list_text(info.input) end
function cells.output_size(info) return list_text(info.output) end
function cells.kernel_size(info)
  local ok, k = pcall(function() return info.module.kernel_size end)
  if not ok or k == nil then return "--" end
  return support.is_plain(k) and list_text(k) or tostring(k)
end
function cells.num_params(info, deepest)
  if info.parameters == 0 then return "--" end
  if info.again then return "(recursive)" end
  if deepest or info.leaf then
    local text = with_commas(info.parameters)
    return info.trainable > 0 and text or "(" .. text .. ")"
  end
  local n = leftover(info, "parameters")
  return n > 0 and with_commas(n) or "--"
end
function cells.params_percent(info, deepest, total)
  if total == 0 then return "     --" end
  if info.again then return "(recursive)" end
  local n = (deepest or info.leaf) and info.parameters or leftover(info, "parameters")
  return n == 0 and "     --" or ("%7s"):format(("%.2f%%"):format(100 * n / total))
end
function cells.mult_adds(info, deepest)
  if info.macs <= 0 then return "--" end
  if info.leaf then return with_commas(info.macs) end
  if not deepest then return "--" end
  local n = 0
  for _, child in ipairs(info.below) do n = n + (child.leaf and child.macs or 0) end
  return with_commas(n)
end
function cells.trainable(info)
  if info.parameters == 0 then return "--" end
  if info.trainable == 0 then return "False" end
  return info.trainable == info.parameters and "True" or "Partial"
end

local Summary = {__name = "ModelStatistics"}
Summary.__index = Summary

local function layer_name(self, info)
  local name = info.class
  if self.rows.var_names and info.name ~= "" then name = ("%s (%s)"):format(name, info.name) end
  if self.rows.depth and info.depth > 0 then name = ("%s: %d-%d"):format(name, info.depth, info.index) end
  return name
end

local function start_of(self, depth)
  if depth == 0 then return "" end
  local plain = self.rows.ascii_only
  if depth == 1 then return plain and "+ " or "├─" end
  return (plain and "|    " or "│    "):rep(depth - 1) .. (plain and "+ " or "└─")
end

local function row(self, name, values)
  local out = {padded(name, self.layer_width)}
  for i, value in ipairs(values) do out[i + 1] = padded(value, self.col_width) end
  return (table.concat(out, " "):gsub("%s+$", "")) .. "\n"
end

-- Returns ": 1,234", or millions and more with the unit.
local function amount(n)
  local unit, factor = "MEGABYTES", 1e6
  if n >= 1e12 then unit, factor = "TERABYTES", 1e12 elseif n >= 1e9 then unit, factor = "GIGABYTES", 1e9 end
  local value = n / factor
  local text = value == math.floor(value) and with_commas(math.floor(value)) or
    with_commas(math.floor(value)) .. ("%.2f"):format(value):match "%.%d+$"
  if ("%.2f"):format(value):match "^%d+" ~= tostring(math.floor(value)) then text = ("%.2f"):format(value) end
  return (" (Units.%s): %s"):format(unit, text)
end

local function layer_rows(self)
  local out, titles = {}, {}
  for i, name in ipairs(self.col_names) do titles[i] = COLUMNS[name] end
  local head = (self.rows.var_names and " (var_name)" or "") .. (self.rows.depth and ":depth-idx" or "")
  local divider = ("="):rep(#self.col_names * self.col_width + self.layer_width) .. "\n"
  out[1] = divider .. row(self, ("Layer (type%s)"):format(head), titles) .. divider
  for _, info in ipairs(self.layers) do
    if info.depth <= self.max_depth and not (self.rows.hide_recursive_layers and info.again) then
      local values = {}
      for i, name in ipairs(self.col_names) do values[i] = cells[name](info, info.depth == self.max_depth, self.total_params) end
      out[#out + 1] = row(self, start_of(self, info.depth) .. layer_name(self, info), values)
    end
  end
  return table.concat(out), divider
end

function Summary:__tostring()
  local layers, divider = layer_rows(self)
  local out = {layers, divider, ("Total params: %s\n"):format(with_commas(self.total_params)),
    ("Trainable params: %s\n"):format(with_commas(self.trainable_params)),
    ("Non-trainable params: %s\n"):format(with_commas(self.total_params - self.trainable_params))}
  if self.total_input then
    out[#out + 1] = ("Total mult-adds%s\n%s"):format(amount(self.total_mult_adds), divider)
    for _, line in ipairs{{"Input size", self.total_input}, {"Forward/backward pass size", self.total_output_bytes},
        {"Params size", self.total_param_bytes}, {"Estimated Total Size", self.total_input + self.total_output_bytes + self.total_param_bytes}} do
      out[#out + 1] = ("%s (MB): %.2f\n"):format(line[1], line[2] / 1e6)
    end
  end
  out[#out + 1] = divider:sub(1, -2)
  return table.concat(out)
end

-- --- totals -----------------------------------------------------------------------------------------------------

local function add_up(self)
  self.total_params, self.trainable_params, self.total_param_bytes, self.total_mult_adds, self.total_output_bytes = 0, 0, 0, 0, 0
  for _, info in ipairs(self.layers) do
    if info.leaf then
      self.total_mult_adds = self.total_mult_adds + info.macs
      if info.parameters > 0 then self.total_output_bytes = self.total_output_bytes + 2 * info.out_bytes end -- and its gradient
    end
    if not info.again then
      local leaf = info.leaf
      self.total_params = self.total_params + math.max(leaf and info.parameters or leftover(info, "parameters"), 0)
      self.trainable_params = self.trainable_params + math.max(leaf and info.trainable or leftover(info, "trainable"), 0)
      if leaf then self.total_param_bytes = self.total_param_bytes + info.bytes end
    end
  end
  self.layer_width = LAYER_WIDTH
  for _, info in ipairs(self.layers) do
    local width = width_of(layer_name(self, info)) + info.depth * INDENT + 1
    if width >= self.layer_width then self.layer_width = (width + INDENT - 1) // INDENT * INDENT end
  end
end

-- Returns tensors of the given sizes: one list of numbers, or a list of such.
local function inputs_of(a, model)
  if a.input_data ~= nil then
    return support.is_plain(a.input_data) and a.input_data or {a.input_data}
  end
  if a.input_size == nil then return nil end
  local lists = type(a.input_size[1]) == "number" and {a.input_size} or a.input_size
  local first = model:parameters()()
  local device = a.device or first and first.device
  local inputs = {}
  for i, sizes in ipairs(lists) do
    for _, size in ipairs(sizes) do
      if size <= 0 then fail("ValueError", "Input_data is invalid, or negative size found in input_data.") end
    end
    inputs[i] = torch.rand(sizes)
    if a.batch_dim then inputs[i] = inputs[i]:unsqueeze(a.batch_dim) end
    inputs[i] = inputs[i]:to(device or "cpu"):to(a.dtypes and a.dtypes[i] or torch.float32)
  end
  return inputs
end

local function check(a)
  if a.col_width <= 0 then fail("ValueError", "Column width must be greater than 0: col_width=%d", a.col_width) end
  if a.input_data ~= nil and a.input_size ~= nil then
    fail("RuntimeError", "Only one of (input_data, input_size) should be specified.")
  end
  for _, name in ipairs(a.col_names) do
    if not COLUMNS[name] then fail("ValueError", "'%s' is not a valid ColumnSettings", name) end
  end
end

local read = torch._define("summary(model, input_size?, input_data?, batch_dim?, cache_forward_pass?, col_names?, col_width=25, depth=3, device?, " ..
  "dtypes?, mode='eval', row_settings?, verbose=1)")

--- summary(model, {input_size or input_data, col_names, col_width, depth, row_settings, ...}) prints the table (not with verbose
-- = 0) and returns an object with total_params, trainable_params, total_mult_adds, ..., whose text is the table.
return function(...)
  local a = read(...)
  local inputs = inputs_of(a, a.model)
  a.col_names = a.col_names or (inputs and {"output_size", "num_params"} or {"num_params"})
  check(a)
  local self = setmetatable({col_names = a.col_names, col_width = a.col_width, max_depth = a.depth, rows = {}}, Summary)
  for _, name in ipairs(a.row_settings or {"depth"}) do self.rows[name] = true end
  self.layers = run(a.model, inputs, a)
  if inputs then
    self.total_input = 0
    for _, t in ipairs(inputs) do
      if torch.is_tensor(t) then self.total_input = self.total_input + t.nbytes end
    end
  end
  add_up(self)
  if a.verbose > 0 then print(tostring(self)) end
  return self
end
