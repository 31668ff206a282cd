-- checkpoints_spec.lua: files of tensors on a GPU: they say where the tensors were, and come back there, or where one asks.
local torch = require "torch"
local gpus = require "gpus"
local serialization, safetensors = torch.serialization, torch.utils.safetensors

gpus.with_one("checkpoints", function()
  local function device_of(t) return tostring(t.device) end

  for _, legacy in ipairs {false, true} do
    it("come back to the GPU, or go elsewhere" .. (legacy and " (old format)" or ""), function()
      local x = torch.arange(6, {device = "cuda"}):reshape(2, 3)
      local bytes = serialization.save_bytes({x = x, t = x:t(), h = torch.ones(2)}, legacy)
      local c = serialization.load_bytes(bytes)
      assert.are.same({"cuda:0", "cuda:0", "cpu"}, {device_of(c.x), device_of(c.t), device_of(c.h)})
      assert.is_true(torch.equal(c.x, x) and torch.equal(c.t, x:t()))
      c.x[{0, 0}] = 7   -- one storage
      assert.are.equal(7, c.t[{0, 0}]:item())
      assert.are.equal("cpu", device_of(serialization.load_bytes(bytes, "cpu").t))
      assert.are.equal("cuda:0", device_of(serialization.load_bytes(bytes, "cuda").h))
      local moved = serialization.load_bytes(bytes, function(storage, location)
        return location == "cpu" and storage:cuda() or storage:cpu()
      end)
      assert.are.same({"cpu", "cuda:0"}, {device_of(moved.x), device_of(moved.h)})
      assert.is_true(torch.equal(moved.t, x:t():cpu()))
    end)
  end

  it("of PyTorch's are opened", function()
    assert.are.equal("tensor([1., 1.], device='cuda:0')", tostring(torch.load("spec/golden/checkpoints/cuda.pt").a))
  end)

  it("as .safetensors are loaded to any device", function()
    local path = os.tmpname()
    safetensors.save_file({x = torch.ones(2, {device = "cuda"})}, path)
    assert.are.equal("cpu", device_of(safetensors.load_file(path).x))
    assert.are.equal("cuda:0", device_of(safetensors.load_file(path, "cuda").x))
    assert.are.equal("cuda:0", device_of(torch.load(path, {map_location = "cuda"}).x))
    os.remove(path)
  end)

  it("go on with the generators of the GPU", function()
    local path = os.tmpname()
    local model = torch.nn.Linear(2, 2):cuda()
    local optimizer = torch.optim.Adam(model:parameters())
    model(torch.ones(1, 2, {device = "cuda"})):sum():backward()
    optimizer:step()
    serialization.save_checkpoint(path, {model = model, optimizer = optimizer})
    local weight, drawn = model.weight:clone(), torch.rand(3, {device = "cuda"})
    optimizer:step()
    torch.rand(5, {device = "cuda"})
    serialization.load_checkpoint(path, {model = model, optimizer = optimizer})
    os.remove(path)
    assert.is_true(torch.equal(weight, model.weight) and torch.equal(drawn, torch.rand(3, {device = "cuda"})))
    assert.are.equal("cuda:0", device_of(optimizer.state[model.weight].exp_avg))
  end)
end)
