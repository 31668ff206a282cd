-- list_spec.lua: the notation of runtime/optim/optimizers.lua: what it becomes in C, what it refuses, and what a new entry
-- compiles again.
local lfs = require "lfs"
local programs = require "programs"

package.path = "runtime/list/?.lua;" .. package.path
local read_optimizers = require "read_optimizers"
local write_numbers = require "write_numbers"
local write_optimizers = require "write_optimizers"
local write_rules = require "write_rules"

-- An entry with these fields and options of every kind.
local function entry(fields)
  fields[1] = fields[1] or "(float lr=1e-3, pair betas=(0.9, 1), Scalar weight_decay=0, bool flag=true, bool? foreach, *, bool maximize=false)"
  fields.doc = fields.doc or "An example."
  if not fields.run then fields.step = fields.step or "p = add(p, g, -lr)" end
  return read_optimizers.entry("Example", fields, {})
end

-- Returns the C of the class and of its numbers, of the rule and of the loops.
local function source_of(fields)
  local m = entry(fields)
  local rules = write_rules.rules {m}
  local c = write_optimizers.source({m}, rules) .. write_numbers.header({m}, rules)
  return c, #rules > 0 and write_rules.rules_header(rules), #rules > 0 and write_rules.loops_header(rules)
end

local function contains(text, part) assert.is_truthy(text:find(part, 1, true), text .. "\nlacks " .. part) end

