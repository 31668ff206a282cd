-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.vision.datasets torch.vision.datasets.FakeData
> set = torch.vision.datasets.FakeData(100, {3, 8, 8})
> #set
100

?torch.vision.datasets.CIFAR10
> found, set = pcall(torch.vision.datasets.CIFAR10, {root = "data", train = true})
> found and #set or "the files belong in data/cifar-10-batches-bin; download = true fetches them"
"the files belong in data/cifar-10-batches-bin; download = true fetches them"

?torch.vision.datasets.CIFAR100
> found, set = pcall(torch.vision.datasets.CIFAR100, {root = "data", train = true})
> found and #set or "the files belong in data/cifar-100-binary; download = true fetches them"
"the files belong in data/cifar-100-binary; download = true fetches them"

?torch.vision.datasets.MNIST
> found, set = pcall(torch.vision.datasets.MNIST, {root = "data", train = true})
> found and #set or "the files belong in data/MNIST/raw; download = true fetches them"
"the files belong in data/MNIST/raw; download = true fetches them"

?torch.vision.datasets.FashionMNIST
> found, set = pcall(torch.vision.datasets.FashionMNIST, {root = "data", train = true})
> found and #set or "the files belong in data/FashionMNIST/raw; download = true fetches them"
"the files belong in data/FashionMNIST/raw; download = true fetches them"

?torch.vision.datasets.KMNIST
> found, set = pcall(torch.vision.datasets.KMNIST, {root = "data", train = true})
> found and #set or "the files belong in data/KMNIST/raw; download = true fetches them"
"the files belong in data/KMNIST/raw; download = true fetches them"

?torch.vision.datasets.EMNIST
> found, set = pcall(torch.vision.datasets.EMNIST, {root = "data", train = true, split = "letters"})
> found and #set or "the files belong in data/EMNIST/raw; download = true fetches them"
"the files belong in data/EMNIST/raw; download = true fetches them"

?torch.vision.datasets.IMG_EXTENSIONS
> torch.vision.datasets.IMG_EXTENSIONS[1], torch.vision.datasets.IMG_EXTENSIONS[2]
".jpg"	".jpeg"

?torch.vision.datasets.ImageFolder torch.vision.datasets.DatasetFolder torch.vision.datasets.default_loader
> os.execute "mkdir -p pets/cat pets/dog";
> torch.vision.io.write_png(torch.zeros(3, 8, 8, {dtype = torch.uint8}), "pets/cat/1.png")
> torch.vision.io.write_png(torch.zeros(3, 8, 8, {dtype = torch.uint8}), "pets/dog/1.png")
> set = torch.vision.datasets.ImageFolder("pets")
> #set, set.classes
2	{"cat", "dog"}
> same = torch.vision.datasets.DatasetFolder("pets", torch.vision.datasets.default_loader, {".png"})
> #same
2

?torch.vision.datasets.cifar torch.vision.datasets.folder torch.vision.datasets.mnist
> datasets = torch.vision.datasets
> datasets.cifar.CIFAR10 == datasets.CIFAR10, datasets.folder.ImageFolder == datasets.ImageFolder, datasets.mnist.MNIST == datasets.MNIST
true	true	true

?torch.vision.datasets.VisionDataset
> Pairs = torch.vision.datasets.VisionDataset:extend "Pairs"
> function Pairs:__len() return 2 end
> function Pairs:getitem(i) return torch.ones(1) * i, i end
> set = Pairs(".")
> #set, set[1][1]
2	tensor([1.])

?torch.vision.io torch.vision.io.write_png torch.vision.io.read_image
> image = torch.arange(12, {dtype = torch.uint8}):reshape(3, 2, 2)
> torch.vision.io.write_png(image, "small.png")
> torch.vision.io.read_image("small.png"):equal(image)
true

?torch.vision.io.ImageReadMode
> torch.vision.io.write_png(torch.zeros(3, 2, 2, {dtype = torch.uint8}), "colour.png")
> torch.vision.io.read_image("colour.png", torch.vision.io.ImageReadMode.GRAY).shape
torch.Size([1, 2, 2])

?torch.vision.io.decode_image torch.vision.io.decode_png torch.vision.io.encode_png
> image = torch.arange(12, {dtype = torch.uint8}):reshape(3, 2, 2)
> bytes = torch.vision.io.encode_png(image)
> torch.vision.io.decode_png(bytes):equal(image), torch.vision.io.decode_image(bytes).shape
true	torch.Size([3, 2, 2])

