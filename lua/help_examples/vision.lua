-- Examples, told in lua/help_example.lua.
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

?torch.vision.transforms
> t = torch.vision.transforms
> t.Compose{t.Resize({4, 4}), t.Normalize({0.5}, {0.5})}(torch.zeros(1, 8, 8)).shape
torch.Size([1, 4, 4])

?torch.vision.transforms.functional
> torch.vision.transforms.functional.hflip(torch.tensor{{{1, 2, 3}}})
tensor([[[3, 2, 1]]])

?torch.vision.transforms.v2
> torch.vision.transforms.v2.Resize({4, 4})(torch.zeros(3, 8, 8)).shape
torch.Size([3, 4, 4])

?torch.vision.transforms.v2.functional
> torch.vision.transforms.v2.functional.vflip(torch.tensor{{{1, 2}, {3, 4}}})
tensor([[[3, 4],
         [1, 2]]])

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

?torch.vision.transforms.AugMix
> torch.manual_seed(0);
> torch.vision.transforms.AugMix()(torch.zeros(3, 8, 8, {dtype = torch.uint8})).shape
torch.Size([3, 8, 8])

?torch.vision.transforms.AutoAugment
> torch.manual_seed(0);
> torch.vision.transforms.AutoAugment("cifar10")(torch.zeros(3, 8, 8, {dtype = torch.uint8})).shape
torch.Size([3, 8, 8])

?torch.vision.transforms.RandAugment
> torch.manual_seed(0);
> torch.vision.transforms.RandAugment()(torch.zeros(3, 8, 8, {dtype = torch.uint8})).shape
torch.Size([3, 8, 8])

?torch.vision.transforms.TrivialAugmentWide
> torch.manual_seed(0);
> torch.vision.transforms.TrivialAugmentWide()(torch.zeros(3, 8, 8, {dtype = torch.uint8})).shape
torch.Size([3, 8, 8])

?torch.vision.transforms.AutoAugmentPolicy
> torch.vision.transforms.AutoAugmentPolicy.CIFAR10
"cifar10"

?torch.vision.transforms.InterpolationMode
> torch.vision.transforms.InterpolationMode.BICUBIC
"bicubic"

?torch.vision.transforms.CenterCrop
> torch.vision.transforms.CenterCrop(2)(torch.arange(16):reshape(1, 4, 4))
tensor([[[ 5,  6],
         [ 9, 10]]])

?torch.vision.transforms.ColorJitter
> torch.manual_seed(0);
> torch.vision.transforms.ColorJitter({brightness = 0.5})(torch.full({3, 1, 1}, 0.5)):flatten()
tensor([0.3160, 0.3160, 0.3160])

?torch.vision.transforms.Compose
> t = torch.vision.transforms
> torch.vision.transforms.Compose({t.Resize({4, 4}), t.Normalize({0.5}, {0.5})})
Compose(
    Resize(size=(4, 4), interpolation=bilinear, max_size=None, antialias=True)
    Normalize(mean=[0.5], std=[0.5])
)

?torch.vision.transforms.ConvertImageDtype
> torch.vision.transforms.ConvertImageDtype(torch.float32)(torch.full({1, 1, 2}, 255, {dtype = torch.uint8}))
tensor([[[1., 1.]]])

?torch.vision.transforms.ElasticTransform
> torch.manual_seed(0);
> torch.vision.transforms.ElasticTransform({alpha = 10.})(torch.zeros(3, 32, 32)).shape
torch.Size([3, 32, 32])

?torch.vision.transforms.FiveCrop
> crops = torch.vision.transforms.FiveCrop(2)(torch.arange(16):reshape(1, 4, 4))
> #crops, crops[5]
5
tensor([[[ 5,  6],
         [ 9, 10]]])

?torch.vision.transforms.GaussianBlur
> torch.vision.transforms.GaussianBlur(3, {sigma = 1.})(torch.eye(3):reshape(1, 3, 3))
tensor([[[0.5046, 0.3715, 0.3005],
         [0.3715, 0.3544, 0.3715],
         [0.3005, 0.3715, 0.5046]]])

?torch.vision.transforms.Grayscale
> torch.vision.transforms.Grayscale()(torch.ones(3, 2, 2)).shape
torch.Size([1, 2, 2])

?torch.vision.transforms.Lambda
> torch.vision.transforms.Lambda(function(x) return x * 2 end)(torch.tensor{1., 2.})
tensor([2., 4.])

