-- formulas.lua: reads the formulas of elementwise operators. An entry contains a formula, or names one:
--
--   formula = "self > 0 ? self : self * negative_slope",
--   formula = {"ROUNDED_EXP(self)", promotion = "floating", loop = "vectors"},
--   formula = "pow",
--
-- A formula that only a C function uses is declared beside the operator of that function:
--
--   formula "scale" {"(Tensor self, float scale)", "self * scale", promotion = "floating"}
--
-- The text is C and C++, in terms of the signature's parameters. The first ones, the operands, are elements of the compute
-- type T, or vectors of them. The numbers after them have type T. tensor/math/scalar_math.h has the functions. Assignments
-- before the value name intermediate values: "x = self + 3; x = x < 0 ? 0 : x; x / 6". E is the type of an element if
-- T is a vector.
--
--   types       the compute types for which the formula has a loop; float16 and bfloat16 are computed in float32,
--               narrower integers in int64
--                 floats     float32, float64 (the default)
--                 numbers    and int64; bool is computed as int64
--                 reals      and int64; bool is refused
--                 all        and int64 and bool
--                 bits       int64 and bool; floating point is refused
--                 integers   int64; floating point and bool are refused
--   promotion   how the result type follows from the operands
--                 arithmetic their promoted type (the default)
--                 floating   the same, integers becoming the default floating type
--                 widened    the promoted type of the operands and of the numbers
--   result      "bool" if the result does not have the promoted type
--   loop        the CPU's loop over floating point
--                 plain      one element at a time, which compilers vectorize (the default)
--                 slow       the same for expensive functions: contiguous data gets no loop of its own
--                 vectors    the text works on vectors: it uses only what scalar_math.h allows for them
--                 whole      whole vectors; the last elements, which fill none, one at a time by scalar functions, which round
--                            differently: short tensors show it
--                 pairs      the same, but vectors are processed in pairs only
--   layout      the result's layout in memory, if it does not follow from all operands
--                 copy       that of a copy of the first operand
--                 rows       row-major
--                 number     that of a comparison of the usual result with a number
--   kernel      the kernel's name in PyTorch's "not implemented for"; default NAME_cpu
--   fits        the type that each number must fit into, as in PyTorch's loops; default: any number is accepted
--                 own        the type of the operands
--                 wide       the same, float32 for float16 and bfloat16
--                 real       the type of the operands if it is floating point
--   keeps_precision  beside float16 and bfloat16 tensors a number keeps float32's precision
--   prepare     the C function that refuses what PyTorch refuses, or chooses a cheaper formula (ops/pointwise/elementwise.h)
--   header      the header of a function that only this formula calls, if scalar_math.h does not include it
--   refuses_last  true: errors of the shapes and of out= are reported before those of prepare
local formulas = {}
formulas.__index = formulas

local words = {
  types = {floats = true, numbers = true, reals = true, all = true, bits = true, integers = true},
  promotion = {arithmetic = true, floating = true, bitwise = true, widened = true},
  result = {same = true, bool = true},
  fits = {own = true, wide = true, real = true},
  layout = {operands = true, copy = true, rows = true, number = true},
  loop = {plain = true, slow = true, vectors = true, whole = true, pairs = true},
}
local free = {kernel = true, keeps_precision = true, prepare = true, refuses_last = true, header = true}
local input_kinds = {tensor = true, operand = true}
local number_kinds = {scalar = true, float = true, int = true, bool = true}

-- Words of C and of its library that formulas use.
local c_words = {int = true, int64_t = true, float = true, double = true, sizeof = true, ldexp = true}

-- Fails if a text has open parentheses, or reads a name that is none of `known`, no function (TANH, tocha_i0) and no word of
-- C. Adds the names that the text reads to `reads`.
local function check_text(formula, text, known, reads)
  if text:gsub("%b()", ""):find "[()]" then error(("%s: in '%s': a parenthesis is not closed"):format(formula.name, text)) end
  for name in text:gmatch "%f[%w_][%a_][%w_]*" do
    reads[name] = true
    if not (known[name] or c_words[name] or name:find "^tocha_" or name:find "^[%u%d_]+$") then
      error(("%s: in '%s': '%s' is neither a parameter nor assigned before"):format(formula.name, text, name))
    end
  end
