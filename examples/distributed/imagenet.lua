-- imagenet.lua: PyTorch's example "imagenet": a residual network learns to classify images, in one process or in many.
--
--   tocha examples/distributed/imagenet.lua --dummy                                    in this process
--   tocha examples/distributed/imagenet.lua --dummy --multiprocessing-distributed \
--     --dist-url tcp://127.0.0.1:23456 --world-size 1 --rank 0 --nproc 2               it starts two (on GPUs: one for each)
--   tocharun --nproc-per-node 2 examples/distributed/imagenet.lua --dummy --dist-url env://
--
-- Images are in the folders train and val of the folder that is named; --dummy makes some up. --help lists the options.
local torch = require "torch"
local vision = require "torchvision"
local nn, data, dist, transforms = torch.nn, torch.utils.data, torch.distributed, vision.transforms

-- --- options ------------------------------------------------------------------------------------------------

local options = {
  {"arch", "resnet18", "a", "name of a network of torchvision.models"}, {"workers", 0, "j", "processes that load images"},
  {"epochs", 90, nil, "epochs in all"}, {"start-epoch", 0, nil, "the first one"},
  {"batch-size", 256, "b", "images in a batch of all processes of this machine"}, {"lr", 0.1, nil, "learning rate at first"},
  {"momentum", 0.9, nil, "of SGD"}, {"weight-decay", 1e-4, "w", "of SGD"}, {"print-freq", 10, "p", "batches between two lines"},
  {"resume", "", nil, "checkpoint to go on from"}, {"evaluate", false, "e", "only measures the accuracy"},
  {"world-size", -1, nil, "machines; under a launcher: processes"}, {"rank", -1, nil, "this one's number"},
  {"dist-url", "env://", nil, "where processes meet"}, {"dist-backend", "", nil, "what moves their bytes"}, {"seed", -1, nil, "of the random numbers"},
  {"multiprocessing-distributed", false, nil, "starts the processes of this machine"},
  {"nproc", 0, nil, "how many (0: one for each GPU)"}, {"checkpoint", "checkpoint.pth.tar", nil, "where to save"},
  {"dummy", false, nil, "noise in place of images"}, {"dummy-size", 1281167, nil, "images of noise"},
  {"image-size", 224, nil, "pixels of a side"}, {"classes", 1000, nil, "classes of noise"},
}

local function usage()
  for _, option in ipairs(options) do
    local name, default, letter, text = table.unpack(option, 1, 4)
    print(("  %-3s --%-28s %s%s"):format(letter and "-" .. letter or "", name, text, default and default ~= "" and (" (%s)"):format(default) or ""))
  end
  os.exit(0)
end

-- Returns the value of the command line's options, by their names with underscores; data: the folder.
local function parse(words)
  local args, kinds, i = {}, {}, 1
  for _, option in ipairs(options) do
    local key = option[1]:gsub("-", "_")
    args[key] = option[2]
    kinds["--" .. option[1]] = key
    if option[3] then kinds["-" .. option[3]] = key end
  end
  while words[i] do
    local key = kinds[words[i]]
    if words[i] == "-h" or words[i] == "--help" then usage() end
    if key and args[key] == false then
      args[key] = true
    elseif key then
      i = i + 1
      local value = assert(words[i], words[i - 1] .. " needs a value")
      args[key] = type(args[key]) == "number" and assert(tonumber(value), value .. " is not a number") or value
    else
      args.data = not words[i]:find "^%-" and words[i] or error("unknown option " .. words[i])
    end
    i = i + 1
  end
  return args
end

-- --- what is measured ---------------------------------------------------------------------------------------

local AverageMeter = {}
AverageMeter.__index = AverageMeter

-- Returns a meter, which keeps the average of a value and the last one. summary: the format of its last line, if it has one.
local function average_meter(name, format, summary)
  return setmetatable({name = name, format = format, summary = summary, value = 0, sum = 0, count = 0}, AverageMeter)
end

function AverageMeter:update(value, n)
  self.value, self.sum, self.count = value, self.sum + value * n, self.count + n
end
function AverageMeter:average() return self.sum / self.count end

-- Makes the average that of all ranks.
function AverageMeter:all_reduce(device)
  local total = torch.tensor({self.sum, self.count}, {dtype = torch.float32, device = device})
  dist.all_reduce(total, dist.ReduceOp.SUM)
  self.sum, self.count = table.unpack(total:tolist())