?torch.vision.transforms.LinearTransformation
> torch.vision.transforms.LinearTransformation(torch.eye(4) * 2, torch.zeros(4))(torch.ones(1, 2, 2))
tensor([[[2., 2.],
         [2., 2.]]])

?torch.vision.transforms.Normalize
> torch.vision.transforms.Normalize({0.5}, {0.25})(torch.full({1, 1, 2}, 1.))
tensor([[[2., 2.]]])

?torch.vision.transforms.PILToTensor
> torch.vision.transforms.PILToTensor()(torch.vision.transforms.ToPILImage()(torch.zeros(3, 2, 2))).shape
torch.Size([3, 2, 2])

?torch.vision.transforms.Pad
> torch.vision.transforms.Pad(1, {fill = 9})(torch.ones(1, 1, 2))
tensor([[[9., 9., 9., 9.],
         [9., 1., 1., 9.],
         [9., 9., 9., 9.]]])

?torch.vision.transforms.RandomAdjustSharpness
> torch.manual_seed(0);
> torch.vision.transforms.RandomAdjustSharpness(2, {p = 1.})(torch.zeros(3, 8, 8)).shape
torch.Size([3, 8, 8])

?torch.vision.transforms.RandomAffine
> torch.manual_seed(0);
> torch.vision.transforms.RandomAffine(30, {translate = {0.1, 0.1}})(torch.zeros(3, 8, 8)).shape
torch.Size([3, 8, 8])

?torch.vision.transforms.RandomApply
> torch.manual_seed(0);
> torch.vision.transforms.RandomApply({torch.vision.transforms.RandomHorizontalFlip(1.)}, {p = 0.9})(torch.tensor{{{1, 2, 3}}})
tensor([[[3, 2, 1]]])

?torch.vision.transforms.RandomAutocontrast
> torch.vision.transforms.RandomAutocontrast(1.)(torch.arange(4.):reshape(1, 2, 2) / 8)
tensor([[[0.0000, 0.3333],
         [0.6667, 1.0000]]])

?torch.vision.transforms.RandomChoice
> t = torch.vision.transforms
> torch.vision.transforms.RandomChoice({t.RandomHorizontalFlip(1.), t.RandomHorizontalFlip(1.)})(torch.tensor{{{1, 2, 3}}})
tensor([[[3, 2, 1]]])

?torch.vision.transforms.RandomCrop
> torch.manual_seed(0);
> torch.vision.transforms.RandomCrop(2)(torch.arange(16):reshape(1, 4, 4))
tensor([[[ 8,  9],
         [12, 13]]])

?torch.vision.transforms.RandomEqualize
> torch.vision.transforms.RandomEqualize(1.)(torch.arange(4, {dtype = torch.uint8}):reshape(1, 2, 2))
tensor([[[0, 1],
         [2, 3]]], dtype=torch.uint8)

?torch.vision.transforms.RandomErasing
> torch.manual_seed(0);
> torch.vision.transforms.RandomErasing(1.)(torch.ones(1, 8, 8)):eq(0):sum():item() > 0
true

?torch.vision.transforms.RandomGrayscale
> torch.vision.transforms.RandomGrayscale(1.)(torch.ones(3, 2, 2)).shape
torch.Size([3, 2, 2])

?torch.vision.transforms.RandomHorizontalFlip
> torch.vision.transforms.RandomHorizontalFlip(1.)(torch.tensor{{{1, 2, 3}}})
tensor([[[3, 2, 1]]])

?torch.vision.transforms.RandomInvert
> torch.vision.transforms.RandomInvert(1.)(torch.tensor{{{0.2, 1.}}})
tensor([[[0.8000, 0.0000]]])

?torch.vision.transforms.RandomOrder
> t = torch.vision.transforms
> torch.vision.transforms.RandomOrder({t.RandomHorizontalFlip(1.), t.RandomVerticalFlip(1.)})(torch.tensor{{{1, 2}, {3, 4}}})
tensor([[[4, 3],
         [2, 1]]])

?torch.vision.transforms.RandomPerspective
> torch.manual_seed(0);
> torch.vision.transforms.RandomPerspective({p = 1.})(torch.zeros(3, 8, 8)).shape
torch.Size([3, 8, 8])

?torch.vision.transforms.RandomPosterize
> torch.vision.transforms.RandomPosterize(2, {p = 1.})(torch.tensor({{{255, 100, 70}}}, {dtype = torch.uint8}))
tensor([[[192,  64,  64]]], dtype=torch.uint8)

