-- help_spec.lua: the examples of the help texts that want a GPU.
local torch = require "torch"
local gpus = require "gpus"
local examples = require "help_examples"

gpus.with_one("examples of help", function()
  it("show what is shown", function()
    examples.in_folder(function()
      local count, seen = 0, {}
      for path, block in pairs(torch._part "help.example".written()) do
        if block.gpu and not seen[block] then
          seen[block] = true
          count = count + 1
          examples.check(path, block)
        end
      end
      assert.is_true(count > 15)
    end)
  end)
end)