end
function AverageMeter:__tostring() return (("%s %s (%s)"):format(self.name, self.format, self.format)):format(self.value, self:average()) end

-- Returns a function that prints the meters after batch i of n.
local function progress_meter(n, meters, prefix)
  local width = #tostring(n)
  return function(i)
    local parts = {("%s[%" .. width .. "d/%d]"):format(prefix, i, n)}
    for k, meter in ipairs(meters) do parts[k + 1] = tostring(meter) end
    print(table.concat(parts, "\t"))
  end
end

-- Returns the percentage of targets among the k best outputs, for each k.
local function accuracy(output, target, topk)
  local _ <close> = torch.no_grad()
  local _, pred = output:topk(math.max(table.unpack(topk)), {dim = 1, largest = true, sorted = true})
  local correct, results = pred:t():eq(target:view(1, -1)), {}
  for i, k in ipairs(topk) do results[i] = correct[{("0:%d"):format(k)}]:float():sum():item() * 100 / #target end
  return table.unpack(results)
end

-- --- training -----------------------------------------------------------------------------------------------

local function train(loader, model, criterion, optimizer, epoch, device, args)
  local data_time, batch_time = average_meter("Data", "%6.3f"), average_meter("Time", "%6.3f")
  local losses, top1, top5 = average_meter("Loss", "%.4e"), average_meter("Acc@1", "%6.2f"), average_meter("Acc@5", "%6.2f")
  local display = progress_meter(#loader, {batch_time, data_time, losses, top1, top5}, ("Epoch: [%d]"):format(epoch))
  model:train()
  local last = os.time()   -- whole seconds: the averages tell more
  for i, images, target in loader:enumerate() do
    data_time:update(os.time() - last, 1)
    images, target = images:to(device, {non_blocking = true}), target:to(device, {non_blocking = true})
    local output = model(images)
    local loss = criterion(output, target)

    local acc1, acc5 = accuracy(output, target, {1, 5})
    losses:update(loss:item(), #images)
    top1:update(acc1, #images)
    top5:update(acc5, #images)

    optimizer:zero_grad()
    loss:backward()
    optimizer:step()

    batch_time:update(os.time() - last, 1)
    last = os.time()
    if i % args.print_freq == 0 then display(i + 1) end
  end
end

-- Returns the accuracy over the whole set: each rank measures its part, and then all the rest that could not be divided.
local function validate(loader, model, criterion, device, args)
  local losses, top1, top5 = average_meter("Loss", "%.4e"), average_meter("Acc@1", "%6.2f"), average_meter("Acc@5", "%6.2f")
  local shared = args.distributed and #loader.sampler * args.world_size or #loader.dataset
  local rest = shared < #loader.dataset
  local display = progress_meter(#loader + (rest and 1 or 0), {losses, top1, top5}, "Test: ")

  local function run(batches, first)
    local _ <close> = torch.no_grad()
    for i, images, target in batches:enumerate() do
      images, target = images:to(device, {non_blocking = true}), target:to(device, {non_blocking = true})
      local output = model(images)
      local acc1, acc5 = accuracy(output, target, {1, 5})
      losses:update(criterion(output, target):item(), #images)
      top1:update(acc1, #images)
      top5:update(acc5, #images)
      if (first + i) % args.print_freq == 0 then display(first + i + 1) end
    end
  end

  model:eval()
  run(loader, 0)
  if args.distributed then
    top1:all_reduce(device)
    top5:all_reduce(device)
  end
  if rest then
    local set = data.Subset(loader.dataset, torch.arange(shared, #loader.dataset):tolist())
    run(data.DataLoader(set, {batch_size = args.batch_size, num_workers = args.workers}), #loader)
  end
  print((" *   Acc@1 %.3f Acc@5 %.3f"):format(top1:average(), top5:average()))
  return top1:average()
end

-- --- data ---------------------------------------------------------------------------------------------------

local function datasets(args)
  if args.dummy then
    print "=> Dummy data is used!"
    local shape = {3, args.image_size, args.image_size}
    return vision.datasets.FakeData(args.dummy_size, shape, args.classes, transforms.ToTensor()),
      vision.datasets.FakeData(args.dummy_size // 25, shape, args.classes, transforms.ToTensor())
  end
  local normalize = transforms.Normalize{mean = {0.485, 0.456, 0.406}, std = {0.229, 0.224, 0.225}}
  return vision.datasets.ImageFolder(args.data .. "/train", transforms.Compose{transforms.RandomResizedCrop(args.image_size),
    transforms.RandomHorizontalFlip(), transforms.ToTensor(), normalize}),
    vision.datasets.ImageFolder(args.data .. "/val", transforms.Compose{transforms.Resize(args.image_size * 8 // 7),
      transforms.CenterCrop(args.image_size), transforms.ToTensor(), normalize})
end

-- --- the program --------------------------------------------------------------------------------------------

local best_acc1 = 0

-- Runs one process. gpu: its number on this machine.
local function main_worker(gpu, ngpus_per_node, args)
  if args.distributed then
    if args.dist_url == "env://" and args.rank == -1 then args.rank = tonumber(os.getenv "RANK") end
    if args.multiprocessing_distributed then args.rank = args.rank * ngpus_per_node + gpu end
    dist.init_process_group{backend = args.dist_backend ~= "" and args.dist_backend or nil, init_method = args.dist_url,
      world_size = args.world_size, rank = args.rank}
  end

  local device = torch.device "cpu"
  if torch.cuda.is_available() then
    device = torch.device("cuda", gpu or tonumber(os.getenv "LOCAL_RANK") or 0)
    torch.cuda.set_device(device)
  end
  print(("=> creating model '%s'"):format(args.arch))
  local model = vision.models[args.arch]():to(device)
  if args.distributed then
    args.batch_size = args.batch_size // ngpus_per_node
    model = nn.parallel.DistributedDataParallel(model, {device_ids = device.type == "cuda" and {device} or nil})
  end
  local criterion = nn.CrossEntropyLoss():to(device)
  local optimizer = torch.optim.SGD(model:parameters(), {lr = args.lr, momentum = args.momentum, weight_decay = args.weight_decay})
  local scheduler = torch.optim.lr_scheduler.StepLR(optimizer, {step_size = 30, gamma = 0.1})

  if args.resume ~= "" then
    local checkpoint = torch.load(args.resume, {map_location = device})
    args.start_epoch, best_acc1 = checkpoint.epoch, checkpoint.best_acc1
    model:load_state_dict(checkpoint.state_dict)
    optimizer:load_state_dict(checkpoint.optimizer)
    scheduler:load_state_dict(checkpoint.scheduler)
    print(("=> loaded checkpoint '%s' (epoch %d)"):format(args.resume, checkpoint.epoch))
  end

  local train_set, val_set = datasets(args)
  local train_sampler, val_sampler
  if args.distributed then
    train_sampler = data.DistributedSampler(train_set)
    val_sampler = data.DistributedSampler(val_set, {shuffle = false, drop_last = true})
  end
  local pinned = device.type == "cuda"
  local train_loader = data.DataLoader(train_set, {batch_size = args.batch_size, shuffle = train_sampler == nil, num_workers = args.workers,
    pin_memory = pinned, sampler = train_sampler})
  local val_loader = data.DataLoader(val_set, {batch_size = args.batch_size, shuffle = false, num_workers = args.workers, pin_memory = pinned,
    sampler = val_sampler})

  if args.evaluate then return validate(val_loader, model, criterion, device, args) end

  for epoch = args.start_epoch, args.epochs - 1 do
    if args.distributed then train_sampler:set_epoch(epoch) end
    train(train_loader, model, criterion, optimizer, epoch, device, args)
    local acc1 = validate(val_loader, model, criterion, device, args)
    scheduler:step()

    best_acc1 = math.max(acc1, best_acc1)
    if not args.distributed or args.rank % ngpus_per_node == 0 then
      torch.save({epoch = epoch + 1, arch = args.arch, state_dict = model:state_dict(), best_acc1 = best_acc1, optimizer = optimizer:state_dict(),
        scheduler = scheduler:state_dict()}, args.checkpoint)
    end
  end
  if args.distributed then dist.destroy_process_group() end
end

local args = parse(arg)
if args.seed >= 0 then torch.manual_seed(args.seed) end
if args.dist_url == "env://" and args.world_size == -1 then args.world_size = tonumber(os.getenv "WORLD_SIZE") or 1 end
args.distributed = args.world_size > 1 or args.multiprocessing_distributed
local ngpus_per_node = args.nproc > 0 and args.nproc or math.max(1, torch.cuda.is_available() and torch.cuda.device_count() or 1)
if args.multiprocessing_distributed then
  args.world_size = ngpus_per_node * args.world_size
  torch.multiprocessing.spawn(main_worker, {nprocs = ngpus_per_node, args = {ngpus_per_node, args}})
else
  main_worker(nil, ngpus_per_node, args)
end
