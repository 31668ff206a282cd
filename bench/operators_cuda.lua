-- operators_cuda.lua: the Tocha side of the table for a GPU, single operators of matrices of 4096 x 4096, the lines of operators_cuda.tsv.
-- operators_cuda.py is the PyTorch side with the same cases.
--   operators_cuda.lua [PATTERN]   see measuring_cuda.lua
local torch = require "torch"
local measuring = dofile "bench/measuring_cuda.lua"
local sized, rand, cuda = measuring.sized, measuring.rand, measuring.device

local SIZE = sized(4096, 32)

local function matrix(dtype, rows)
  local x = rand(rows or SIZE, SIZE)
  return (dtype.is_floating_point and x or x * 100):to(dtype)
end

-- Functions that make the arguments named in a line, given the type.
local makers = {
  x = matrix,
  y = matrix,
  row = function(dtype) return matrix(dtype, 1) end,
  transposed = function(dtype) return matrix(dtype).T end,
  mask = function() return rand(SIZE, SIZE):gt(0.5) end,
  places = function() return torch.randint(0, SIZE, {SIZE, SIZE}, {device = cuda}) end,
  some = function() return torch.randint(0, SIZE, {SIZE}, {device = cuda}) end,
}

local function argument(word, dtype)
  if makers[word] then return makers[word](dtype) end
  if not word:find "," then return tonumber(word) end
  local list = {}
  for number in word:gmatch "%d+" do list[#list + 1] = number == "4096" and SIZE or tonumber(number) end
  return list
end

local function add_case(path, words, moved, type)
  local dtype = torch[type]
  measuring.case(("%s(%s), 16M %s"):format(path, words:gsub(" ", ", "), type), ("%d"):format(moved * dtype.itemsize * SIZE * SIZE), function()
    local f, arguments = torch, {}
    for name in path:gmatch "[%w_]+" do f = f[name] end
    for word in words:gmatch "%S+" do arguments[#arguments + 1] = argument(word, dtype) end
    return function()
      local _ <close> = torch.no_grad()
      return f(table.unpack(arguments))
    end
  end)
end

for line in io.lines "bench/operators_cuda.tsv" do
  local path, words, moved, types = line:match "^([^#\t][^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$"
  for type in (types or ""):gmatch "%S+" do add_case(path, words, tonumber(moved), type) end
end

measuring.run(arg[1] or "")
