-- numpy/text.lua: arrays from tables of text, and back: np.loadtxt, np.genfromtxt, np.savetxt. C splits rows and reads numbers
-- (torch._io.text_*). This file interprets NumPy's arguments. Columns count from 0, as in NumPy.
local torch = ...
local np, support, define, text_io = torch.numpy, torch._part "support", torch._define, torch._io
local files = torch._part "numpy.files"
local fail, python = support.fail, support.python

local text = {}

-- --- options of both readers ------------------------------------------------------------------------------------

-- Opens a file, by its path or handle, or a table of lines.
local function open(source, mode)
  if support.is_plain(source) then
    local handle = assert(io.tmpfile())
    for _, line in ipairs(source) do handle:write((tostring(line):gsub("[\r\n]+$", "")), "\n") end
    handle:seek "set"
    return handle, true
  end
  if type(source) == "string" and not io.open(source, mode) then
    fail("FileNotFoundError", "%s not found.", source)
  end
  return files.open(source, mode)
end

local function open_text(source, delimiter, comments, quote, trim, encoding)
  if encoding ~= nil and type(encoding) ~= "string" then
    fail("TypeError", "encoding must be str or None, not %s", torch._python_type(encoding))
  end
  local handle, ours = open(source, "rb")
  if support.is_plain(source) then encoding = nil end   -- Lua's strings are not converted
  local ok, reader = pcall(text_io.text_open, handle, delimiter, comments, quote, trim, encoding)
  if ours then handle:close() end
  return ok and reader or error(reader, 0)
end

-- Returns the used columns as a list of numbers, or nil for all.
local function read_columns(usecols, names)
  if usecols == nil then return nil end
  if not support.is_plain(usecols) then usecols = {usecols} end
  local columns = {}
  for i, column in ipairs(usecols) do
    if type(column) == "string" and names then
      local place
      for k, name in ipairs(names) do
        if name == column then place = k - 1 end
      end
      column = place or fail("ValueError", "'%s' is not in list", column)
    end
    if math.type(column) ~= "integer" then
      fail("TypeError", "usecols must be an int or a sequence of ints but it contains at least one element of type '%s'",
        torch._python_type(column))
    end
    columns[i] = column
  end
  return columns
end

-- Returns a table by column number, or by name, as one by position among the used columns, from 1.
local function by_place(given, columns, names, count)
  local list = {}
  for key, value in pairs(given) do
    if type(key) == "string" then
      for k, name in ipairs(names or {}) do
        if name == key then list[columns and k or k] = value end
      end
    elseif not columns then
      list[key + 1] = value
    else
      for place = 1, count do
        if columns[place] == key then list[place] = value end
      end
    end
  end
  return list
end

local function read_converters(converters, columns, names, count)
  if converters == nil then return nil end
  if type(converters) == "function" then return converters end
  return by_place(converters, columns, names, count)
end

-- Removes dimensions of size 1, as long as there are more than ndmin dimensions, as NumPy does.
local function shaped(tensor, ndmin)
  if tensor.ndim > ndmin then tensor = tensor:squeeze() end
  if tensor.ndim < ndmin then
    tensor = ndmin == 1 and tensor:reshape(1) or tensor.ndim == 0 and tensor:reshape(1, 1) or tensor:unsqueeze(-1)
  end
  return tensor
end

-- Returns one array, or its columns one after the other.
local function unpacked(tensor, unpack)
  if not unpack then return np._wrap(tensor) end
  if tensor.ndim < 2 then return np._wrap(tensor) end
  local columns = {}
  for i, column in ipairs(tensor:unbind(1)) do columns[i] = np._wrap(column) end
  return table.unpack(columns)
end

-- --- np.loadtxt ---------------------------------------------------------------------------------------------------

-- Raises if a character that separates fields is neither a single character nor nil.
local function check_character(name, value)
  if value == nil then return end
  if type(value) ~= "string" or utf8.len(value) ~= 1 then
    fail("TypeError", "Text reading control character must be a single unicode character or None; but got: '%s'", python(value))
  end
  if value == "\n" or value == "\r" then
    fail("TypeError", "control character '%s' cannot be a newline (`\\r` or `\\n`).", name)
  end
end

local read_loadtxt = define("loadtxt(fname, dtype?, comments='#', delimiter?, converters?, skiprows=0, usecols?, unpack=false, "
  .. "ndmin=0, encoding?, max_rows?, *, quotechar?)")