describe("an entry of the list of optimizers", function()
  it("makes options with their defaults", function()
    local c = source_of {}
    contains(c, '{"lr", TOCHA_OPTION_NUMBER, false, {true, {TOCHA_SCALAR_FLOAT, {.real = 1e-3}}, {0}, {NULL, NULL}}}')
    contains(c, '{"betas", TOCHA_OPTION_PAIR, false, {true, {TOCHA_SCALAR_FLOAT, {.real = 0.9}}, {TOCHA_SCALAR_INT, {.integer = 1}}, {NULL, NULL}}}')
    contains(c, '{"flag", TOCHA_OPTION_BOOL, false, {true, {TOCHA_SCALAR_BOOL, {.integer = 1}}, {0}, {NULL, NULL}}}')
    contains(c, '{"foreach", TOCHA_OPTION_MAYBE, false, {false, {0}, {0}, {NULL, NULL}}}')
    contains(c, '{"maximize", TOCHA_OPTION_BOOL, true,')
  end)

  it("makes checks of the kinds of values, and of flags that may be None", function()
    local c = source_of {check = {"not is_tensor(lr) or is_float(beta1): no {lr}", "not foreach: RuntimeError: no foreach"}}
    contains(c, 'if (!(!(o[0].tensors[0] != NULL) || (o[1].first.kind == TOCHA_SCALAR_FLOAT && !o[1].tensors[0])))')
    contains(c, 'if (!(!x.foreach))\n    return refuse(cx, TOCHA_RUNTIME_ERROR, "no foreach", none, none);')
  end)

  it("makes checks in their order, with PyTorch's words", function()
    local c = source_of {check = {"lr", "betas", "weight_decay", "flag or lr < beta1 and 1 < beta2: {lr} against {beta2}"}}
    contains(c, 'if (!(x.lr >= 0))\n    return refuse(cx, TOCHA_VALUE_ERROR, "Invalid learning rate: %s", o[0].first, none);')
    contains(c, 'if (!(x.beta2 >= 0 && x.beta2 < 1))\n    return refuse(cx, TOCHA_VALUE_ERROR, "Invalid beta parameter at index 1: %s", o[1].second, none);')
    contains(c, '"Invalid weight_decay value: %s", o[2].first, none)')
    contains(c, 'if (!(x.flag || (x.lr < x.beta1 && 1 < x.beta2)))\n    return refuse(cx, TOCHA_VALUE_ERROR, "%s against %s", o[0].first, o[1].second);')
  end)

  it("makes states: when they are there, what they start as, which are numbers", function()
    local c = source_of {states = {"step", "number product = 1", "sum = 2 * lr", "buffer if flag"}, step = "sum = sum * product; p = p - sum"}
    contains(c, '{"step", "product", "sum", "buffer", NULL}')
    contains(c, ".number_states = 3u")
    contains(c, "return 7u | (x.flag ? 8u : 0);")
    contains(c, "if (state == 1) return 1;\n  if (state == 2) return 2 * x.lr;")
  end)

  it("computes in float64 what no element is in, once", function()
    local c, rule = source_of {states = {"step", "number product = 1", "m"}, numbers = [[
      rate = lr / (1 - beta1 ^ step)   -- a comment
      product = product * rounded(rate)
      if step > 1 then rate = 2 * rate elseif flag then rate = -lr else rate = 0 end
    ]], step = "m = lerp(m, g, 1 - beta1); p = addcmul(p, m, abs(g) / (1 - beta1), -rate * product) * 0.5"}
    contains(c, "rate = x.lr / (1 - pow(x.beta1, step));\n  product = state->values[1] = rounded(state, product * rounded(state, rate));")
    contains(c, "if (step > 1) {\n    rate = 2 * rate;\n  } else if (x.flag) {\n    rate = -x.lr;\n  } else {\n    rate = 0;\n  }")
    contains(c, "u->numbers[0] = 1 - x.beta1;\n  u->numbers[1] = -rate * product;\n}")
    contains(rule, "*m = tocha_step_lerp(*m, g, u[0]);\n" ..
      "  *p = STEP_ROUND(tocha_step_addcmul(*p, *m, STEP_ROUND(tocha_step_abs(g) / u[0]), u[1]) * STEP_NUMBER(0.5));")
  end)

  it("has a loop for each way through its conditions", function()
    local c, rule, loops = source_of {states = {"m if lr > 0"}, step = [[
      if lr > 0 then
        if first then m = g else m = m - g end
      elseif flag then
        g = -g
      end
      p = p - (g - p)
    ]]}
    contains(rule, "if (flags & 1u) { /* lr > 0 */\n    if (flags & 2u) { /* first */\n      *m = g;\n    } else {\n      *m = STEP_ROUND(*m - g);\n    }\n" ..
      "  } else if (flags & 4u) { /* flag */\n    g = -g;\n  }\n  *p = STEP_ROUND(*p - STEP_ROUND(g - *p));")
    contains(c, "if (x.lr > 0) u->flags |= 1u;\n  if ((x.lr > 0) && (first)) u->flags |= 2u;\n  if (!(x.lr > 0) && (x.flag)) u->flags |= 4u;")
    local values = {}
    for value in loops:gmatch "u, (%d)u | single%);" do values[#values + 1] = value end
    assert.same({"0", "1", "3", "4"}, values)
  end)

  it("takes weight decay and maximize from the options of these names", function()
    contains(source_of {}, "u->maximize = x.maximize;\n  u->weight_decay = x.weight_decay;\n")
    local c = source_of {"(float lr=1.0, float weight_decay=0.0, bool decoupled_weight_decay=false)"}
    contains(c, "u->shrink = x.decoupled_weight_decay ? 1 - x.lr * x.weight_decay : 1;")
  end)

  it("may name a C function for the whole step", function()
    contains(source_of {run = "tocha_run_example"}, ".prepare = NULL, .values = NULL, .rule = -1, .run = tocha_run_example}")
  end)

  local mistakes = {
    {"unknown field 'state'", {state = {}}},
    {"cannot read the option 'int lr=1'", {"(int lr=1)"}},
    {"not a number: x", {"(float lr=x)"}},
    {"cannot read the state 'a b'", {states = {"a b"}}},
    {"'momentum' is neither option, number nor computed", {states = {"m if momentum"}}},
    {"'momentum' is neither option, state nor assigned to", {step = "p = p * momentum"}},
    {"'lr' is an option", {step = "lr = 1"}},
    {"'lr' is an option", {numbers = "lr = 1"}},
    {"'m' is not there in every step", {states = {"m if flag"}, step = "p = p + m"}},
    {"the number 'step' cannot be assigned to in step", {states = {"step"}, step = "step = g"}},
    {"by_sign(x, below, zero, above)", {step = "if g > 0 then p = g end"}},
    {"^ is for numbers alone", {step = "p = p ^ lr"}},
    {"no function 'log2' of numbers", {numbers = "a = log2(lr)"}},
    {"no option 'rate'", {check = {"lr > 0: {rate}"}}},
    {"'end' expected near the end", {step = "if flag then p = g"}},
    {"'=' expected near the end", {step = "p = g)"}},
    {"unexpected ')'", {numbers = "a = 1", check = {"lr > 0): no"}}},
    {"no place for a // in a formula of numbers", {numbers = "a = lr // 2"}},
    {"no place for a string in a formula of numbers", {step = "p = add(p, g, 'x')"}},
    {"abs() takes numbers alone", {step = "p = p.abs(g)"}},
    {"it ends too early", {step = "p = lr +"}},
    {"the states that are numbers come first", {states = {"m", "step"}, step = "m = g; p = p - m"}},
  }
  for _, mistake in ipairs(mistakes) do
    it("that is wrong is refused: " .. mistake[1], function()
      local ok, problem = pcall(source_of, mistake[2])
      assert.is_false(ok)
      contains(tostring(problem), mistake[1])
      contains(tostring(problem), "Example")
    end)
  end
end)

describe("an entry of the list of optimizers", function()
  local ignored = {
    {"nothing reads the option nu", {"(float lr=1.0, float nu=0.5)", step = "p = add(p, g, -lr)"}},
    {"nothing reads the option beta2", {"(float lr=1.0, pair betas=(0.9, 0.999))", step = "p = add(p, g, -lr * beta1)"}},
    {"nothing reads the option nesterov", {"(float lr=1.0, bool nesterov=false)", step = "p = add(p, g, -lr)"}},
    {"nothing reads the state m", {"(float lr=1.0)", states = {"m"}, step = "m = g; p = add(p, g, -lr)"}},
    {"step does not assign to the parameter, p", {"(float lr=1.0)", step = "q = add(p, g, -lr)"}},
    {"the option lr has no default", {"(float lr)", step = "p = add(p, g, -lr)"}},
  }
  for _, mistake in ipairs(ignored) do
    it("with something that has no effect is refused: " .. mistake[1], function()
      local ok, problem = pcall(function() read_optimizers.check(entry(mistake[2])) end)
      assert.is_false(ok)
      contains(tostring(problem), "Example: " .. mistake[1])
    end)
  end

  it("may take the options of PyTorch's ways of computing", function()
    read_optimizers.check(entry {"(float lr=1.0, bool? foreach, bool fused=false, bool maximize=false)", step = "p = add(p, g, -lr)"})
  end)
end)

describe("a new entry", function()
  local folder

  local function generated(name)
    assert(os.execute(("%s %s/runtime/list/generate.lua %s/runtime %s/%s"):format(programs.lua, folder, folder, folder, name)))
    local out = {}
    local function visit(path, prefix)
      for file in lfs.dir(path) do
        local whole = path .. "/" .. file
        if file:find "^%." then goto continue end
        if lfs.attributes(whole, "mode") == "directory" then visit(whole, prefix .. file .. "/") else out[prefix .. file] = programs.read(whole) end
        ::continue::
      end
    end
    visit(folder .. "/" .. name, "")
    return out
  end

  setup(function()
    local pipe = io.popen "mktemp -d"
    folder = pipe:read "l"
    pipe:close()
    assert(os.execute(("tar cf - $(find runtime -name '*.lua') | tar xf - -C %s"):format(folder)))
  end)
  teardown(function() os.execute("rm -r " .. folder) end)

  it("changes the table of classes, the constructors, the rules and the loops", function()
    local before = generated "before"
    local list = assert(io.open(folder .. "/runtime/optim/optimizers.lua", "a"))
    list:write 'optimizer "Extra" {"(float lr=1.0)", states = {"m"}, step = "m = m + g; p = add(p, m, -lr)", doc = "One more."}\n'
    list:close()
    local changed = {}
    for name, text in pairs(generated "after") do
      if before[name] ~= text then changed[#changed + 1] = name end
    end
    table.sort(changed)
    assert.same({"include/tocha/cpp/optimizers.hpp", "include/tocha/optimizers.h", "optim/loops.h", "optim/numbers.h", "optim/optimizers.c",
      "optim/rules.h"}, changed)
  end)

  it("compiles the table, the CPU's loops and the GPU's kernel", function()
    local pipe = io.popen [[grep -rlE '#include "optim/(loops|rules)\.h"' runtime bindings cuda spec --include=*.[ch]* | sort]]
    assert.equal("cuda/optim/optim.cu\nruntime/optim/cpu/step.c\n", pipe:read "a")
    pipe:close()
  end)
end)