?torch.vision.io.decode_jpeg torch.vision.io.encode_jpeg torch.vision.io.write_jpeg
> image = torch.full({3, 8, 8}, 100, {dtype = torch.uint8})
> bytes = torch.vision.io.encode_jpeg(image)
> torch.vision.io.decode_jpeg(bytes).shape
torch.Size([3, 8, 8])
> torch.vision.io.write_jpeg(image, "grey.jpg")

?torch.vision.io.decode_webp
> bytes = torch.frombuffer("RIFF\026\000\000\000WEBPVP8L\013\000\000\000/\000\000\000\016\007\016\017\017\136\136\254\007\000", {dtype = torch.uint8})
> ok, image = pcall(torch.vision.io.decode_webp, bytes, "RGB")

?torch.vision.io.read_file torch.vision.io.write_file
> torch.vision.io.write_file("bytes.bin", torch.tensor({1, 2, 3}, {dtype = torch.uint8}))
> torch.vision.io.read_file("bytes.bin")
tensor([1, 2, 3], dtype=torch.uint8)

?torch.vision.ops.FrozenBatchNorm2d
> torch.vision.ops.FrozenBatchNorm2d(3)(torch.ones(1, 3, 4, 4)).shape
torch.Size([1, 3, 4, 4])

?torch.vision.ops.MLP
> torch.vision.ops.MLP(4, {8, 2})(torch.zeros(5, 4)).shape
torch.Size([5, 2])

?torch.vision.ops.Permute
> torch.vision.ops.Permute({0, 2, 3, 1})(torch.zeros(1, 3, 4, 5)).shape
torch.Size([1, 4, 5, 3])

?torch.vision.ops.RoIAlign
> torch.vision.ops.RoIAlign({2, 2}, {spatial_scale = 1, sampling_ratio = 1})(torch.arange(16.):reshape(1, 1, 4, 4), torch.tensor{{0., 0., 0., 3., 3.}})
tensor([[[[ 3.7500,  5.2500],
          [ 9.7500, 11.2500]]]])

?torch.vision.ops.RoIPool
> torch.vision.ops.RoIPool({2, 2}, {spatial_scale = 1})(torch.arange(16.):reshape(1, 1, 4, 4), torch.tensor{{0., 0., 0., 3., 3.}})
tensor([[[[ 5.,  7.],
          [13., 15.]]]])

?torch.vision.ops.roi_align
> torch.vision.ops.roi_align(torch.arange(16.):reshape(1, 1, 4, 4), torch.tensor{{0., 0., 0., 3., 3.}}, {2, 2}, {sampling_ratio = 1})
tensor([[[[ 3.7500,  5.2500],
          [ 9.7500, 11.2500]]]])

?torch.vision.ops.roi_pool
> torch.vision.ops.roi_pool(torch.arange(16.):reshape(1, 1, 4, 4), torch.tensor{{0., 0., 0., 3., 3.}}, {2, 2})
tensor([[[[ 5.,  7.],
          [13., 15.]]]])

?torch.vision.ops.StochasticDepth
> torch.manual_seed(0);
> torch.vision.ops.StochasticDepth(0.5, "row")(torch.ones(4, 2))
tensor([[0., 0.],
        [0., 0.],
        [2., 2.],
        [0., 0.]])

?torch.vision.ops.stochastic_depth
> torch.manual_seed(0);
> torch.vision.ops.stochastic_depth(torch.ones(4, 2), 0.5, "row")
tensor([[0., 0.],
        [0., 0.],
        [2., 2.],
        [0., 0.]])

?torch.vision.ops.batched_nms
> boxes = torch.tensor{{0., 0., 10., 10.}, {1., 1., 10., 10.}, {20., 20., 30., 30.}}
> torch.vision.ops.batched_nms(boxes, torch.tensor{0.9, 0.8, 0.7}, torch.tensor{0, 1, 0}, 0.5)
tensor([0, 1, 2])

?torch.vision.ops.nms
> boxes = torch.tensor{{0., 0., 10., 10.}, {1., 1., 10., 10.}, {20., 20., 30., 30.}}
> torch.vision.ops.nms(boxes, torch.tensor{0.9, 0.8, 0.7}, 0.5)
tensor([0, 2])

?torch.vision.ops.box_area
> torch.vision.ops.box_area(torch.tensor{{0., 0., 10., 10.}, {5., 5., 7., 6.}})
tensor([100.,   2.])