?torch.vision.transforms.RandomResizedCrop
> torch.manual_seed(0);
> torch.vision.transforms.RandomResizedCrop({4, 4})(torch.zeros(3, 16, 16)).shape
torch.Size([3, 4, 4])

?torch.vision.transforms.RandomRotation
> torch.vision.transforms.RandomRotation({90, 90})(torch.tensor{{{1, 2}, {3, 4}}})
tensor([[[2, 4],
         [1, 3]]])

?torch.vision.transforms.RandomSolarize
> torch.vision.transforms.RandomSolarize(0.5, {p = 1.})(torch.tensor{{{0.2, 0.75}}})
tensor([[[0.2000, 0.2500]]])

?torch.vision.transforms.RandomVerticalFlip
> torch.vision.transforms.RandomVerticalFlip(1.)(torch.tensor{{{1, 2}, {3, 4}}})
tensor([[[3, 4],
         [1, 2]]])

?torch.vision.transforms.Resize
> torch.vision.transforms.Resize({2, 2})(torch.arange(16.):reshape(1, 4, 4))
tensor([[[ 3.5714,  5.1429],
         [ 9.8571, 11.4286]]])
> torch.vision.transforms.Resize(8)(torch.zeros(3, 16, 32)).shape
torch.Size([3, 8, 16])

?torch.vision.transforms.TenCrop
> #torch.vision.transforms.TenCrop(2)(torch.arange(16):reshape(1, 4, 4))
10

?torch.vision.transforms.ToPILImage
> torch.vision.transforms.ToPILImage()(torch.zeros(3, 2, 4)):size()
torch.Size([3, 2, 4])

?torch.vision.transforms.ToTensor
> torch.vision.transforms.ToTensor()(torch.vision.transforms.ToPILImage()(torch.ones(3, 2, 4))).shape
torch.Size([3, 2, 4])

?torch.vision.transforms.v2.CutMix
> torch.manual_seed(0);
> images, labels = torch.vision.transforms.v2.CutMix({num_classes = 10})(torch.rand(4, 3, 8, 8), torch.tensor{1, 3, 5, 7})
> images.shape, labels.shape
torch.Size([4, 3, 8, 8])	torch.Size([4, 10])

?torch.vision.transforms.v2.MixUp
> torch.manual_seed(0);
> images, labels = torch.vision.transforms.v2.MixUp({num_classes = 10})(torch.rand(4, 3, 8, 8), torch.tensor{1, 3, 5, 7})
> images.shape, labels.shape
torch.Size([4, 3, 8, 8])	torch.Size([4, 10])

?torch.vision.transforms.v2.GaussianNoise
> torch.manual_seed(0);
> torch.vision.transforms.v2.GaussianNoise({sigma = 0.1})(torch.full({1, 1, 3}, 0.5))
tensor([[[0.6541, 0.4707, 0.2821]]])

?torch.vision.transforms.v2.Identity
> torch.vision.transforms.v2.Identity()(torch.tensor{1, 2})
tensor([1, 2])

?torch.vision.transforms.v2.RGB
> torch.vision.transforms.v2.RGB()(torch.zeros(1, 2, 2)).shape
torch.Size([3, 2, 2])

?torch.vision.transforms.v2.ToDtype
> torch.vision.transforms.v2.ToDtype(torch.float32, {scale = true})(torch.full({1, 1, 2}, 255, {dtype = torch.uint8}))
tensor([[[1., 1.]]])

?torch.vision.transforms.v2.ToImage
> torch.vision.transforms.v2.ToImage()(torch.zeros(3, 2, 4)).shape
torch.Size([3, 2, 4])

?torch.vision.transforms.v2.Transform
> Double = torch.vision.transforms.v2.Transform:extend "Double"
> function Double:forward(x) return x * 2 end
> Double()(torch.tensor{1, 2})
tensor([2, 4])

?torch.vision.transforms.functional.InterpolationMode
> torch.vision.transforms.functional.InterpolationMode.BILINEAR
"bilinear"

?torch.vision.transforms.functional.adjust_brightness
> torch.vision.transforms.functional.adjust_brightness(torch.tensor{{{0.2, 0.4}}}, 2)
tensor([[[0.4000, 0.8000]]])

?torch.vision.transforms.functional.adjust_contrast
> torch.vision.transforms.functional.adjust_contrast(torch.tensor{{{0.2, 0.4}}}, 2)
tensor([[[0.1000, 0.5000]]])

?torch.vision.transforms.functional.adjust_gamma
> torch.vision.transforms.functional.adjust_gamma(torch.tensor{{{0.25, 0.64}}}, 0.5)
tensor([[[0.5000, 0.8000]]])

