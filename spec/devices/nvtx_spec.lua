-- nvtx_spec.lua: ranges and marks for a tool that attaches by NVTX's injection, and without one.
local torch = require "torch"
local gpus = require "gpus"
local programs = require "programs"
local nvtx = torch.cuda.nvtx

describe("torch.cuda.nvtx", function()
  it("does nothing without a tool, as PyTorch's", function()
    assert.are.equal(-2, nvtx.range_push "a")
    assert.are.equal(-2, nvtx.range_pop())
    assert.are.equal(0, nvtx.range_start "a")
    nvtx.range_end(0)
    nvtx.mark "a"
    assert.are.equal(3, nvtx.range("step {}", 1, function() return 3 end))
  end)

  local tool = os.tmpname()
  local made = os.execute(("cc -shared -fPIC -o %s spec/support/nvtx_tool.c 2>/dev/null"):format(tool))
  if not made then
    os.remove(tool)
    return pending "a tool needs a C compiler"
  end
  teardown(function() os.remove(tool) end)

  it("tells a tool", function()
    gpus.prints("attached\npush a\npush b\n1\npop\npop\n0\nstart c\n42\nend 42\nmark d\npush step 3 of 7\nx\npop\npush block\npop\npush failing\npop\nfalse\n",
      "TOCHA_CUDA=off NVTX_INJECTION64_PATH=" .. tool, [[
      io.stdout:setvbuf "no"
      local nvtx = torch.cuda.nvtx
      nvtx.range_push "a"
      print(nvtx.range_push "b")
      nvtx.range_pop()
      print(nvtx.range_pop())
      local id = nvtx.range_start "c"
      print(id)
      nvtx.range_end(id)
      nvtx.mark "d"
      nvtx.range("step {} of {}", 3, 7, function() print "x" end)
      do local _ <close> = nvtx.range "block" end
      print((pcall(nvtx.range, "failing", function() error "no" end)))]])
  end)

  it("leaves a library that is no tool alone", function()
    gpus.prints("-2\n", "TOCHA_CUDA=off NVTX_INJECTION64_PATH=/no/such.so", "print(torch.cuda.nvtx.range_push 'a')")
  end)

  if torch.cuda.is_available() then
    it("tells a tool about every operator, also about one that fails", function()
      gpus.prints("attached\npush aten::ones\npop\npush aten::add\npop\npush aten::mm\npop\nfalse\n1\n", "NVTX_INJECTION64_PATH=" .. tool, [[
        io.stdout:setvbuf "no"
        local failed
        torch.autograd.profiler.emit_nvtx(function()
          local x = torch.ones(2, {device = "cuda"})
          local _ = x + 1
          failed = pcall(torch.mm, x, x)
        end)
        print(failed)
        print(#torch.profiler.profile({with_stack = false}, function() return torch.ones(2) end).events)]])
    end)
  end
end)

gpus.with_one("torch.cuda.profiler", function()
  it("begins and ends a recording", function()
    torch.cuda.profiler.start()
    torch.cuda.profiler.stop()
    assert.are.equal(4, torch.cuda.profiler.profile(function() return 4 end))
    do local _ <close> = torch.cuda.profiler.profile() end
  end)
end)

describe("profilers of GPUs", function()
  it("need a GPU", function()
    local lack = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
      .. "http://www.nvidia.com/Download/index.aspx\n"
    gpus.prints(lack .. lack, "TOCHA_CUDA=off", [[
      for _, f in ipairs{torch.cuda.profiler.start, torch.autograd.profiler.emit_nvtx} do
        print((tostring(select(2, pcall(f))):match "^[^\n]*"))
      end]])
    assert.is_truthy(programs.tocha)
  end)
end)
