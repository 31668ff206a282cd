-- schedulers_spec.lua: the notation of runtime/optim/schedulers.lua: what it becomes in C and in Lua, what it refuses, and that both
-- languages have the same schedulers.
local torch = require "torch"
local programs = require "programs"

package.path = "runtime/list/?.lua;" .. package.path
local write_schedulers = require "write_schedulers"

-- An entry with these fields.
local function entry(fields)
  fields[1] = fields[1] or "(int period, float gamma=0.5, int last_epoch=-1)"
  fields.doc = fields.doc or "An example."
  fields.rate = fields.rate or "if not initial and modulo(epoch, period) != 0 then lr = lr * gamma end"
  return write_schedulers.entry("Example", fields)
end

local function contains(text, part) assert.is_truthy(text:find(part, 1, true), text .. "\nlacks " .. part) end

describe("an entry of the list of schedulers", function()
  it("makes an option struct and a constructor", function()
    local header = write_schedulers.public_header{entry{}}
    contains(header, "  int64_t period;\n  double gamma;\n  int64_t last_epoch;\n")
    contains(header, "tocha_scheduler *tocha_optim_example(")
    contains(header, "tocha_example_defaults(int64_t period)")
  end)

  it("makes the same formula in C and in Lua", function()
    local list = {entry{closed = "lr = base * gamma ^ floor(epoch / period)"}}
    local c, lua = write_schedulers.source(list), write_schedulers.lua_source(list)
    contains(c, "if (!initial && tocha_schedule_modulo(epoch, period) != 0.0)")
    contains(c, "lr = base * pow(gamma, floor(epoch / period));")
    contains(lua, "if (not self._is_initial and (modulo(self.last_epoch, self.period) ~= 0)) then")
    local made = assert(load(lua))().Example
    local scheduler = {last_epoch = 3, period = 2, gamma = 0.5}
    assert.equal(0.25, made.rate(scheduler, 0.5, 1))
    assert.equal(0.5, made.closed(scheduler, 0.125, 1))
    assert.is_true(torch.equal(torch.tensor(0.25), made.rate(scheduler, torch.tensor(0.5), 1)))
  end)

  it("makes checks in both languages", function()
    local list = {entry{check = {"gamma <= 1 and gamma >= 0: Gamma is a share."}}}
    contains(write_schedulers.source(list), "if (!(o->gamma <= 1.0 && o->gamma >= 0.0))")
    local refuse = assert(load(write_schedulers.lua_source(list)))().Example.refuse
    assert.equal("Gamma is a share.", refuse{gamma = 2})
    assert.is_nil(refuse{gamma = 0.5})
  end)

  it("is refused with the name of the mistake", function()
    local function refuses(fields, message)
      local ok, problem = pcall(function()
        local list = {entry(fields)}
        write_schedulers.source(list)
        write_schedulers.lua_source(list)
      end)
      assert.is_false(ok)
      contains(problem, message)
    end
    refuses({beginning = "x"}, "Example: unknown field 'beginning'")
    refuses({rate = "lr = lr * gamma"}, "nothing reads 'period'")
    refuses({rate = "lr = lr * gamma * period * speed"}, "there is no 'speed'")
    refuses({rate = "lr = sin(lr) * gamma * period"}, "no function 'sin'")
    refuses({rate = "other = gamma * period"}, "a formula sets lr, not 'other'")
    refuses({fields = "number period"}, "cannot read the field 'number period'")
  end)
end)

describe("the schedulers", function()
  local list = write_schedulers.load "runtime/optim/schedulers.lua"

  it("are those of Lua", function()
    local known = {LRScheduler = true, _LRScheduler = true}
    for _, m in ipairs(list) do
      known[m.name] = true
      assert.is_table(torch.optim.lr_scheduler[m.name], m.name)   -- loads those that have files of their own
    end
    for name, value in pairs(torch.optim.lr_scheduler) do
      assert.is_true(known[name] or type(value) ~= "table", name)
    end
    assert.equal(15, #list)
  end)

  it("are in tocha_api.json, with their owners", function()
    local file <close> = assert(io.open(programs.folder .. "/generated/tocha_api.json"))
    local api = file:read "a"
    for _, m in ipairs(list) do
      local at = api:find(('"tocha_optim_%s"'):format(m.id), 1, true)
      assert.is_truthy(at, m.name)
    end
    contains(api, '"tocha_scheduler_release"')
  end)
end)
