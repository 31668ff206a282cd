-- captures.lua: what the specs of CUDA graphs share.
local torch = require "torch"
local assert = require "luassert"
local cuda = torch.cuda
local captures = {}

--- Fails unless two tensors, of any devices, are equal.
function captures.same(expected, got) assert.is_true(torch.equal(expected:cpu(), got:cpu())) end

--- Runs f a few times on a stream of its own, as one does before a capture.
function captures.warm_up(f, times)
  local side = cuda.Stream()
  cuda.synchronize()
  cuda.stream(side, function()
    for _ = 1, times or 2 do f() end
  end)
  cuda.synchronize()
end

--- Returns a graph of what f does, and the results of the capture.
function captures.captured(f, options)
  local graph = cuda.CUDAGraph()
  return graph, cuda.graph(graph, options or {}, f)
end

return captures
