-- markdown.lua: pages of docs/ as HTML: headings, paragraphs, lists, tables, blocks of code, and in a line `code`, **bold** and
-- [links](page.md). Nothing else is written there.
local markdown = {}

local entities = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}
function markdown.escape(text) return (text:gsub('[&<>"]', entities)) end
local escape = markdown.escape

-- Returns the name of a heading in links, as on GitHub.
local function anchor(title) return (title:lower():gsub("[^%w%s_-]", ""):gsub("%s", "-")) end

-- Returns a line's text as HTML. url_of(link) returns the address of a link, or nil for one that leads nowhere here.
local function inline(text, url_of)
  local codes = {}
  text = text:gsub("(`+)(.-)%1", function(_, code)
    codes[#codes + 1] = "<code>" .. escape(code) .. "</code>"
    return "\1" .. #codes .. "\2"
  end)
  text = escape(text)
  text = text:gsub("%[([^%]]*)%]%(([^)%s]+)%)", function(words, link)
    local url = url_of(link)
    return url and ('<a href="%s">%s</a>'):format(url, words) or words
  end)
  text = text:gsub("%*%*(.-)%*%*", "<strong>%1</strong>"):gsub("%f[%w*]%*(%w[^*\n]*)%*", "<em>%1</em>")
  return (text:gsub("\1(%d+)\2", function(i) return codes[tonumber(i)] end))
end

-- Splits a row of a table at its bars; those in code or after a backslash belong to the text.
local function cells_of(row)
  local out = {}
  row = row:gsub("\\|", "\3"):gsub("`[^`]*`", function(code) return (code:gsub("|", "\3")) end)
  for cell in row:match "^%s*|(.-)|?%s*$":gsub("$", "|"):gmatch "([^|]*)|" do
    out[#out + 1] = cell:gsub("\3", "|"):match "^%s*(.-)%s*$"
  end
  return out
end

local function table_of(rows, url_of)
  local out = {'<div class="scroll"><table class="text">'}
  for i, row in ipairs(rows) do
    if i ~= 2 then
      local tag, cells = i == 1 and "th" or "td", cells_of(row)
      for k, cell in ipairs(cells) do cells[k] = ("<%s>%s</%s>"):format(tag, inline(cell, url_of), tag) end
      out[#out + 1] = "<tr>" .. table.concat(cells) .. "</tr>"
    end
  end
  out[#out + 1] = "</table></div>"
  return table.concat(out, "\n")
end

local function list_of(lines, ordered, url_of)
  local items = {}
  for _, line in ipairs(lines) do
    local text = line:match "^[-*] +(.*)$" or line:match "^%d+%. +(.*)$"
    if text then items[#items + 1] = text else items[#items] = items[#items] .. "\n" .. line:match "^%s*(.*)$" end
  end
  for i, item in ipairs(items) do items[i] = "<li>" .. inline(item, url_of) .. "</li>" end
  local tag = ordered and "ol" or "ul"
  return ("<%s>\n%s\n</%s>"):format(tag, table.concat(items, "\n"), tag)
end

-- Cuts a page into blocks: a list of {kind, lines, language or level}.
local function blocks_of(text)
  local blocks, block = {}, nil
  local function start(kind, about)
    block = {kind = kind, about = about}
    blocks[#blocks + 1] = block
    return block
  end
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local language, level, kind = line:match "^```(.*)$", line:match "^(#+) ", block and block.kind
    if kind == "fence" then
      if language then block = nil else block[#block + 1] = line end
    elseif language then
      start("fence", language)
    elseif kind == "indented" and (line == "" or line:find "^    ") then
      block[#block + 1] = line:sub(5)
    elseif line == "" then
      block = nil
    elseif level then
      start("heading", #level)[1] = line:match "^#+ +(.*)$"
      block = nil
    elseif not kind and line:find "^    " then
      start "indented"[1] = line:sub(5)
    elseif line:find "^|" then
      if kind ~= "table" then start "table" end
      block[#block + 1] = line
    elseif line:find "^[-*] " or line:find "^%d+%. " then
      if kind ~= "list" then start("list", line:find "^%d" ~= nil) end
      block[#block + 1] = line
    else
      if not kind or kind == "table" or kind == "indented" then start "paragraph" end
      block[#block + 1] = line
    end
  end
  return blocks
end

--- Returns the title of a page and its body. options.url_of(link): see `inline`; options.code(text, language) returns the HTML of
-- a block of code; the language of an indented one is nil.
function markdown.page(text, options)
  local out, title = {}, nil
  for _, block in ipairs(blocks_of(text)) do
    local whole = table.concat(block, "\n")
    if block.kind == "heading" and block.about == 1 and not title then
      title = whole
    elseif block.kind == "heading" then
      out[#out + 1] = ('<h%d id="%s">%s</h%d>'):format(block.about, anchor(whole), inline(whole, options.url_of), block.about)
    elseif block.kind == "paragraph" then
      out[#out + 1] = "<p>" .. inline(whole, options.url_of) .. "</p>"
    elseif block.kind == "table" then
      out[#out + 1] = table_of(block, options.url_of)
    elseif block.kind == "list" then
      out[#out + 1] = list_of(block, block.about, options.url_of)
    else
      out[#out + 1] = options.code(whole:gsub("\n+$", ""), block.kind == "fence" and block.about or nil)
    end
  end
  return title, table.concat(out, "\n")
end

return markdown
