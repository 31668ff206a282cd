-- philox_model.lua: a model of the random numbers of a device, for specs, in plain Lua: Philox, the words that each thread of a
-- launch takes, and the numbers that PyTorch's kernels make of them.
local torch = require "torch"

local function philox(a, b, c, d, key0, key1)
  for _ = 1, 10 do
    local left, right = 0xd2511f53 * a, 0xcd9e8d57 * c
    a, b, c, d = (right >> 32) ~ b ~ key0, right & 0xffffffff, (left >> 32) ~ d ~ key1, left & 0xffffffff
    key0, key1 = (key0 + 0x9e3779b9) & 0xffffffff, (key1 + 0xbb67ae85) & 0xffffffff
  end
  return {a, b, c, d}
end

-- Returns block `block` of the words of a thread of a launch.
local function words(launch, thread, block)
  local count = launch.offset // 4 + block
  return philox(count & 0xffffffff, count >> 32, thread, 0, launch.seed & 0xffffffff, launch.seed >> 32)
end

-- Returns the number of blocks of 256 threads that a GPU runs at once, the maximum of a launch that draws.
local function limit(processors, threads) return processors * (threads // 256) end
local function own_limit()
  local p = torch.cuda.get_device_properties(0)
  return limit(p.multi_processor_count, p.max_threads_per_multi_processor)
end

-- Returns the launch for n elements. One block of words serves `served` of them.
local function launch(n, served, seed, offset, max_blocks)
  local blocks = math.min((n + 255) // 256, max_blocks or own_limit())
  return {seed = seed, offset = offset, served = served, threads = blocks * 256,
          taken = ((n - 1) // (256 * blocks * served) + 1) * 4}
end

-- Returns the words of element i, and its place among the `served` values.
local function words_of(l, i)
  local slot = i // l.threads
  return words(l, i % l.threads, slot // l.served), slot % l.served
end

local function single(x) return (string.unpack("f", string.pack("f", x))) end
local function unit(word) return single(single(word) * 0x1p-32 + 0x1p-33) end
local function wide_unit(low, high) return (low ~ (high << 21)) * 0x1p-53 + 0x1p-54 end

-- Returns the remainder of x as an unsigned number.
local function remainder(x, divisor)
  if x >= 0 then return x % divisor end
  local rest = x - (((x >> 1) // divisor) << 1) * divisor
  return math.ult(rest, divisor) and rest or rest - divisor
end

local model = {}   -- the value of element i before the distribution's own formula, by source
function model.unit(l, i)
  local w, k = words_of(l, i)
  return unit(w[k + 1])
end
function model.wide_unit(l, i)
  local w, k = words_of(l, i)
  return wide_unit(w[2 * k + 1], w[2 * k + 2])
end
function model.normal(l, i)
  local w, k = words_of(l, i)
  local first = k // 2 * 2
  local radius = math.sqrt(-2 * math.log(unit(w[first + 1])))
  local turn = single(0x1p-32 * single(6.2831855))
  local angle = single(single(w[first + 2]) * turn + turn / 2)
  return radius * (k % 2 == 0 and math.sin(angle) or math.cos(angle))
end
function model.wide_normal(l, i)
  local w, k = words_of(l, i)
  local radius, angle = math.sqrt(-2 * math.log(wide_unit(w[1], w[2]))), 2 * math.pi * wide_unit(w[3], w[4])
  return radius * (k == 0 and math.sin(angle) or math.cos(angle))
end
function model.bits(l, i)
  local w, k = words_of(l, i)
  return w[k + 1]
end
function model.wide_bits(l, i)
  local w, k = words_of(l, i)
  return w[2 * k + 1] << 32 | w[2 * k + 2]
end
local served = {unit = 4, normal = 4, bits = 4, wide_unit = 2, wide_normal = 2, wide_bits = 2}

-- Returns the first and last elements, and those around the ends of blocks and of rounds.
local function places(n, threads)
  local list, seen = {}, {}
  for _, i in ipairs{0, 1, 2, 3, 5, 31, 32, 255, 256, 257, threads - 1, threads, threads + 1, 2 * threads + 7,
                     3 * threads, 4 * threads - 1, 4 * threads, 4 * threads + 5, 5 * threads, n - 2, n - 1} do
    if i >= 0 and i < n and not seen[i] then
      seen[i] = true
      list[#list + 1] = i
    end
  end
  return list
end

return {words = words, limit = limit, own_limit = own_limit, launch = launch, single = single, unit = unit,
        remainder = remainder, sources = model, served = served, places = places}
