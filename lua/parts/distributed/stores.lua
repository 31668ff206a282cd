-- stores.lua: the stores of torch.distributed: classes with PyTorch's arguments over the functions in C (torch._distributed.store).
-- Times are seconds.
local torch = ...
local support = torch._part "support"
local driver, define = torch._distributed.store, torch._define
local raw = driver.methods

local default_timeout = 300

-- --- methods ---------------------------------------------------------------------------------------

local methods = {}

-- Returns a number of seconds, or -1 for the store's own timeout.
local function seconds(timeout)
  if timeout == nil then return -1 end
  if type(timeout) ~= "number" or timeout ~= timeout or timeout < 0 then
    support.fail("TypeError", "timeout is a number of seconds, not %s", tostring(timeout))
  end
  return timeout
end

-- Returns the value if it is a string, which may have zero bytes.
local function string_of(value, name)
  if type(value) ~= "string" then support.fail("TypeError", "%s must be a string, not %s", name, support.python_class(value)) end
  return value
end

-- Returns the value if it is a table of strings.
local function list_of_strings(value, name)
  if type(value) ~= "table" then support.fail("TypeError", "%s must be a list of strings, not %s", name, support.python_class(value)) end
  for i = 1, #value do
    if type(value[i]) ~= "string" then
      support.fail("TypeError", "%s must be a list of strings, not of %s", name, support.python_class(value[i]))
    end
  end
  return value
end

--- Sets a value, a string.
methods.set = define("Store.set(self, string key, value)", function(self, key, value)
  raw.set(self, key, string_of(value, "value"))
end)

--- Returns the value of a key. Waits for it as long as the store's timeout.
methods.get = define("Store.get(self, string key)", raw.get)

--- Adds an integer to a counter, which begins at 0, and returns the sum. The value is a number in decimal digits.
methods.add = define("Store.add(self, string key, int value)", raw.add)

--- Returns true if all keys of a list have values. Does not wait.
methods.check = define("Store.check(self, keys)", function(self, keys) return raw.check(self, list_of_strings(keys, "keys")) end)

--- Waits until all keys of a list have values.
methods.wait = define("Store.wait(self, keys, timeout?)", function(self, keys, timeout)
  raw.wait(self, list_of_strings(keys, "keys"), seconds(timeout))
end)

--- Sets a value if it is expected_value now, or if it is not set and expected_value is "". Returns what the value is then.
methods.compare_set = define("Store.compare_set(self, string key, expected_value, desired_value)", function(self, key, expected, desired)
  return raw.compare_set(self, key, string_of(expected, "expected_value"), string_of(desired, "desired_value"))
end)

--- Deletes a value. Returns true if there was one.
methods.delete_key = define("Store.delete_key(self, string key)", raw.delete_key)

--- Appends a string to a value, or sets it.
methods.append = define("Store.append(self, string key, value)", function(self, key, value)
  raw.append(self, key, string_of(value, "value"))
end)

--- Returns the number of keys; a FileStore counts its own, too.
methods.num_keys = define("Store.num_keys(self)", raw.num_keys)

--- Returns the keys of all values, in any order.
methods.list_keys = define("Store.list_keys(self)", raw.list_keys)

--- Returns the values of a list of keys. Waits for all of them.
methods.multi_get = define("Store.multi_get(self, keys)", function(self, keys) return raw.multi_get(self, list_of_strings(keys, "keys")) end)

--- Sets the values of a list of keys.
methods.multi_set = define("Store.multi_set(self, keys, values)", function(self, keys, values)
  raw.multi_set(self, list_of_strings(keys, "keys"), list_of_strings(values, "values"))
end)

--- Puts a value at the end of a queue.
methods.queue_push = define("Store.queue_push(self, string key, value)", function(self, key, value)
  raw.queue_push(self, key, string_of(value, "value"))
end)

--- Takes the first value of a queue. Waits for one, unless block is false: then none is a QueueEmptyError.
methods.queue_pop = define("Store.queue_pop(self, string key, bool block=true)", function(self, key, block)
  local ok, value = pcall(raw.queue_pop, self, key, block)
  if ok then return value end
  if value.message == "queue is empty" then value.code = "QueueEmptyError" end
  error(value, 0)
end)

