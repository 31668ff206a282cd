-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
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

?torch.vision.transforms.v2.RandomResizedCrop
> torch.manual_seed(0);
> torch.vision.transforms.v2.RandomResizedCrop({1, 2})(torch.arange(16):reshape(1, 4, 4):to(torch.uint8)).shape
torch.Size([1, 1, 2])

?torch.vision.transforms.v2.Resize
> torch.vision.transforms.v2.Resize({2, 2})(torch.arange(16):reshape(1, 4, 4):to(torch.uint8)).dtype
torch.uint8

?torch.vision.transforms.v2.functional.resize
> torch.vision.transforms.v2.functional.resize(torch.arange(16):reshape(1, 4, 4):to(torch.uint8), {2, 3}).shape
torch.Size([1, 2, 3])

?torch.vision.transforms.v2.functional.resized_crop
> torch.vision.transforms.v2.functional.resized_crop(torch.arange(16.):reshape(1, 4, 4), 0, 0, 2, 2, {1, 1})
tensor([[[2.5000]]])

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
