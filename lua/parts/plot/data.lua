-- data.lua: reads the arguments of plots: keywords, and numbers, texts and images as plain Lua tables.
local torch = ...
local support = torch._part "support"

local data = {}

local ALIASES = {c = "color", lw = "linewidth", ls = "linestyle", ms = "markersize", mec = "markeredgecolor", mfc = "markerfacecolor",
  mew = "markeredgewidth", ec = "edgecolor", fc = "facecolor", edgecolors = "edgecolor", linewidths = "linewidth", colors = "color",
  linestyles = "linestyle", fontsize = "size", ha = "horizontalalignment", va = "verticalalignment"}

local function keywords_in(given, count)
  local last = given[count]
  if not support.is_plain(last) then return nil end
  local strings, others = support.key_kinds(last)
  if count == 1 then return strings and last end
  return not others and last
end

-- Keywords whose values are single numbers.
local NUMBERS = {}
for word in ("linewidth alpha markersize markeredgewidth zorder capsize capthick elinewidth framealpha vmin vmax dpi padding pad shrink "
  .. "fraction"):gmatch "%S+" do
  NUMBERS[word] = true
end

local function checked(key, value)
  if not NUMBERS[key] or type(value) == "number" then return value end
  if torch.is_tensor(value) and value:numel() == 1 then return value:item() end
  if key == "linewidth" and type(value) == "table" and type(value[1]) == "number" then return value[1] end
  if key == "dpi" and value == "figure" then return nil end
  return support.fail("TypeError", "%s must be real number, not %s", key, torch._python_type(value))
end

--- Fails if a required argument of a call is missing.
function data.need(name, a, ...)
  for _, argument in ipairs{...} do
    if a[argument] == nil then support.fail("TypeError", "%s() missing 1 required positional argument: '%s'", name, argument) end
  end
end

local function unknown(name, key, allowed)
  local near = torch._nearest(key, allowed)
  torch._raise("TypeError", ("%s() got an unexpected keyword argument '%s'"):format(name, key), near and ("did you mean '%s'?"):format(near))
end

local allowed_of = setmetatable({}, {__mode = "k"})