--- Returns the length of a queue.
methods.queue_len = define("Store.queue_len(self, string key)", raw.queue_len)

--- Waits until world_size callers have come to the barrier of this name.
methods.barrier = define("Store.barrier(self, string key, int world_size, timeout?)", function(self, key, world_size, timeout)
  raw.barrier(self, key, world_size, seconds(timeout))
end)

--- Returns true if the store has append, multi_get and multi_set at one go: all but a FileStore.
methods.has_extended_api = define("Store.has_extended_api(self)", raw.has_extended_api)

--- Returns a store of the same values with a connection of its own.
methods.clone = define("Store.clone(self)", raw.clone)

--- Sets how many seconds get and wait wait.
methods.set_timeout = define("Store.set_timeout(self, timeout)", function(self, timeout) raw.set_timeout(self, seconds(timeout)) end)

-- --- attributes ------------------------------------------------------------------------------------------

local attributes = {
  timeout = {raw.timeout},
  host = {raw.host, "TCPStore"},
  port = {raw.port, "TCPStore"},
  path = {raw.path, "FileStore"},
  underlying_store = {raw.underlying_store, "PrefixStore"},
}

local metatable = driver.metatable

function metatable.__index(store, key)
  local attribute = attributes[key]
  if not attribute then return methods[key] end
  local read, kind = table.unpack(attribute)
  if not kind or kind == raw.kind(store) then return read(store) end
end

function metatable.__tostring(store)
  local kind = raw.kind(store)
  if kind == "TCPStore" then return ("TCPStore(host=%s, port=%d)"):format(raw.host(store), raw.port(store)) end
  if kind == "FileStore" then return ("FileStore(path=%s)"):format(raw.path(store)) end
  if kind == "PrefixStore" then return ("PrefixStore(%s)"):format(tostring(raw.underlying_store(store))) end
  return kind .. "()"
end

metatable.__name = "Store"

-- --- classes ---------------------------------------------------------------------------------------------

local stores = {}

-- The servers of this state by their ports, and the stores that use one of another store's.
local servers, users = setmetatable({}, {__mode = "v"}), setmetatable({}, {__mode = "k"})

local read_tcp = define("TCPStore.__init__(string host_name, int port, int? world_size, bool is_master=false, timeout?, bool wait_for_workers=true, " ..
  "bool multi_tenant=false, master_listen_fd?, bool use_libuv=true)")

--- Values in one process, the master, which serves them to others: host_name and port are its own. Port 0 chooses a free one, which
-- store.port tells. With a world_size the master waits until so many processes have come. The protocol is that of PyTorch's TCPStore.
function stores.TCPStore(...)
  local a = read_tcp(...)
  if a.master_listen_fd ~= nil then support.fail("NotImplementedError", "master_listen_fd is not supported: give the port instead") end
  local timeout = a.timeout == nil and default_timeout or seconds(a.timeout)
  local shared = a.is_master and a.multi_tenant and servers[a.port] or nil
  local store = driver.tcp_store(a.host_name, a.port, a.world_size or -1, a.is_master and not shared, timeout, a.wait_for_workers)
  if shared then users[store] = shared elseif a.is_master then servers[raw.port(store)] = store end
  return store
end

--- Values in a file that all processes reach. With a world_size the last of them removes it.
stores.FileStore = define("FileStore.__init__(string file_name, int world_size=-1)", driver.file_store)

--- Values in memory, for one process.
stores.HashStore = define("HashStore.__init__()", driver.hash_store)

--- The values of another store whose keys begin with prefix and "/".
stores.PrefixStore = define("PrefixStore.__init__(string prefix, store)", function(prefix, store)
  if not driver.is_store(store) then support.fail("TypeError", "store must be a Store, not %s", support.python_class(store)) end
  return driver.prefix_store(prefix, store)
end)

--- The methods that all stores have.
stores.Store = methods

return stores
