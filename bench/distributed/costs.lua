-- costs.lua: what all_reduce costs by the textbooks' formulas, and the step of training that waits for it.
--
-- Units: seconds, bytes, bytes a second. S: bytes of a tensor; n: ranks; g: ranks of a host; h: hosts.
--   a (latency): what a message costs besides its bytes, from the sender's call to the receiver's
--   B (bandwidth): of the line in one direction; lines carry both directions at once
-- A network is {outer = {latency, bandwidth}, inner = {latency, bandwidth}, per_host = g}: `outer` between hosts, where the ranks of a host
-- share the bandwidth; `inner` between two ranks of a host. Ranks of a host follow one another. Adding takes no time beside sending.
--
-- Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005 (ring, Rabenseifner's).
-- Patarasuk, Yuan: Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, 2009 (no algorithm sends less than a ring).
-- Sanders, Speck, Träff: Two-tree Algorithms for Full Bandwidth Broadcast, Reduction and Scan, 2009 (NCCL's trees).
local costs = {}

local function hosts_of(network, n)
  local g = math.min(network.per_host or 1, n)
  return g, math.ceil(n / g)
end

-- Returns the bandwidth of the slowest line on a way through all ranks.
local function slowest(network, g, h)
  if h == 1 then return network.inner.bandwidth end
  return g == 1 and network.outer.bandwidth or math.min(network.inner.bandwidth, network.outer.bandwidth)
end

--- 2(n - 1) messages of S/n follow one another around the ring; h of its n lines lead to another host.
function costs.ring(network, n, S)
  local g, h = hosts_of(network, n)
  local away = h == 1 and 0 or h / n
  local latency = (away > 0 and away * network.outer.latency or 0) + (away < 1 and (1 - away) * network.inner.latency or 0)
  return 2 * (n - 1) * latency + 2 * (n - 1) / n * S / slowest(network, g, h)
end

--- Rabenseifner's: halves are exchanged with the rank at distance 1, quarters at distance 2 and so on, and the same way back. Ranks beyond a power
-- of two hand all to a neighbour first, and receive the result last.
function costs.rabenseifner(network, n, S)
  local g = hosts_of(network, n)
  local power = 1 << math.floor(math.log(n, 2) + 1e-9)
  local seconds, distance, part = 0, 1, S / 2
  while distance < power do
    if distance < g then seconds = seconds + 2 * (network.inner.latency + part / network.inner.bandwidth)
    else seconds = seconds + 2 * (network.outer.latency + g * part / network.outer.bandwidth) end
    distance, part = 2 * distance, part / 2
  end
  if power == n then return seconds end
  local line = g > 1 and network.inner or network.outer
  return seconds + 2 * (line.latency + S / line.bandwidth)
end

--- Two trees of hosts, each for half of the tensor, so that every line carries S up and S down; a chain through the ranks of a host. Chunks follow one
-- another closely enough that the depth costs latency only.
function costs.tree(network, n, S)
  local g, h = hosts_of(network, n)
  local latency = g > 1 and 2 * (g - 1) * network.inner.latency or 0
  if h > 1 then latency = latency + 2 * math.ceil(math.log(h, 2) - 1e-9) * network.outer.latency end
  return latency + 2 * S / slowest(network, g, h)
end

--- Reduce_scatter within each host, the cheapest of the others among the hosts (a g-th of the tensor by each rank), all_gather within each host.
function costs.by_host(network, n, S)
  local g, h = hosts_of(network, n)
  local seconds = g > 1 and 2 * (g - 1) * network.inner.latency + 2 * (g - 1) / g * S / network.inner.bandwidth or 0
  if h == 1 then return seconds end
  local between = {outer = network.outer}
  return seconds + math.min(costs.ring(between, h, S), costs.rabenseifner(between, h, S), costs.tree(between, h, S))
end

costs.algorithms = {"ring", "rabenseifner", "tree", "by_host"}

--- Returns the seconds of a step whose buckets are reduced one after another while backward goes on. step: {seconds, buckets}; a bucket is
-- {bytes, ready}, ready in seconds from the step's beginning. cost: a function of bytes.
function costs.replay(step, cost)
  local free = 0
  for _, bucket in ipairs(step.buckets) do free = math.max(free, bucket.ready) + cost(bucket.bytes) end
  return math.max(step.seconds, free)
end

--- Returns a step that takes other seconds, with buckets ready at the same fractions of it.
function costs.scaled(step, seconds)
  local scaled, factor = {seconds = seconds, buckets = {}}, seconds / step.seconds
  for i, bucket in ipairs(step.buckets) do scaled.buckets[i] = {bytes = bucket.bytes, ready = bucket.ready * factor} end
  return scaled
end

--- Returns the seconds of a step alone as a fraction of those on n ranks.
function costs.efficiency(step, network, algorithm, n)
  return step.seconds / costs.replay(step, function(bytes) return costs[algorithm](network, n, bytes) end)
end

--- Fits latency and bandwidth to measured times of a ring: the least squares of relative errors. measured: a list of {ranks, bytes, seconds}.
-- A time is x * latency + y / bandwidth. Returns a line and the largest relative error.
function costs.fit(measured)
  local xx, xy, yy, x1, y1 = 0, 0, 0, 0, 0
  for _, m in ipairs(measured) do
    local x, y = 2 * (m.ranks - 1) / m.seconds, 2 * (m.ranks - 1) / m.ranks * m.bytes / m.seconds
    xx, xy, yy, x1, y1 = xx + x * x, xy + x * y, yy + y * y, x1 + x, y1 + y
  end
  local determinant = xx * yy - xy * xy
  local line = {latency = (x1 * yy - y1 * xy) / determinant, bandwidth = determinant / (y1 * xx - x1 * xy)}
  if line.latency < 0 then line = {latency = 0, bandwidth = yy / y1} end
  local worst = 0
  for _, m in ipairs(measured) do
    worst = math.max(worst, math.abs(costs.ring({outer = line}, m.ranks, m.bytes) / m.seconds - 1))
  end
  return line, worst
end

return costs
