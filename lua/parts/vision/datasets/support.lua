-- vision/datasets/support.lua: shared by the data sets of images: files and folders, downloads, their base class.
local torch = ...
local base, shell = torch._part "support", torch._part "tools.shell"
local fail, quote, C = base.fail, shell.quote, torch._io
local files = {}

-- --- files ---------------------------------------------------------------------------------------------------

--- Replaces "~" at the beginning by the user's home.
function files.expand(path)
  if type(path) ~= "string" then fail("TypeError", "root must be str, not %s", torch._python_type(path)) end
  return (path:gsub("^~", os.getenv "HOME" or "~"))
end

function files.exists(path) return C.is_folder(path) == false end

local function run(command)
  if not os.execute then fail("RuntimeError", "a sandbox downloads nothing and starts no programs") end
  local ok, how, code = os.execute(command)
  return ok or nil, how, code
end

function files.md5(path)
  local file <close> = assert(io.open(path, "rb"))
  return C.md5(file)
end

function files.read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local bytes = file:read "a"
  file:close()
  return bytes
end

-- --- downloads -------------------------------------------------------------------------------------------------

local function curl(url, path, how)
  local quiet = torch._terminal "stderr" and "-#" or "-sS"
  local ok, _, code = run(("curl -fL %s --retry 2 %s -o %s %s"):format(quiet, how, quote(path), quote(url)))
  return ok and 0 or code
end

-- Downloads one address to a path, and continues an earlier incomplete download. Returns an error message, or nil.
local function fetch(url, path, md5)
  local part = path .. ".part"
  local left = files.exists(part)
  local code = curl(url, part, left and "-C -" or "")
  -- the server cannot continue in the middle, or the earlier part is not of this file: start from the beginning
  if left and (code == 33 or code == 22 or code == 0 and files.md5(part) ~= md5) then code = curl(url, part, "") end
  if code == 127 then return "the program curl is not here (Debian: curl)" end
  if code ~= 0 then
    return ("curl ended with %s"):format(code) .. (files.exists(part) and "; what has arrived stays in " .. part or "")
  end
  if files.md5(part) ~= md5 then
    os.remove(part)
    return "File not found or corrupted."
  end
  local renamed, message = os.rename(part, path)
  return not renamed and message or nil
end

--- Downloads a file into a folder from the first of several addresses that has it, and checks its MD5 sum.
function files.download(bases, name, folder, md5)
  local path = folder .. "/" .. name
  if files.exists(path) and files.md5(path) == md5 then return path end
  shell.make_folders(folder)
  local errors = {}
  for _, start in ipairs(bases) do
    local problem = fetch(start .. name, path, md5)
    if not problem then return path end
    errors[#errors + 1] = ("Tried %s, got:\n%s\n"):format(start, problem)
  end
  return fail("RuntimeError", "Error downloading %s:\n%s", name, table.concat(errors))
end

--- Unpacks a .tar.gz or .zip into a folder.
function files.unpack(path, folder)
  local zip = path:find "%.zip$" ~= nil
  local command = zip and "unzip -oq %s -d %s" or "tar -xzf %s -C %s"
  if not run(command:format(quote(path), quote(folder))) then
    fail("RuntimeError", "cannot unpack %s: the program %s failed", path, zip and "unzip" or "tar")
  end
end

-- --- the class ---------------------------------------------------------------------------------------------------

local VisionDataset = base.class("VisionDataset", torch.utils.data.Dataset, "torchvision.datasets.vision")
files.VisionDataset = VisionDataset

--- Sets the options of every data set of images: root, transform, target_transform.
function VisionDataset:setup(a)
  self.root = a.root and files.expand(a.root)
  self.transform, self.target_transform = a.transform, a.target_transform
end

--- Returns a sample changed by the transforms.
function VisionDataset:transformed(image, target)
  if self.transform ~= nil then image = self.transform(image) end
  if self.target_transform ~= nil then target = self.target_transform(target) end
  return image, target
end

--- Returns the place of item i, which may count from the end.
function VisionDataset:place(i)
  local n = #self
  if math.type(i) ~= "integer" then fail("TypeError", "indices must be integers, not %s", torch._python_type(i)) end
  if i < -n or i >= n then fail("IndexError", "index %d is out of bounds for dimension 0 with size %d", i, n) end
  return i < 0 and i + n or i
end

local function indented(head, value)
  return head .. tostring(value):gsub("\n", "\n" .. (" "):rep(#head))
end

function VisionDataset:__tostring()
  local lines = {"Number of datapoints: " .. #self}
  if self.root then lines[#lines + 1] = "Root location: " .. self.root end
  if self.split_name then lines[#lines + 1] = "Split: " .. self.split_name end
  if self.transform ~= nil or self.target_transform ~= nil then
    lines[#lines + 1] = "StandardTransform"
    if self.transform ~= nil then lines[#lines + 1] = indented("Transform: ", self.transform) end
    if self.target_transform ~= nil then lines[#lines + 1] = indented("Target transform: ", self.target_transform) end
  end
  -- torchvision's class indents only the first line of a part; the part indents the others
  local text = table.concat(lines, "\n"):gsub("\n", "\n    ")
  return ("Dataset %s\n    %s"):format(getmetatable(self).class.__name, text)
end

--- Returns the numbers of classes by their names.
function files.numbers(classes)
  local out = {}
  for i, name in ipairs(classes) do out[name] = i - 1 end
  return out
end

return files