?torch.vision.transforms.functional.adjust_hue
> torch.vision.transforms.functional.adjust_hue(torch.tensor{{{1.}}, {{0.}}, {{0.}}}, 0.5):flatten()
tensor([0., 1., 1.])

?torch.vision.transforms.functional.adjust_saturation
> torch.vision.transforms.functional.adjust_saturation(torch.tensor{{{1.}}, {{0.5}}, {{0.}}}, 0):flatten()
tensor([0.5924, 0.5924, 0.5924])

?torch.vision.transforms.functional.adjust_sharpness
> torch.vision.transforms.functional.adjust_sharpness(torch.eye(3):reshape(1, 3, 3), 0)
tensor([[[1.0000, 0.0000, 0.0000],
         [0.0000, 0.5385, 0.0000],
         [0.0000, 0.0000, 1.0000]]])

?torch.vision.transforms.functional.affine
> torch.vision.transforms.functional.affine(torch.tensor{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}, 0, {1, 0}, 1., {0, 0})
tensor([[[0, 1, 2],
         [0, 4, 5],
         [0, 7, 8]]])

?torch.vision.transforms.functional.autocontrast
> torch.vision.transforms.functional.autocontrast(torch.arange(4.):reshape(1, 2, 2) / 8)
tensor([[[0.0000, 0.3333],
         [0.6667, 1.0000]]])

?torch.vision.transforms.functional.center_crop
> torch.vision.transforms.functional.center_crop(torch.arange(16):reshape(1, 4, 4), 2)
tensor([[[ 5,  6],
         [ 9, 10]]])

?torch.vision.transforms.functional.convert_image_dtype
> torch.vision.transforms.functional.convert_image_dtype(torch.full({1, 1, 2}, 255, {dtype = torch.uint8}), torch.float32)
tensor([[[1., 1.]]])

?torch.vision.transforms.functional.crop
> torch.vision.transforms.functional.crop(torch.arange(16):reshape(1, 4, 4), 1, 0, 2, 3)
tensor([[[ 4,  5,  6],
         [ 8,  9, 10]]])

?torch.vision.transforms.functional.elastic_transform
> torch.vision.transforms.functional.elastic_transform(torch.arange(4.):reshape(1, 2, 2), torch.zeros(1, 2, 2, 2))
tensor([[[0., 1.],
         [2., 3.]]])

?torch.vision.transforms.functional.equalize
> torch.vision.transforms.functional.equalize(torch.arange(4, {dtype = torch.uint8}):reshape(1, 2, 2))
tensor([[[0, 1],
         [2, 3]]], dtype=torch.uint8)

?torch.vision.transforms.functional.erase
> torch.vision.transforms.functional.erase(torch.ones(1, 2, 3), 0, 1, 2, 2, 0)
tensor([[[1., 0., 0.],
         [1., 0., 0.]]])

?torch.vision.transforms.functional.five_crop
> topleft, topright, bottomleft, bottomright, center = table.unpack(torch.vision.transforms.functional.five_crop(torch.arange(16):reshape(1, 4, 4), 2))
> center
tensor([[[ 5,  6],
         [ 9, 10]]])

?torch.vision.transforms.functional.gaussian_blur
> torch.vision.transforms.functional.gaussian_blur(torch.eye(3):reshape(1, 3, 3), 3, {sigma = 1.})
tensor([[[0.5046, 0.3715, 0.3005],
         [0.3715, 0.3544, 0.3715],
         [0.3005, 0.3715, 0.5046]]])

?torch.vision.transforms.functional.get_dimensions
> torch.vision.transforms.functional.get_dimensions(torch.zeros(3, 4, 5))
{3, 4, 5}

?torch.vision.transforms.functional.get_image_num_channels
> torch.vision.transforms.functional.get_image_num_channels(torch.zeros(3, 4, 5))
3

?torch.vision.transforms.functional.get_image_size
> torch.vision.transforms.functional.get_image_size(torch.zeros(3, 4, 5))
{5, 4}

?torch.vision.transforms.functional.hflip
> torch.vision.transforms.functional.hflip(torch.tensor{{{1, 2, 3}}})
tensor([[[3, 2, 1]]])

?torch.vision.transforms.functional.invert
> torch.vision.transforms.functional.invert(torch.tensor{{{0.2, 1.}}})
tensor([[[0.8000, 0.0000]]])

