-- golden_spec.lua: programs about operators and tensors print what PyTorch prints (spec/golden).
require "golden" {"ops", "views", "promotion", "random", "print", "mistakes", "numpy", "recurrent", "programs"}

local function printed_by(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "a"
end

it("each topic of spec/golden is named in one golden_spec.lua", function()
  local specs = printed_by "cat spec/*/golden_spec.lua"
  for topic in printed_by "ls spec/golden/*/*.lua":gmatch "golden/([^/\n]+)/" do
    assert(topic == "bridge" or specs:find('"' .. topic .. '"', 1, true), topic)
  end
end)

-- help.py compares, and writes nothing; the programs of examples/ are run by examples/ask.py, and rank.py by distributed/ask.py.
it("each script of spec/golden is run by ask.py all, or imported by one that is", function()
  local scripts, imported = printed_by "cat spec/golden/ask.py", {}
  for line in printed_by "grep -hE '^(import|from) ' spec/golden/*.py spec/golden/*/*.py":gmatch "[^\n]+" do
    for word in line:gmatch "[%w_]+" do imported[word] = true end
  end
  for path in printed_by "cd spec/golden && ls *.py */*.py */*/*.py":gmatch "[^\n]+" do
    local name = path:match "([^/]+)%.py$"
    local is_other = path == "ask.py" or path == "help.py" or path == "distributed/rank.py" or path:find "^examples/" and name ~= "ask"
    assert(is_other or imported[name] or scripts:find('"' .. path .. '"', 1, true), path)
  end
end)