--- Returns an array of the numbers in a text, in which each row must have all of them. Returns several values with unpack = true.
function text.loadtxt(...)
  local a = read_loadtxt(...)
  local dtype = np._read_dtype(a.dtype) or np.float64
  local comments = support.is_plain(a.comments) and a.comments[1] or a.comments
  if comments == false or comments == "" then comments = nil end
  check_character("delimiter", a.delimiter)
  check_character("quotechar", a.quotechar)
  if comments and comments == a.delimiter then
    fail("TypeError", "The values for control characters 'comment' and 'delimiter' are incompatible")
  end
  if a.ndmin ~= 0 and a.ndmin ~= 1 and a.ndmin ~= 2 then fail("ValueError", "Illegal value of ndmin keyword: %s", python(a.ndmin)) end
  if a.skiprows < 0 or a.max_rows and a.max_rows < 0 then fail("ValueError", "argument must be nonnegative") end
  local columns = read_columns(a.usecols)
  local converters = read_converters(a.converters, columns, nil, columns and #columns)
  local reader = open_text(a.fname, a.delimiter, comments, a.quotechar, false, a.encoding)
  text_io.text_skip(reader, a.skiprows)
  local tensor = text_io.text_numbers(reader, columns, a.max_rows or -1, nil, nil, converters, nil, dtype.torch)
  if not tensor or #tensor == 0 then
    torch._warn(("loadtxt: input contained no data: \"%s\""):format(python(a.fname)))
    tensor = torch.empty(a.ndmin == 2 and {0, tensor and tensor.shape[1] or 1} or {0}, {dtype = dtype.torch})
    return np._wrap(tensor)
  end
  return unpacked(shaped(tensor, a.ndmin), a.unpack)
end

-- --- arrays with named columns --------------------------------------------------------------------------------------

local records_metatable, records_dtype = {__name = "numpy.ndarray"}, {__name = "numpy.dtype"}
local codes = {bool = "?", uint8 = "u1", int8 = "i1", int16 = "<i2", int32 = "<i4", int64 = "<i8", float16 = "<f2",
  float32 = "<f4", float64 = "<f8"}

-- Returns the type of a column as NumPy writes it: '<f8', '<U4'.
local function code_of(column)
  if type(column) == "table" and column.dtype then return codes[column.dtype.name] end
  local longest = 1
  for _, word in ipairs(column) do longest = math.max(longest, utf8.len(word) or #word) end
  return "<U" .. longest
end

function records_dtype.__tostring(dtype)
  local parts = {}
  for i, name in ipairs(dtype.names) do parts[i] = ("('%s', '%s')"):format(name, dtype.codes[i]) end
  return "[" .. table.concat(parts, ", ") .. "]"
end
function records_dtype.__concat(a, b) return tostring(a) .. tostring(b) end

-- The fields of an array with named columns: its columns by name, dtype, size, shape. They are not in the array itself, because
-- a column may have any of these names.
local known = setmetatable({}, {__mode = "k"})

local function row_of(records, i)
  local row, parts = {}, known[records]
  for k, name in ipairs(parts.dtype.names) do
    local column = parts.columns[name]
    row[k] = support.is_plain(column) and column[i + 1] or column[i]
    if row[k] == nil then row[k] = column[i] end
  end
  return row
end

local function shown(value)
  if type(value) == "string" then return "'" .. value .. "'" end
  if math.type(value) == "float" then return (torch.tensor(value, {dtype = torch.float64}) .. ""):gsub("%.0$", ".") end
  return python(value)
end

function records_metatable.__index(records, key)
  local parts = known[records]
  if math.type(key) == "integer" then
    local n = parts.size
    if key < -n or key >= n then fail("IndexError", "index %d is out of bounds for axis 0 with size %d", key, n) end
    return row_of(records, key < 0 and key + n or key)
  end
  if parts.columns[key] ~= nil then return parts.columns[key] end
  if parts[key] ~= nil then return parts[key] end
  return fail("ValueError", "no field of name %s", python(key))
end
function records_metatable.__len(records) return known[records].size end
function records_metatable.__pairs(records)
  local i, n = -1, #records
  return function()
    i = i + 1
    if i < n then return i, row_of(records, i) end
  end
end
function records_metatable.__tostring(records)
  local rows, n = {}, #records
  for i = 0, n - 1 do
    if n <= 1000 or i < 3 or i >= n - 3 then
      local row = row_of(records, i)
      for k, value in ipairs(row) do row[k] = shown(value) end
      rows[#rows + 1] = "(" .. table.concat(row, ", ") .. (#row == 1 and ",)" or ")")
    elseif i == 3 then
      rows[#rows + 1] = "..."
    end
  end
  return ("array([%s],\n      dtype=%s)"):format(table.concat(rows, ",\n       "), tostring(known[records].dtype))
end
function records_metatable.__concat(a, b) return tostring(a) .. tostring(b) end

-- Returns an array with named columns. columns: for each name an array, or a table of texts.
local function new_records(names, columns, size)
  local by_name, of_columns = {}, {}
  for i, name in ipairs(names) do by_name[name], of_columns[i] = columns[i], code_of(columns[i]) end
  local dtype = setmetatable({names = names, codes = of_columns}, records_dtype)
  local records = setmetatable({}, records_metatable)
  known[records] = {columns = by_name, dtype = dtype, size = size, shape = np._shape{size}, ndim = 1}
  return records
end

-- --- np.genfromtxt: names, missing values and types -------------------------------------------------------------------

local function trimmed(word) return (word:match "^%s*(.-)%s*$") end

-- Returns names as NumPy adapts them: without punctuation, each once.
local function valid_names(words, format)
  local names, seen, empty = {}, {}, 0
  local taken = {}
  for _, word in ipairs(words) do taken[trimmed(word)] = true end
  for i, word in ipairs(words) do
    local name = trimmed(word):gsub(" ", "_"):gsub("[~!@#$%%^&*()%-=+|%]}%[{';:/?.>,<\"\\]", "")
    if name == "" then
      repeat
        name = (format:gsub("%%i", tostring(empty)))
        empty = empty + 1
      until not taken[name]
    elseif name == "return" or name == "file" or name == "print" then
      name = name .. "_"
    end
    local count = seen[name] or 0
    seen[name] = count + 1
    names[i] = count > 0 and name .. "_" .. count or name
  end
  return names
end

local function split(list)
  local words = {}
  for word in (list .. ","):gmatch "(.-)," do words[#words + 1] = word end
  return words
end

-- Returns the first row's fields, and the names, from that row or as given. The text is then at the data.
local function read_first(reader, a, comments)
  local position, line = text_io.text_mark(reader)
  local row = text_io.text_row(reader, a.names == true)
  if a.names ~= true then
    text_io.text_go(reader, position, line)
    local given = type(a.names) == "string" and split(a.names) or a.names
    return row, given and valid_names(given, a.defaultfmt)
  end
  if row and comments and row[1]:sub(1, #comments) == comments then
    row[1] = row[1]:sub(#comments + 1)
    if trimmed(row[1]) == "" then table.remove(row, 1) end
  end
  return row, row and valid_names(row, a.defaultfmt)
end

-- Returns for each used column the set of texts that stand for missing values.
local function read_missing(given, columns, names, count)
  if given == nil then return nil end
  local lists = {}
  if type(given) == "string" then
    for i = 1, count do lists[i] = split(given) end
  elseif given[1] ~= nil and given[0] == nil then
    lists = given
  else
    lists = by_place(given, columns, names, count)
  end
  local sets = {}
  for i = 1, count do
    sets[i] = {}
    local words = lists[i]
    if words ~= nil and not support.is_plain(words) then words = split(tostring(words)) end
    for _, word in ipairs(words or {}) do sets[i][trimmed(tostring(word))] = true end
  end
  return sets
end

local default_fill = {b = false, i = -1, u = -1, f = np.nan}

local function read_fills(given, columns, names, count, dtypes)
  local fills = {}
  if support.is_plain(given) then
    fills = given[1] ~= nil and given[0] == nil and {table.unpack(given)} or by_place(given, columns, names, count)
  elseif given ~= nil then
    for i = 1, count do fills[i] = given end
  end
  for i = 1, count do
    if fills[i] == nil then fills[i] = default_fill[dtypes[i].kind] end
  end
  return fills
end

-- Raises or warns for rows with a wrong number of columns. Rows among the last `footer` ones are ignored. Returns how many of
-- the remaining rows must be dropped.
local function check_rows(wrong, rows, skipped, footer, expected, raise)
  local dropped = 0
  if footer > 0 then
    while #wrong > 0 and wrong[#wrong][1] > rows + skipped do
      table.remove(wrong)
      dropped = dropped + 1
    end
  end
  if #wrong > 0 then
    local lines = {"Some errors were detected !"}
    for i, row in ipairs(wrong) do lines[i + 1] = ("    Line #%d (got %d columns instead of %d)"):format(row[1], row[2], expected) end
    if raise then fail("ValueError", "%s", table.concat(lines, "\n")) end
    torch._warn(table.concat(lines, "\n"))
  end
  return math.max(0, footer - dropped)
end

local by_kind = {bool = np.bool, int = np.int64, float = np.float64}

-- Reads the columns of each type in one pass. Returns lists of arrays and texts by position among the used columns.
local function read_parts(read, dtypes, columns, count)
  local parts, places_of = {}, {}
  for i = 1, count do
    local column = columns and columns[i] or i - 1
    if dtypes[i] == "str" then parts[i] = read("text_words", {column}, {i}, 1) end
    places_of[dtypes[i]] = places_of[dtypes[i]] or {places = {}, columns = {}}
    local of = places_of[dtypes[i]]
    of.places[#of.places + 1], of.columns[#of.columns + 1] = i, column
  end
  for dtype, of in pairs(places_of) do
    local tensor = dtype ~= "str" and read("text_numbers", of.columns, of.places, dtype.torch)
    for k, i in ipairs(tensor and of.places or {}) do parts[i] = np._wrap(tensor:select(1, k - 1):contiguous()) end
  end
  return parts
end

local function pick(list, places)
  if type(list) == "function" then return list end
  local picked = {}
  for k, i in ipairs(places) do picked[k] = list[i] end
  return picked
end

-- --- np.genfromtxt ----------------------------------------------------------------------------------------------------

local read_genfromtxt = define("genfromtxt(fname, dtype?, comments='#', delimiter?, skip_header=0, skip_footer=0, converters?, "
  .. "missing_values?, filling_values?, usecols?, names?, defaultfmt='f%i', unpack=false, invalid_raise=true, max_rows?, "
  .. "encoding?, *, ndmin=0, quotechar?)")

local function check_genfromtxt(a)
  if a.max_rows and a.skip_footer > 0 then
    fail("ValueError", "The keywords 'skip_footer' and 'max_rows' can not be specified at the same time.")
  end
  if a.max_rows and a.max_rows < 1 then fail("ValueError", "'max_rows' must be at least 1.") end
  if a.delimiter ~= nil and (type(a.delimiter) ~= "string" or a.delimiter == "") then
    fail("TypeError", "a delimiter is a string here, not %s", torch._python_type(a.delimiter))
  end
  check_character("quotechar", a.quotechar)
end

--- Returns an array of the numbers in a text, with fill values for missing ones. With names, or with dtype = "None" and columns
-- of several types, returns an array with named columns, in which a column of other values is a table of texts.
function text.genfromtxt(...)
  local a = read_genfromtxt(...)
  check_genfromtxt(a)
  local comments = a.comments ~= "" and a.comments or nil
  local reader = open_text(a.fname, a.delimiter, comments, a.quotechar, true, a.encoding)
  text_io.text_skip(reader, a.skip_header)
  local first, names = read_first(reader, a, comments)
  if not first then
    torch._warn(("genfromtxt: Empty input file: \"%s\""):format(python(a.fname)))
    return np.empty(0)
  end
  local columns = read_columns(a.usecols, names)
  local count = columns and #columns or #first
  local converters = read_converters(a.converters, columns, names, count)
  local missing = read_missing(a.missing_values, columns, names, count)
  if names and columns and #names > count then
    local used = {}
    for i, column in ipairs(columns) do used[i] = names[(column < 0 and column + #names or column) + 1] end
    names = used
  end
  -- all columns: with names in the first line, every row has as many
  local width = not columns and a.names == true and count or nil
  local every = width and {width = width}
  for i = 1, width or 0 do every[i] = i - 1 end
  local position, line = text_io.text_mark(reader)
  local wrong = {}
  local guess, dtypes = a.dtype == "None", {}
  local kinds, rows = text_io.text_kinds(reader, columns or every, a.max_rows or -1, {}, missing, converters, wrong, guess)
  local max_rows = rows - check_rows(wrong, rows, a.skip_header, a.skip_footer, count, a.invalid_raise)
  for i = 1, count do
    if not guess then
      dtypes[i] = np._read_dtype(a.dtype) or np.float64
    else
      local converted = type(converters) == "function" or converters and converters[i]
      dtypes[i] = converted and np.float64 or by_kind[kinds[i]] or "str"
    end
  end
  return text._assemble(reader, a, {columns = columns, width = width, count = count, names = names, dtypes = dtypes, max_rows = max_rows,
    converters = converters, missing = missing, position = position, line = line})
end

-- Returns the result of genfromtxt from the inferred types.
function text._assemble(reader, a, found)
  local same = true
  for i = 2, found.count do same = same and found.dtypes[i] == found.dtypes[1] end
  local numbers = {}
  for i = 1, found.count do numbers[i] = found.dtypes[i] == "str" and np.float64 or found.dtypes[i] end
  local fills = read_fills(a.filling_values, found.columns, found.names, found.count, numbers)
  local function read(how, columns, places, last)
    text_io.text_go(reader, found.position, found.line)
    if columns then columns.width = found.width end
    return text_io[how](reader, columns, found.max_rows, pick(fills, places), found.missing and pick(found.missing, places),
      found.converters and pick(found.converters, places), {}, last)
  end
  local every = {}
  for i = 1, found.count do every[i] = i end
  if same and not found.names and found.dtypes[1] ~= "str" then
    local tensor = read("text_numbers", found.columns, every, found.dtypes[1].torch)
    if not tensor then return np.empty(0, found.dtypes[1]) end
    return unpacked(shaped(tensor, a.ndmin), a.unpack)
  end
  local names = found.names or {}
  for i = #names + 1, found.count do names[i] = (a.defaultfmt:gsub("%%i", tostring(i - 1))) end
  local records = new_records(names, read_parts(read, found.dtypes, found.columns, found.count), found.max_rows)
  if not a.unpack then return records end
  local columns = {}
  for i, name in ipairs(names) do columns[i] = known[records].columns[name] end
  return table.unpack(columns)
end

-- --- np.savetxt -----------------------------------------------------------------------------------------------------

-- Returns a number in a format of C's, as Python's % does: whole numbers for %d.
local function formatted(format, value)
  if format:find "[dixXo]$" then value = value >= 0 and math.floor(value) or math.ceil(value) end
  if value == true or value == false then value = value and 1 or 0 end
  return support.number(format, value)
end

-- Returns a function that converts a text from UTF-8 to an encoding.
local function encoder(encoding)
  local name = encoding and tostring(encoding):lower():gsub("[-_]", "")
  if not name or name == "utf8" or name == "bytes" then return function(words) return words end end
  local max_code = name == "ascii" and 127 or (name == "latin1" or name == "iso88591") and 255
  if not max_code then fail("ValueError", "unknown encoding: %s (savetxt writes utf-8, latin1, ascii)", tostring(encoding)) end
  return function(words)
    return (words:gsub(utf8.charpattern, function(character)
      local code = utf8.codepoint(character)
      if code > max_code then
        fail("ValueError", "'%s' codec can't encode character '\\u%04x': ordinal not in range(%d)", encoding, code, max_code + 1)
      end
      return string.char(code)
    end))
  end
end

local read_savetxt = define "savetxt(fname, X, fmt='%.18e', delimiter=' ', newline='\\n', header='', footer='', comments='# ', encoding?)"
--- Writes an array of one or two dimensions as text.
function text.savetxt(...)
  local a = read_savetxt(...)
  local encoded = encoder(a.encoding)
  if type(a.fname) == "string" and a.fname:find "%.gz$" or type(a.fname) == "string" and a.fname:find "%.[bx]z2?$" then
    torch._raise("NotImplementedError", "savetxt compresses nothing", "save a .txt, and compress it: gzip FILE")
  end
  local newline = a.newline == "\\n" and "\n" or a.newline
  local tensor = np.asarray(torch.is_tensor(a.X) and np.of_tensor(a.X) or a.X).tensor
  if tensor.ndim == 0 or tensor.ndim > 2 then
    fail("ValueError", "Expected 1D or 2D array, got %dD array instead", tensor.ndim)
  end
  if tensor.ndim == 1 then tensor = tensor:unsqueeze(1) end
  local columns, formats = tensor.shape[1], {}
  for i = 1, columns do formats[i] = support.is_plain(a.fmt) and a.fmt[i] or not support.is_plain(a.fmt) and a.fmt end
  if support.is_plain(a.fmt) and #a.fmt ~= columns then fail("AttributeError", "fmt has wrong shape.  %s", "[" .. table.concat(a.fmt, ", ") .. "]") end
  files.with(a.fname, "wb", function(handle)
    local function comment(words)
      if words ~= "" then handle:write(encoded(a.comments .. words:gsub("\n", "\n" .. a.comments)), newline) end
    end
    comment(a.header)
    for i = 0, tensor.shape[0] - 1 do
      local row = tensor[i]:tolist()
      for k, value in ipairs(row) do row[k] = formatted(formats[k], value) end
      handle:write(encoded(table.concat(row, a.delimiter)), newline)
    end
    comment(a.footer)
  end)
end

return text