?torch.vision.transforms.functional.normalize
> torch.vision.transforms.functional.normalize(torch.full({1, 1, 2}, 1.), {0.5}, {0.25})
tensor([[[2., 2.]]])

?torch.vision.transforms.functional.pad
> torch.vision.transforms.functional.pad(torch.ones(1, 1, 2), 1)
tensor([[[0., 0., 0., 0.],
         [0., 1., 1., 0.],
         [0., 0., 0., 0.]]])

?torch.vision.transforms.functional.perspective
> corners = {{0, 0}, {3, 0}, {3, 3}, {0, 3}}
> torch.vision.transforms.functional.perspective(torch.arange(16):reshape(1, 4, 4), corners, corners):equal(torch.arange(16):reshape(1, 4, 4))
true

?torch.vision.transforms.functional.pil_to_tensor
> torch.vision.transforms.functional.pil_to_tensor(torch.vision.transforms.functional.to_pil_image(torch.zeros(3, 2, 4))).shape
torch.Size([3, 2, 4])

?torch.vision.transforms.functional.posterize
> torch.vision.transforms.functional.posterize(torch.tensor({{{255, 100, 70}}}, {dtype = torch.uint8}), 2)
tensor([[[192,  64,  64]]], dtype=torch.uint8)

?torch.vision.transforms.functional.resize
> torch.vision.transforms.functional.resize(torch.arange(16.):reshape(1, 4, 4), {2, 2})
tensor([[[ 3.5714,  5.1429],
         [ 9.8571, 11.4286]]])

?torch.vision.transforms.functional.resized_crop
> torch.vision.transforms.functional.resized_crop(torch.arange(16.):reshape(1, 4, 4), 0, 0, 2, 2, {1, 1})
tensor([[[2.5000]]])

?torch.vision.transforms.functional.rgb_to_grayscale
> torch.vision.transforms.functional.rgb_to_grayscale(torch.ones(3, 2, 2)).shape
torch.Size([1, 2, 2])

?torch.vision.transforms.functional.rotate
> torch.vision.transforms.functional.rotate(torch.tensor{{{1, 2}, {3, 4}}}, 90)
tensor([[[2, 4],
         [1, 3]]])

?torch.vision.transforms.functional.solarize
> torch.vision.transforms.functional.solarize(torch.tensor{{{0.2, 0.75}}}, 0.5)
tensor([[[0.2000, 0.2500]]])

?torch.vision.transforms.functional.ten_crop
> #torch.vision.transforms.functional.ten_crop(torch.arange(16):reshape(1, 4, 4), 2)
10

?torch.vision.transforms.functional.to_grayscale
> torch.vision.transforms.functional.to_grayscale(torch.vision.transforms.functional.to_pil_image(torch.ones(3, 2, 4))):size()
torch.Size([1, 2, 4])

?torch.vision.transforms.functional.to_pil_image
> torch.vision.transforms.functional.to_pil_image(torch.zeros(3, 2, 4)):size()
torch.Size([3, 2, 4])

?torch.vision.transforms.functional.to_tensor
> torch.vision.transforms.functional.to_tensor(torch.vision.transforms.functional.to_pil_image(torch.ones(3, 2, 4))).shape
torch.Size([3, 2, 4])

?torch.vision.transforms.functional.vflip
> torch.vision.transforms.functional.vflip(torch.tensor{{{1, 2}, {3, 4}}})
tensor([[[3, 4],
         [1, 2]]])

?torch.vision.transforms.v2.functional.get_size
> torch.vision.transforms.v2.functional.get_size(torch.zeros(3, 4, 5))
{4, 5}

?torch.vision.transforms.v2.functional.horizontal_flip
> torch.vision.transforms.v2.functional.horizontal_flip(torch.tensor{{{1, 2, 3}}})
tensor([[[3, 2, 1]]])

?torch.vision.transforms.v2.functional.vertical_flip
> torch.vision.transforms.v2.functional.vertical_flip(torch.tensor{{{1, 2}, {3, 4}}})
tensor([[[3, 4],
         [1, 2]]])

?torch.vision.transforms.v2.functional.to_dtype
> torch.vision.transforms.v2.functional.to_dtype(torch.full({1, 1, 2}, 255, {dtype = torch.uint8}), torch.float32, {scale = true})
tensor([[[1., 1.]]])

?torch.vision.transforms.v2.functional.to_image
> torch.vision.transforms.v2.functional.to_image(torch.vision.transforms.functional.to_pil_image(torch.zeros(3, 2, 4))).shape
torch.Size([3, 2, 4])
]==]
