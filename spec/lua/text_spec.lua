-- text_spec.lua: texts that C would read to their first NUL only are refused.
local torch = require "torch"
local F = torch.nn.functional

local calls = {
  ["a mode"] = function() return F.interpolate(torch.zeros(1, 1, 2), {scale_factor = 2.0, mode = "nearest\0"}) end,
  ["an equation"] = function() return torch.einsum("ij->ji\0k", torch.zeros(2, 2)) end,
  ["a device"] = function() return torch.zeros(2, {device = "cpu\0x"}) end,
  ["a device's name"] = function() return torch.device "cuda\0:0" end,
  ["a subscript"] = function() return torch.zeros(3)["0\0:2"] end,
}
for name, call in pairs(calls) do
  it(name .. " with a NUL within is an error", function()
    local ok, e = pcall(call)
    assert.is_false(ok)
    assert.are.equal("embedded null character", e.message)
    assert.are.equal("ValueError", e.code)
  end)
end