end

-- Checks the names in a formula's texts. Fails if a parameter has no effect.
local function check_names(formula)
  local known, reads = {}, {}
  for _, parameters in ipairs {formula.inputs, formula.numbers} do
    for _, name in ipairs(parameters) do known[name] = true end
  end
  for _, statement in ipairs(formula.statements) do
    check_text(formula, statement.value, known, reads)
    known[statement.name] = true
  end
  check_text(formula, formula.value, known, reads)
  for name in pairs(known) do
    if not reads[name] then error(("%s: the formula does not read '%s'"):format(formula.name, name)) end
  end
end

-- Splits "x = a; x = b; c" into statements and the value.
local function parse(formula, text)
  local known = {}
  for statement in (text .. ";"):gmatch "%s*(.-)%s*;" do
    local name, value = statement:match "^([%a_][%w_]*) = (.*)$"
    if name then
      formula.statements[#formula.statements + 1] = {name = name, value = value, declares = not known[name]}
      known[name] = true
    else
      if formula.value then error(formula.name .. ": a formula has one value") end
      formula.value = statement
    end
  end
  if not formula.value then error(formula.name .. ": a formula without a value") end
  check_names(formula)
end

function formulas.new() return setmetatable({by_name = {}, files = {}}, formulas) end

--- Adds a formula of this name, with the parameters of a parsed signature.
function formulas:add(name, parameters, text, fields, family, file)
  if self.by_name[name] then error("formula '" .. name .. "' declared twice") end
  local path = family .. "/" .. file .. ".lua"
  if family ~= "pointwise" then file = family .. "_" .. file end
  local formula = {name = name, inputs = {}, numbers = {}, statements = {}, family = family, file = file,
    types = "floats", promotion = "arithmetic", result = "same", loop = "plain", layout = "operands", kernel = name .. "_cpu"}
  for key, value in pairs(fields) do
    if type(key) == "string" then
      if words[key] and not words[key][value] then error(("%s: unknown %s '%s'"):format(name, key, tostring(value))) end
      if not words[key] and not free[key] then error(("%s: unknown field '%s' of a formula"):format(name, key)) end
      formula[key] = value
    end
  end
  if formula.types == "bits" or formula.types == "integers" then formula.promotion = "bitwise" end
  for _, p in ipairs(parameters) do
    local to = input_kinds[p.kind] and #formula.numbers == 0 and formula.inputs or number_kinds[p.kind] and formula.numbers
    if not to then error(("%s: a formula cannot take '%s' there"):format(name, p.name)) end
    to[#to + 1] = p.name
  end
  if #formula.inputs < 1 or #formula.inputs > 3 or #formula.numbers > 4 then
    error(name .. ": a formula has one to three operands and at most four numbers")
  end
  if formula.result == "bool" and formula.loop ~= "plain" and formula.loop ~= "slow" then
    error(name .. ": vectors give no bool")
  end
  parse(formula, text)
  self.by_name[name] = formula
  local of_file = self.files[file]
  if not of_file then
    of_file = {name = file, path = path, family = family, index = #self.files}
    self.files[file] = of_file
    self.files[#self.files + 1] = of_file
  end
  formula.index = #of_file        -- the index in the tables of its list file
  formula.list = of_file
  of_file[#of_file + 1] = formula
  return formula
end

--- Returns the name of an entry's formula, and adds the formula if the entry contains it.
function formulas:of_operator(op, family, file)
  local given = op.formula
  if type(given) == "string" then
    if given:find "^[%a_][%w_]*$" then return given end
    given = {given}
  end
  local name = op.name:gsub("%.", "_")
  self:add(name, op.parameters, given[1], given, family, file)
  return name
end

--- Declares formula "name" {"(Tensor self, ...)", "text", ...}. parse_signature: read.lua's.
function formulas:declare(name, fields, family, file, parse_signature)
  local parsed = {name = name, signature = fields[1] .. " -> Tensor"}
  parse_signature(parsed)
  self:add(name, parsed.parameters, fields[2], fields, family, file)
end

function formulas:find(name, where) return self.by_name[name] or error(where .. ": unknown formula '" .. name .. "'") end

return formulas
