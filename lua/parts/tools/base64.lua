-- base64.lua: encodes bytes in base64 (RFC 4648).
local ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

return function(bytes)
  local letters = {}
  for i = 1, 64 do letters[i - 1] = ALPHABET:sub(i, i) end
  local text = bytes:gsub("..?.?", function(three)
    local a, b, c = three:byte(1, 3)
    local bits = a << 16 | (b or 0) << 8 | (c or 0)
    return letters[bits >> 18] .. letters[bits >> 12 & 63] .. (b and letters[bits >> 6 & 63] or "=") .. (c and letters[bits & 63] or "=")
  end)
  return text
end
