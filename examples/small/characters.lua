-- A model of characters: it reads the names of the elements, letter by letter, and invents new ones.
local torch = require "torch"
local nn = torch.nn

local names = {}
for name in ([[hydrogen helium lithium beryllium boron carbon nitrogen oxygen fluorine neon sodium magnesium aluminium silicon phosphorus
  sulfur chlorine argon potassium calcium scandium titanium vanadium chromium manganese iron cobalt nickel copper zinc gallium germanium
  arsenic selenium bromine krypton rubidium strontium yttrium zirconium niobium molybdenum technetium ruthenium rhodium palladium silver
  cadmium indium tin antimony tellurium iodine xenon caesium barium lanthanum cerium praseodymium neodymium promethium samarium europium
  gadolinium terbium dysprosium holmium erbium thulium ytterbium lutetium hafnium tantalum tungsten rhenium osmium iridium platinum gold
  mercury thallium lead bismuth polonium astatine radon francium radium actinium thorium protactinium uranium]]):gmatch "%a+" do
  names[#names + 1] = name
end

-- Each letter is predicted from the three before it; 0 stands for the beginning and the end, 1 to 26 for a to z.
local CONTEXT = 3
local inputs, targets = {}, {}
for _, name in ipairs(names) do
  local context = {0, 0, 0}
  for i = 1, #name + 1 do
    local letter = i <= #name and name:byte(i) - 96 or 0
    inputs[#inputs + 1], targets[#targets + 1] = {table.unpack(context)}, letter
    table.remove(context, 1)
    context[CONTEXT] = letter
  end
end
local x, y = torch.tensor(inputs), torch.tensor(targets)
print(#names, "names", x.shape[0], "letters")

torch.manual_seed(7)
local model = nn.Sequential(nn.Embedding(27, 8), nn.Flatten(), nn.Linear(8 * CONTEXT, 64), nn.Tanh(), nn.Linear(64, 27))
local optimizer = torch.optim.AdamW(model:parameters(), {lr = 0.01})
for step = 0, 100 do
  local loss = nn.functional.cross_entropy(model(x), y)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if step % 25 == 0 then print(torch.format("step %3d  loss %.3f", step, loss)) end
end

local _ <close> = torch.no_grad()
for _ = 1, 8 do
  local context, letters = {0, 0, 0}, {}
  repeat
    local letter = torch.multinomial(model(torch.tensor{context})[0]:softmax(0), 1):item()
    letters[#letters + 1] = letter > 0 and string.char(96 + letter) or ""
    table.remove(context, 1)
    context[CONTEXT] = letter
  until letter == 0 or #letters == 20
  print(table.concat(letters))
end