?torch.vision.ops.box_convert
> torch.vision.ops.box_convert(torch.tensor{{10., 20., 30., 40.}}, "xyxy", "cxcywh")
tensor([[20., 30., 20., 20.]])

?torch.vision.ops.box_iou
> torch.vision.ops.box_iou(torch.tensor{{0., 0., 10., 10.}}, torch.tensor{{0., 0., 10., 5.}, {20., 20., 30., 30.}})
tensor([[0.5000, 0.0000]])

?torch.vision.ops.complete_box_iou
> torch.vision.ops.complete_box_iou(torch.tensor{{0., 0., 10., 10.}}, torch.tensor{{0., 0., 10., 5.}})
tensor([[0.4655]])

?torch.vision.ops.distance_box_iou
> torch.vision.ops.distance_box_iou(torch.tensor{{0., 0., 10., 10.}}, torch.tensor{{0., 0., 10., 5.}})
tensor([[0.4688]])

?torch.vision.ops.generalized_box_iou
> torch.vision.ops.generalized_box_iou(torch.tensor{{0., 0., 10., 10.}}, torch.tensor{{0., 0., 10., 5.}})
tensor([[0.5000]])

?torch.vision.ops.complete_box_iou_loss
> torch.vision.ops.complete_box_iou_loss(torch.tensor{{0., 0., 10., 10.}}, torch.tensor{{0., 0., 10., 5.}}, {reduction = "mean"})
tensor(0.5345)

?torch.vision.ops.distance_box_iou_loss
> torch.vision.ops.distance_box_iou_loss(torch.tensor{{0., 0., 10., 10.}}, torch.tensor{{0., 0., 10., 5.}}, {reduction = "mean"})
tensor(0.5312)

?torch.vision.ops.generalized_box_iou_loss
> torch.vision.ops.generalized_box_iou_loss(torch.tensor{{0., 0., 10., 10.}}, torch.tensor{{0., 0., 10., 5.}}, {reduction = "mean"})
tensor(0.5000)

?torch.vision.ops.clip_boxes_to_image
> torch.vision.ops.clip_boxes_to_image(torch.tensor{{-5., 2., 30., 8.}}, {10, 20})
tensor([[ 0.,  2., 20.,  8.]])

?torch.vision.ops.masks_to_boxes
> mask = torch.zeros(1, 5, 5)
> mask["0, 1:3, 2:5"] = 1
> torch.vision.ops.masks_to_boxes(mask)
tensor([[2., 1., 4., 2.]])

?torch.vision.ops.remove_small_boxes
> torch.vision.ops.remove_small_boxes(torch.tensor{{0., 0., 10., 10.}, {0., 0., 1., 9.}}, 2)
tensor([0])

?torch.vision.ops.sigmoid_focal_loss
> torch.vision.ops.sigmoid_focal_loss(torch.tensor{2., -1.}, torch.tensor{1., 0.}, {reduction = "mean"})
tensor(0.0087)

?torch.vision.ops
> torch.vision.ops.box_area(torch.tensor{{0., 0., 10., 10.}})
tensor([100.])

?torch.vision.utils torch.vision.utils.make_grid
> torch.vision.utils.make_grid(torch.zeros(6, 3, 8, 8), {nrow = 3}).shape
torch.Size([3, 22, 32])

?torch.vision.utils.draw_bounding_boxes
> image = torch.zeros(3, 20, 20, {dtype = torch.uint8})
> torch.vision.utils.draw_bounding_boxes(image, torch.tensor{{2., 2., 10., 10.}}, {colors = "red"})[0]:gt(0):sum()
tensor(32)

?torch.vision.utils.draw_segmentation_masks
> image = torch.zeros(3, 4, 4, {dtype = torch.uint8})
> mask = torch.zeros(4, 4, {dtype = torch.bool})
> mask["1:3, 1:3"] = true
> torch.vision.utils.draw_segmentation_masks(image, mask, {alpha = 0.5, colors = "red"})[0]
tensor([[  0,   0,   0,   0],
        [  0, 127, 127,   0],
        [  0, 127, 127,   0],
        [  0,   0,   0,   0]], dtype=torch.uint8)

?torch.vision.utils.save_image
> torch.vision.utils.save_image(torch.zeros(4, 3, 8, 8), "grid.png")
> torch.vision.io.read_image("grid.png").shape
torch.Size([3, 12, 42])
]==]
