-- 05_going_modular.lua: the course's "going modular": the script that trains, of the parts in going_modular/.
--
--   tocha examples/course/05_going_modular.lua [folder]        with train/CLASS/*.png and test/CLASS/*.png, else on drawn shapes
package.path = (arg and arg[0] or "examples/course/x"):match "^(.*)/[^/]*$" .. "/?.lua;" .. package.path
local torch = require "torch"
local vision = require "torchvision"
local data_setup = require "going_modular.data_setup"
local engine = require "going_modular.engine"
local model_builder = require "going_modular.model_builder"
local utils = require "going_modular.utils"

local NUM_EPOCHS, BATCH_SIZE, HIDDEN_UNITS, LEARNING_RATE = 3, 8, 10, 0.001
local device = torch.cuda.is_available() and "cuda" or "cpu"

local root = arg and arg[1]
if not root then
  root = os.tmpname()
  os.remove(root)
  data_setup.draw(root, {train = 16, test = 8})
end

local data_transform = vision.transforms.Compose{vision.transforms.Resize({32, 32}), vision.transforms.ToTensor()}
local train_dataloader, test_dataloader, class_names = data_setup.create_dataloaders(
  root .. "/train", root .. "/test", data_transform, data_transform, BATCH_SIZE)
print(table.concat(class_names, " "))

torch.manual_seed(42)
local model = model_builder.TinyVGG(3, HIDDEN_UNITS, #class_names):to(device)
print(model)
local loss_fn = torch.nn.CrossEntropyLoss()
local optimizer = torch.optim.Adam(model:parameters(), {lr = LEARNING_RATE})
engine.train(model, train_dataloader, test_dataloader, optimizer, loss_fn, NUM_EPOCHS, device)

-- saved and loaded again, it says the same
local path = utils.save_model(model, root .. "/models", "05_going_modular_script_mode_tinyvgg_model.pth")
local again = model_builder.TinyVGG(3, HIDDEN_UNITS, #class_names):to(device)
again:load_state_dict(torch.load(path))
local test_loss = engine.test_step(again, test_dataloader, loss_fn, device)
print(("loaded again: test_loss %.5f"):format(test_loss))

if not (arg and arg[1]) then os.execute(("rm -r '%s'"):format(root)) end