-- Returns the keywords of a signature: the names of positions first, then the words.
local function signature(positions, words)
  local known = allowed_of[positions]
  if known then return known end
  known = {list = {}, set = {}}
  for _, text in ipairs{table.concat(positions, " "), words} do
    for word in text:gmatch "%S+" do
      known.list[#known.list + 1] = word
      known.set[word] = true
    end
  end
  allowed_of[positions] = known
  return known
end

--- Reads the arguments of a call. Positional arguments get the names in `positions` (further ones are in the list part); keywords
-- are those in `words` or their short forms.
function data.read(name, positions, words, ...)
  local given, count = {...}, select("#", ...)
  local known = signature(positions, words)
  local keywords = count > 0 and keywords_in(given, count)
  local args = {}
  if keywords then
    if count == 1 then
      given, count = table.move(keywords, 1, #keywords, 1, {}), #keywords
    else
      count = count - 1
    end
    for key, value in pairs(keywords) do
      if type(key) == "string" then
        local full = known.set[key] and key or ALIASES[key] or key
        if not known.set[full] then unknown(name, key, known.list) end
        args[full] = checked(full, value)
      end
    end
  end
  args.count = count
  for i = 1, count do
    args[i] = given[i]
    local position = positions[i]
    if position then
      if args[position] ~= nil then support.fail("TypeError", "%s() got multiple values for argument '%s'", name, position) end
      args[position] = given[i]
    end
  end
  return args
end

-- --- numbers --------------------------------------------------------------------------------------------

function data.tensor(value)
  if support.is_array(value) then value = torch.from_numpy(value) end
  if torch.is_tensor(value) then
    if value:is_complex() then support.fail("TypeError", "complex numbers cannot be plotted; plot their real and imaginary parts") end
    return value:detach():cpu()
  end
end

--- Returns the edges of `bins` bins (at most `max_bins`) from low to high, computed in NumPy's order; from 0 to 1 if there are no
-- values.
function data.edges(low, high, bins, max_bins)
  low, high = low or 0, high or 1
  if low == high then low, high = low - 0.5, high + 0.5 end
  if math.type(bins) ~= "integer" or bins < 1 or bins > max_bins then support.fail("ValueError", "`bins` must be positive, when an integer") end
  local edges = {}
  for i = 0, bins do edges[i + 1] = low + (high - low) / bins * i end
  edges[bins + 1] = high + 0.0
  return edges
end

--- Returns a list of numbers (tensors of any shape are flattened). Texts stay as they are.
function data.list(value, what)
  if value == nil then return nil end
  if type(value) == "number" then return {value + 0.0} end
  local tensor = data.tensor(value)
  if tensor then return tensor:double():reshape(-1):tolist() end
  if type(value) ~= "table" then
    support.fail("TypeError", "%s must be numbers (a tensor, an array, a table), not %s", what or "values", torch._python_type(value))
  end
  local list = {}
  if support.is_plain(value) then
    for i, item in ipairs(value) do list[i] = item end
  else
    for item in support.values(value) do list[#list + 1] = item end
  end
  for i, item in ipairs(list) do
    if torch.is_tensor(item) then item = item:item() end
    if item == true or item == false then item = item and 1 or 0 end
    if type(item) ~= "number" and type(item) ~= "string" then
      support.fail("TypeError", "%s must be numbers, not %s", what or "values", torch._python_type(item))
    end
    list[i] = type(item) == "number" and item + 0.0 or item
  end
  return list
end

--- Returns the columns of a two-dimensional value, or a list of the value itself.
function data.columns(value)
  local tensor = data.tensor(value)
  if tensor and tensor:dim() == 2 then
    local columns = {}
    for i = 0, tensor.shape[1] - 1 do columns[i + 1] = data.list(tensor:select(1, i)) end
    return columns
  end
  if support.is_plain(value) and support.is_plain(value[1]) then
    return data.columns(torch.tensor(value, {dtype = torch.float64}))
  end
  return {data.list(value, "y")}
end

--- Fails with NumPy's message if two lists differ in length.
function data.same_length(x, y)
  if #x ~= #y then
    support.fail("ValueError", "x and y must have same first dimension, but have shapes (%d,) and (%d,)", #x, #y)
  end
end

function data.is_finite(value) return value == value and value ~= math.huge and value ~= -math.huge end

--- Returns the smallest and the largest of the finite numbers in lists, or nil if there are none.
function data.range(...)
  local low, high = math.huge, -math.huge
  for _, list in ipairs{...} do
    for i = 1, #list do
      local value = list[i]
      if value == value and value ~= math.huge and value ~= -math.huge then
        if value < low then low = value end
        if value > high then high = value end
      end
    end
  end
  if low <= high then return low, high end
end

--- Returns a list of `n` copies of a number, or the list that was given.
function data.repeated(value, n, default)
  if value == nil then value = default end
  if type(value) == "number" then
    local list = {}
    for i = 1, n do list[i] = value end
    return list
  end
  return data.list(value)
end

--- Returns the corners of a line in steps: "steps-pre", "steps-mid", "steps-post".
function data.stepped(x, y, style)
  if not style or style == "default" then return x, y end
  local xs, ys = {x[1]}, {y[1]}
  for i = 2, #x do
    local n, middle = #xs, (x[i - 1] + x[i]) / 2
    if style == "steps-mid" then
      xs[n + 1], ys[n + 1], xs[n + 2], ys[n + 2] = middle, y[i - 1], middle, y[i]
    elseif style == "steps-post" then
      xs[n + 1], ys[n + 1] = x[i], y[i - 1]
    else
      xs[n + 1], ys[n + 1] = x[i - 1], y[i]
    end
    xs[#xs + 1], ys[#ys + 1] = x[i], y[i]
  end
  return xs, ys
end

-- --- images --------------------------------------------------------------------------------------------

local function is_channels(n) return n == 1 or n == 3 or n == 4 end

--- Returns rows of numbers, or of colours in tables (second result: channels), of an image (H, W), (H, W, C), (C, H, W) or (1, H,
-- W).
function data.picture(value)
  local tensor = data.tensor(value) or torch.tensor(value, {dtype = torch.float64})
  local shape = tensor.shape
  if tensor:dim() == 4 and shape[0] == 1 then return data.picture(tensor:squeeze(0)) end
  if tensor:dim() == 3 and is_channels(shape[0]) and not is_channels(shape[2]) then
    tensor = tensor:permute(1, 2, 0)
  elseif tensor:dim() ~= 2 and not (tensor:dim() == 3 and is_channels(shape[2])) then
    support.fail("TypeError", "Invalid shape %s for image data", tostring(shape):match "%[(.*)%]":gsub("^(.*)$", "(%1)"))
  end
  if tensor:numel() == 0 then support.fail("ValueError", "an image needs at least one pixel") end
  if tensor:dim() == 3 and tensor.shape[2] == 1 then tensor = tensor:squeeze(2) end
  local whole = not tensor:is_floating_point()
  local channels = tensor:dim() == 3 and tensor.shape[2] or nil
  if channels then
    tensor = tensor:double()
    tensor = (whole and tensor or tensor * 255):clamp(0, 255):round()
    tensor = tensor:nan_to_num()
  end
  return tensor:double():tolist(), channels
end

--- Returns a two-dimensional value as rows of numbers.
function data.matrix(value, what)
  local tensor = data.tensor(value) or torch.tensor(value, {dtype = torch.float64})
  if tensor:dim() ~= 2 then support.fail("TypeError", "%s must be a 2D array", what or "Input z") end
  return tensor:double():tolist()
end

return data
