-- process_spec.lua: processes without a GPU or without the plug-in, and how a process with a GPU ends.
local torch = require "torch"
local gpus = require "gpus"
local programs = require "programs"
local cuda = torch.cuda

describe("CUDA in other processes", function()
  local no_driver = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a "
    .. "driver from http://www.nvidia.com/Download/index.aspx\n"

  it("is not there where it is switched off", function()
    gpus.prints("false\t0\t0\n" .. no_driver:rep(2) .. "nil\tfalse\n6.0\n", "TOCHA_CUDA=off", [[
      print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.memory_allocated())
      local function first_line(f, ...) print((tostring(select(2, pcall(f, ...))):match "^[^\n]*")) end
      first_line(torch.ones, 2, {device = "cuda"})
      first_line(torch.cuda.synchronize)
      print(torch.accelerator.current_accelerator(), torch.cuda.is_bf16_supported())
      torch.cuda.empty_cache()
      torch.cuda.manual_seed_all(3)
      torch.manual_seed(3)
      local net = torch.nn.Linear(2, 1)
      print(torch.arange(4):sum():item() + 0.0)]])
    local printed = gpus.run("TOCHA_CUDA=off", "print(pcall(torch.ones, 2, {device = 'mps'}))")
    assert.is_truthy(printed:find("The MPS backend is supported on MacOS 14.0+", 1, true), printed)
    printed = gpus.run("TOCHA_CUDA=off", "torch.ones(2):cuda()")
    assert.is_truthy(printed:find("choose the device with torch.cuda.is_available()", 1, true), printed)
    local pipe = assert(io.popen("TOCHA_CUDA=off " .. programs.tocha .. " --doctor 2>&1"))
    printed = pipe:read "a"
    pipe:close()
    assert.is_truthy(printed:find("not available: the environment says TOCHA_CUDA=off", 1, true), printed)
  end)

  it("is not there where its library is missing", function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute(("mkdir %s && cp -L %s $(dirname %s)/libtocha.so.1 %s"):format(folder, programs.tocha, programs.tocha, folder))
    local kept = {}   -- what tocha itself needs may be found there, but no plug-in
    for path in (os.getenv "LD_LIBRARY_PATH" or ""):gmatch "[^:]+" do
      if not io.open(path .. "/libtocha_cuda.so") then kept[#kept + 1] = path end
    end
    for _, variable in ipairs{"TOCHA_CUDA=simulate", "TOCHA_CUDA="} do
      gpus.prints("false\n3.0\n", variable .. " LD_LIBRARY_PATH=" .. programs.quote(table.concat(kept, ":")), [[
        warn "@off" -- of a simulated GPU that is asked for and not there
        print(torch.cuda.is_available())
        print(torch.ones(3):sum():item())]], folder .. "/tocha")
      local pipe = assert(io.popen(("%s %s/tocha --doctor 2>&1"):format(variable, folder)))
      local printed = pipe:read "a"
      pipe:close()
      assert.is_truthy(printed:find("libtocha_cuda[_a-z]*%.so is not there"), printed)
    end
    os.execute("rm -r " .. folder)
  end)

  it("is linked by nothing", function()
    local pipe = assert(io.popen(("ldd %s $(dirname %s)/libtocha.so.1 2>&1"):format(programs.tocha, programs.tocha)))
    local printed = pipe:read "a"
    pipe:close()
    assert.is_truthy(printed:find("libtocha", 1, true), printed)
    assert.is_nil(printed:lower():match "lib[^/%s]*cuda" or printed:lower():match "libcublas")
  end)

  if cuda.is_available() then
    local stock = ("%s -e 'package.cpath = \"%s/?.so;;\" torch = require \"torch\"'"):format(programs.quote(programs.lua), programs.folder)

    it("may be left with work under way", function()
      for _, interpreter in ipairs{programs.tocha, stock} do
        gpus.prints("", "", [[
          warn "@off" -- of the stream that is left current
          local x = torch.rand(100, 100, {device = "cuda"})
          kept = {x, x:matmul(x), torch.cuda.Stream(), torch.cuda.Event(), torch.rand(10):pin_memory()}
          for i = 1, 20 do kept[#kept + 1] = x * i end
          kept[4]:record()
          kept[5]:to("cuda", {non_blocking = true})
          model = torch.nn.Linear(100, 3):cuda()
          model(x):sum():backward()
          optimizer = torch.optim.Adam(model:parameters())
          optimizer:step()
          torch.set_default_device "cuda"
          local wrong = torch.tensor{500}
          kept[#kept + 1] = x[wrong]                        -- an error that nothing waits for
          guard = torch.cuda.stream(kept[3])]], interpreter)
        gpus.prints("", "", [[
          local x = torch.rand(100, 100, {device = "cuda"})
          local y = x:matmul(x)
          os.exit(0, true)]], interpreter)
      end
    end)

    it("is closed with an error as well", function()
      local printed, ended = gpus.run("", [[local x = torch.ones(3, {device = "cuda"}) * 2 error "end"]])
      assert.is_truthy(printed:find("end", 1, true))
      assert.is_falsy(ended)
    end)
  end
end)
