-- The programs of examples/ print what spec/examples/expected holds, to the character: PyTorch's own answers for
-- the tutorials. Each runs on the CPU from stock Lua (require "torch") and in `tocha`, with one thread and two, and
-- on the GPU that is there, or else a simulated one.
-- TOCHA names the program to test; torch.so is looked for beside it.
local lfs = require "lfs"
local torch = require "torch"

local programs = require "programs"
local TOCHA, LUA, folder, quote, read = programs.tocha, programs.lua, programs.folder, programs.quote, programs.read

-- What a program prints, what it says on stderr, and its exit code; place: variables that say which devices it sees.
local function run(place, interpreter, threads, ...)
  local out, err = os.tmpname(), os.tmpname()
  local command = "env -u LUA_INIT -u LUA_INIT_5_4 %s OMP_NUM_THREADS=%d LUA_CPATH=%s %s %s >%s 2>%s </dev/null"
  local arguments = {}
  for i, argument in ipairs{...} do arguments[i] = quote(argument) end
  local _, _, code = os.execute(command:format(place, threads, quote(folder .. "/?.so;;"), quote(interpreter),
    table.concat(arguments, " "), out, err))
  local printed, messages = read(out), read(err)
  os.remove(out)
  os.remove(err)
  return printed, messages, code
end

local ways = {
  {title = "from stock Lua, one thread", interpreter = LUA, threads = 1},
  {title = "from stock Lua, two threads", interpreter = LUA, threads = 2},
  {title = "in tocha, one thread", interpreter = TOCHA, threads = 1},
  {title = "in tocha, two threads", interpreter = TOCHA, threads = 2},
}

local function example(name) return "examples/" .. name .. ".lua" end
local function expected_of(name) return read("spec/examples/expected/" .. name .. ".expected") end

