-- examples.lua: finds an example for operators, functions and modules that have none written by hand: the first of the calls below that gives a short,
-- certain result. Writes lua/help_examples/, which spec/docs/help_spec.lua runs like the others.
--
--   build/tocha docs/make/examples.lua lua/help_examples
local help = torch._part "help"
local folder = arg[1] or error("usage: tocha docs/make/examples.lua FOLDER", 0)

local vector, other, matrix = "torch.tensor{0.25, 0.5, 1.}", "torch.tensor{2., 1., 4.}", "torch.tensor{{1., 2.}, {3., 4.}}"
local spd = "torch.tensor{{4., 1.}, {1., 3.}}"
local integers, other_integers, mask = "torch.tensor{6, 3, 5}", "torch.tensor{2, 1, 3}", "torch.tensor{true, false, true}"
local image, batch, volume = "torch.arange(16.):reshape(1, 1, 4, 4)", "torch.arange(4.):reshape(1, 1, 4)", "torch.arange(8.):reshape(1, 1, 2, 2, 2)"

-- Arguments to try, in this order. The first is the object where a method is called.
local tried = {
  {vector}, {matrix}, {integers}, {mask}, {vector, other}, {matrix, spd}, {matrix, vector .. "[\":2\"]"}, {integers, other_integers}, {mask, mask},
  {vector, "2"}, {integers, "2"}, {matrix, "0"}, {matrix, "0", "1"}, {matrix, "{0, 1}"}, {matrix, "{4}"}, {matrix, "{1, 2, 2}"}, {vector, "0.5"}, {vector,
  "0.4", "0.8"},
  {vector, other, "0.5"}, {vector, other, vector}, {matrix, spd, matrix}, {matrix .. "[0]", matrix, spd .. "[0]"}, {"{" .. vector .. ", " .. other .. "}"},
  {"{" .. matrix .. ", " .. spd .. "}"}, {image, "2"}, {batch, "2"}, {volume, "2"}, {image, "{1, 1}"}, {image, "2", "2"}, {spd, matrix}, {spd},
  {matrix, "torch.tensor{1, 0}"}, {matrix, "0", "torch.tensor{1, 0}"}, {matrix, "1", "torch.tensor{{0}, {1}}"}, {matrix, "0", "torch.tensor{1, 0}", matrix},
  {matrix, "0", "torch.tensor{1, 0}", "9."}, {vector, mask}, {vector, mask, "9."}, {mask, vector, other}, {matrix,
  "torch.tensor{{true, false}, {false, true}}"},
  {"torch.tensor{{3., 1., 2.}}", "torch.tensor{0}"}, {"torch.tensor{1., 5., 2.}", "2"}, {"0", "3"}, {"3"}, {"2", "3"}, {"0", "1", "3"}, {"{2}", "7"},
  {matrix, "2", "0"},
  {"torch.tensor{1., 0., 2.}"}, {"torch.tensor{{1., 0.}, {0., 2.}}"}, {image}, {batch}, {volume},
}
local built = {"", "2", "3, 2", "1, 2, 3", "4, 2, 2", "0.5", "{2, 2}", "{2}", "1, 2", "2, 1", "8, 2"}

-- Whether nothing of it depends on more than its arguments: no random numbers, no memory, no settings.
local unsure = {
  "rand", "normal", "empty", "dropout", "bernoulli", "multinomial", "poisson", "seed", "^set_", "^get_", "^is_", "save", "load", "pin",
  "storage", "data_ptr", "from_file", "share", "resize", "version", "register", "exponential", "cauchy", "geometric", "uniform", "shuffle",
  "binomial", "backward", "^use_", "gumbel", "retain", "numpy", "record", "device", "cuda", "^type$", "rrelu", "profile", "printoptions",
  "cross_entropy", "nll", "thread", "deterministic", "^new", "^apply", "^map", "hook", "autocast", "^free", "_$", "^upsample", "^Container$",
}
local function is_sure(name)
  for _, pattern in ipairs(unsure) do
    if name:find(pattern) then return false end
  end
  return true
end

local function shown_by(typed)
  local f = load("return " .. typed, "=example", "t", {torch = torch})
  local results = f and table.pack(pcall(f))
  if not (results and results[1]) or results.n < 2 or results[2] == nil then return nil end
  local texts = {}
  for i = 2, results.n do
    local done, text = pcall(tostring, results[i])
    if not done or type(results[i]) == "function" then return nil end
    texts[i - 1] = text
  end
  local text = table.concat(texts, "\n")
  local _, lines = text:gsub("\n", "")
  local plain = not text:find "nan" and not text:find "0x" and not text:find "[Ww]arning" and not text:find "grad_fn" and not text:find "[^%g%s]"
  return plain and lines < 6 and #text < 300 and text or nil
end

local function candidates(path, name)
  local out = {}
  if path:find "^torch%.nn%.%u%w*$" or path:find "^torch%.vision%.transforms%.%u%w*$" then
    for _, list in ipairs(built) do out[#out + 1] = path .. "(" .. list .. ")" end
    return out
  end
  for _, list in ipairs(tried) do
    local rest = table.concat(list, ", ", 2)
    if path:find "^torch%.Tensor%." then
      out[#out + 1] = list[1]:find "^torch" and ("%s:%s(%s)"):format(list[1], name, rest) or nil
    else
      out[#out + 1] = ("%s(%s)"):format(path, table.concat(list, ", "))
    end
  end
  return out
end

local spaces = {["torch"] = "torch", ["torch.Tensor"] = "Tensor", ["torch.nn.functional"] = "functional", ["torch.linalg"] = "others",
  ["torch.special"] = "others",
  ["torch.nn"] = "nn", ["torch.vision.transforms"] = "others"}
local files, count = {}, 0
torch.set_num_threads(1)
warn "@off"
help.each(function(path, value)
  local space, name = path:match "^(.*)%.([^.]+)$"
  local file = spaces[space]
  if not file or help.written_example(path) or not is_sure(name) then return end
  if type(value) ~= "function" and not (type(value) == "table" and name:find "^%u") then return end
  for _, typed in ipairs(candidates(path, name)) do
    local shown = shown_by(typed)
    if shown and shown == shown_by(typed) then
      files[file] = files[file] or {}
      table.insert(files[file], ("%s\t%s\t%s"):format(path, typed, (shown:gsub("\n", "\v"))))
      count = count + 1
      break
    end
  end
end)
os.execute("mkdir -p '" .. folder .. "'")
for name, lines in pairs(files) do
  local out = assert(io.open(folder .. "/" .. name .. ".lua", "w"))
  out:write("-- Made by docs/make/examples.lua: a name, what is typed, what is shown.\nreturn [==[\n", table.concat(lines, "\n"), "\n]==]\n")
  out:close()
end
print(count .. " examples")
