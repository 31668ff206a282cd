-- golden_spec.lua: programs about operators and tensors print what PyTorch prints (spec/golden).
require "golden" {"ops", "views", "promotion", "random", "print", "mistakes", "numpy", "recurrent", "programs"}

it("each topic of spec/golden is named in one golden_spec.lua", function()
  local pipe = io.popen "cat spec/*/golden_spec.lua"
  local specs = pipe:read "a"
  pipe:close()
  for path in io.popen "ls spec/golden/*/*.lua":lines() do
    local topic = path:match "golden/(.-)/"
    assert(specs:find('"' .. topic .. '"', 1, true), topic)
  end
end)