local names = {}
for file in lfs.dir("examples") do names[#names + 1] = file:match "^(.*)%.lua$" end
table.sort(names)

-- ---- on the CPU ----

local CPU = "TOCHA_CUDA=off"

local told = 0
for _, name in ipairs(names) do
  local expected = expected_of(name) or expected_of(name .. ".cpu")
  if expected then
    told = told + 1
    describe("examples/" .. name .. ".lua", function()
      for _, way in ipairs(ways) do
        it("prints what PyTorch prints, " .. way.title, function()
          local printed, messages, code = run(CPU, way.interpreter, way.threads, example(name))
          assert.are.equal(expected, printed)
          assert.are.equal(read("spec/examples/expected/" .. name .. ".warnings") or "", messages)
          assert.are.equal(0, code)
        end)
      end
    end)
  end
end

describe("examples/", function()
  it("has the tutorials", function() assert.is_true(told >= 6) end)

  it("never calls collectgarbage", function()
    for _, name in ipairs(names) do
      assert.is_nil(read(example(name)):find("collectgarbage", 1, true), name)
    end
  end)

  it("reads at least 96% of the new digits in the demo", function()
    local printed, messages, code = run(CPU, TOCHA, 2, example "digits")
    assert.are.equal(0, code)
    assert.are.equal("", messages) -- no progress bar where stderr is no terminal
    local epochs = 0
    for loss, accuracy in printed:gmatch "epoch +%d+  loss (%d+%.%d+)  accuracy +(%d+%.%d)%%" do
      epochs = epochs + 1
      assert.is_true(tonumber(loss) > 0 and tonumber(accuracy) <= 100)
    end
    assert.is_true(epochs >= 10)
    local percent = tonumber(printed:match "(%d+%.%d)%% of the digits")
    assert.is_true(percent >= 96 and percent < 100, tostring(percent))
    assert.is_truthy(printed:find("██", 1, true))
  end)

  it("says where there is no GPU to time, or to share work with", function()
    local printed, messages, code = run(CPU, TOCHA, 2, example "timing_cpu_gpu")
    assert.are.equal(0, code)
    assert.are.equal("", messages)
    assert.is_truthy(printed:find("There is no GPU here: the environment says TOCHA_CUDA=off", 1, true))
    assert.is_truthy(printed:find "training loop, 1500 digits +%d+%.%d+ ms\n")
    printed, messages, code = run(CPU, TOCHA, 2, example "two_gpus")
    assert.are.equal(0, code)
    assert.are.equal("", messages)
    assert.is_truthy(printed:find("0 GPUs", 1, true))
  end)
end)

-- ---- on a GPU ----

local simulator = lfs.attributes(folder .. "/libtocha_cuda_simulated.so") and
  "TOCHA_CUDA=simulate TOCHA_SIMULATOR_FAULTS=1 TOCHA_SIMULATED_GPUS=%d"
local GPU = torch.cuda.is_available() and "" or simulator and simulator:format(1)
local TWO_GPUS = simulator and simulator:format(2)

-- fn gets the variables that make the GPUs visible.
local function on_gpu(place, title, fn)
  it(title, function()
    if not place then return pending "no GPU, and no simulated one was built" end
    fn(place)
  end)
end

-- What the program prints there; it must end well.
local function output(place, way, ...)
  local printed, messages, code = run(place, way.interpreter, way.threads, ...)
  assert.are.equal("", (messages:gsub("Lua warning: [^\n]* is deprecated%. Please use [^\n]*\n", "")))
  assert.are.equal(0, code)
  return printed
end

local in_tocha = ways[4]

-- The numbers that follow a word in a text.
local function numbers(text, word)
  local found = {}
  for number in text:gmatch(word .. ":? +([%d.]+)") do found[#found + 1] = tonumber(number) end
  return found
end

-- The losses that printed tells are those of the CPU's text, to a thousandth.
local function same_losses(expected, printed, word, count)
  local wanted, got = numbers(expected, word), numbers(printed, word)
  assert.are.equal(count, #wanted)
  assert.are.equal(count, #got)
  for i, loss in ipairs(wanted) do
    assert(math.abs(got[i] - loss) <= 1e-3 * loss, ("loss %d is %s, not %s"):format(i, got[i], loss))
  end
end

describe("the tutorials on a GPU", function()
  for _, way in ipairs(ways) do
    on_gpu(GPU, "02 prints what PyTorch prints, " .. way.title, function(place)
      assert.are.equal(expected_of "02_devices.cuda", output(place, way, example "02_devices"))
    end)
  end

  on_gpu(GPU, "03 trains to the losses of the CPU", function(place)
    local expected = expected_of "03_train_and_evaluate.cpu"
    local printed = output(place, in_tocha, example "03_train_and_evaluate")
    assert.is_truthy(printed:find("^GPU is available, using CUDA%.\n"))
    same_losses(expected, printed, "loss", 10)
    local wanted, got = numbers(expected, "accuracy"), numbers(printed, "accuracy")
    for i = 1, 10 do assert(math.abs(wanted[i] - got[i]) < 1, "epoch " .. i) end -- of 297 digits, two at most
  end)

  on_gpu(GPU, "04 runs in float16, and its scaler works", function(place)
    local printed = output(place, in_tocha, example "04_mixed_precision")
    assert.is_truthy(printed:find("^inside autocast: torch%.float16\n"))
    assert.is_truthy(printed:find("\nautocast on: true\n1.0\t512.0\n0.0\t1024.0\n$"))
    local losses = numbers(printed, "train loss")
    assert.are.equal(3, #losses)
    assert(losses[1] > 0.5 and losses[3] < 0.05, table.concat(losses, " "))
  end)

  on_gpu(GPU, "05 trains to the losses of the CPU", function(place)
    local printed = output(place .. " CUDA_VISIBLE_DEVICES=0", in_tocha, example "05_gpu_and_cuda")
    assert.is_truthy(printed:find("^Using device: cuda\nEpoch"))
    same_losses(expected_of "05_gpu_and_cuda.cpu", printed, "Loss", 3)
    assert.is_truthy(printed:find("\nfalse\tcan't convert cuda:0 device type tensor to numpy.", 1, true))
    assert.is_truthy(printed:find("\n(3, 3)\n", 1, true))
  end)

  on_gpu(TWO_GPUS, "05 says and uses two of them", function(place)
    local printed = output(place, in_tocha, "-e", ("dofile(%q)"):format(example "05_gpu_and_cuda")
      .. "for i = 0, 1 do print('most on cuda:' .. i, torch.cuda.max_memory_allocated(i)) end")
    assert.is_truthy(printed:find("^Using device: cuda\nUsing 2 GPUs!\n"))
    same_losses(expected_of "05_gpu_and_cuda.cpu", printed, "Loss", 3)
    for i = 0, 1 do
      local bytes = tonumber(printed:match("most on cuda:" .. i .. "\t(%d+)"))
      assert(bytes > 10000, ("%d bytes on cuda:%d"):format(bytes, i)) -- its share of the batch, its replica
    end
  end)

  on_gpu(TWO_GPUS, "two_gpus.lua shares every batch", function(place)
    local printed = output(place, in_tocha, example "two_gpus")
    assert.is_truthy(printed:find("^2 GPUs\n"))
    for i = 0, 1 do
      assert.is_truthy(printed:find(("a replica on cuda:%d has torch.Size([50, 1, 8, 8])"):format(i), 1, true))
    end
    assert(tonumber(printed:match "the last losses differ by ([%d.]+)") < 1e-3, printed)
    assert.is_truthy(printed:find("the sum of the squares of 2 GPUs: 5000\n", 1, true))
  end)

  on_gpu(GPU, "timing_cpu_gpu.lua has a column for it", function(place)
    local printed = output(place, in_tocha, example "timing_cpu_gpu")
    assert.is_truthy(printed:find("GPU: " .. (place:find "simulate" and "Simulated GPU\n" or ""), 1, true))
    assert.is_truthy(printed:find "evaluation loop, 297 digits +%d+%.%d+ ms +%d+%.%d+ ms +%d+%.%d+ times\n")
  end)
end)
