-- 07_experiment_tracking.lua: the course's "experiment tracking": several models and learning rates, written down for TensorBoard.
--
--   tocha examples/course/07_experiment_tracking.lua [runs]     the folder for TensorBoard's files; else they are removed
package.path = (arg and arg[0] or "examples/course/x"):match "^(.*)/[^/]*$" .. "/?.lua;" .. package.path
local torch = require "torch"
local vision = require "torchvision"
local data_setup = require "going_modular.data_setup"
local engine = require "going_modular.engine"
local TinyVGG = require("going_modular.model_builder").TinyVGG
local SummaryWriter = torch.utils.tensorboard.SummaryWriter

local root = os.tmpname()
os.remove(root)
data_setup.draw(root, {train = 8, test = 4})
local runs = arg and arg[1] or root .. "/runs"

local transform = vision.transforms.Compose{vision.transforms.Resize({32, 32}), vision.transforms.ToTensor()}
local train_dataloader, test_dataloader, class_names = data_setup.create_dataloaders(
  root .. "/train", root .. "/test", transform, transform, 8)

local function create_writer(experiment_name, model_name, extra)
  return SummaryWriter{log_dir = table.concat({runs, experiment_name, model_name, extra}, "/")}
end

local best
for _, hidden_units in ipairs{5, 10} do
  for _, lr in ipairs{0.001, 0.003} do
    print(("hidden units %d, learning rate %g"):format(hidden_units, lr))
    torch.manual_seed(42)
    local model = TinyVGG(3, hidden_units, #class_names)
    local optimizer = torch.optim.Adam(model:parameters(), {lr = lr})
    local writer = create_writer("shapes", "tinyvgg_" .. hidden_units, "lr_" .. lr)
    local results = engine.train(model, train_dataloader, test_dataloader, optimizer, torch.nn.CrossEntropyLoss(), 2, "cpu", function(results, epoch)
      writer:add_scalars("Loss", {train_loss = results.train_loss[epoch], test_loss = results.test_loss[epoch]}, epoch)
      writer:add_scalars("Accuracy", {train_acc = results.train_acc[epoch], test_acc = results.test_acc[epoch]}, epoch)
    end)
    writer:close()
    local test_loss = results.test_loss[#results.test_loss]
    if not best or test_loss < best.test_loss then best = {test_loss = test_loss, hidden_units = hidden_units, lr = lr} end
  end
end
print(("best: hidden units %d, learning rate %g, test loss %.5f"):format(best.hidden_units, best.lr, best.test_loss))
os.execute(("rm -r '%s'"):format(root))
