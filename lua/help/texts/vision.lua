-- vision.lua: the help on the names of torch.vision, as in init.lua.
local spaces = {}

spaces["torch.vision.datasets"] = [[
cifar: Where torchvision defines CIFAR10 and CIFAR100.
folder: Where torchvision defines ImageFolder and DatasetFolder.
mnist: Where torchvision defines MNIST and the data sets in its format.
CIFAR10: 60,000 colour pictures of 32x32 points in 10 classes, read from their files.
CIFAR100(root, train=true, transform?, target_transform?): 60,000 colour pictures of 32x32 points in 100 classes, read from their files.
DatasetFolder: Files in one folder for each class.
ImageFolder: Pictures in one folder for each class.
EMNIST: Handwritten letters and digits of 28x28 points.
FashionMNIST(root, train=true, transform?, target_transform?): 70,000 pictures of clothes of 28x28 points in 10 classes.
KMNIST(root, train=true, transform?, target_transform?): 70,000 handwritten Japanese characters of 28x28 points.
MNIST: 70,000 handwritten digits of 28x28 points.
FakeData: Random pictures, to try a program with.
IMG_EXTENSIONS: The endings of the names of files that hold pictures.
VisionDataset(root, transforms?, transform?, target_transform?): The base of data sets of pictures.
]]
spaces["torch.vision.io"] = [[
ImageReadMode: How many channels a picture is read with: UNCHANGED, GRAY, GRAY_ALPHA, RGB, RGB_ALPHA.
decode_image: The picture, uint8 of (channels, height, width), that the bytes of a PNG or JPEG file, a uint8 tensor, hold.
decode_webp: The picture, uint8 of (channels, height, width), that the bytes of a WebP file, a uint8 tensor, hold; needs libwebp.
decode_jpeg: The picture, uint8 of (channels, height, width), that the bytes of a JPEG file, a uint8 tensor, hold.
decode_png: The picture, uint8 of (channels, height, width), that the bytes of a PNG file, a uint8 tensor, hold.
encode_jpeg: The bytes of a JPEG file, a uint8 tensor, of a picture, uint8 of (channels, height, width).
encode_png: The bytes of a PNG file, a uint8 tensor, of a picture, uint8 of (channels, height, width).
read_image: The picture of a file, uint8 of (channels, height, width).
write_file: Writes bytes, a uint8 tensor, to a file.
write_jpeg: Writes a picture, uint8 of (channels, height, width), to a JPEG file.
write_png: Writes a picture, uint8 of (channels, height, width), to a PNG file.
]]
spaces["torch.vision.models"] = [[
resnet: Where torchvision defines resnet18 and the other residual networks.
AlexNet(num_classes=1000, dropout=0.5): The class of networks that alexnet makes: images (N, 3, H, W) to scores (N, num_classes).
BasicBlock(inputs, planes, stride=1, downsample?): Two 3x3 convolutions and a shortcut: the block of resnet18 and resnet34. (N, inputs, H, W) to (N, planes, H / stride, W / stride).
Bottleneck(inputs, planes, stride=1, downsample?, groups=1, base_width=64): A 1x1, a 3x3 and a 1x1 convolution and a shortcut: the block of resnet50 and larger. (N, inputs, H, W) to (N, 4 planes, H / stride, W / stride).
ConvNeXt(): The class of networks that convnext_tiny makes.
EfficientNet(): The class of networks that efficientnet_b0 makes.
LeNet(): The class of networks that lenet makes: images (N, 1, 28, 28) to scores (N, 10).
MobileNetV2(): The class of networks that mobilenet_v2 makes.
MobileNetV3(): The class of networks that mobilenet_v3_small and mobilenet_v3_large make.
ResNet(): The class of networks that resnet18, ... resnet152, resnext50_32x4d and wide_resnet50_2 make.
VGG(): The class of networks that vgg11, ... vgg19_bn make.
VisionTransformer(): The class of networks that vit_b_16 makes.
alexnet: AlexNet (Krizhevsky et al. 2012), random weights.
convnext_tiny: ConvNeXt, its tiny form (Liu et al. 2022), random weights.
efficientnet_b0: EfficientNet B0 (Tan and Le 2019), random weights.
lenet: LeNet-5 (LeCun et al. 1998), random weights.
mobilenet_v2: MobileNetV2 (Sandler et al. 2018), random weights.
mobilenet_v3_large: MobileNetV3, large (Howard et al. 2019), random weights.
mobilenet_v3_small: MobileNetV3, small, random weights.
resnet18: A residual network of 18 layers (He et al. 2015), random weights.
resnet34: A residual network of 34 layers, random weights.
resnet50: A residual network of 50 layers, random weights.
resnet101: A residual network of 101 layers, random weights.
resnet152: A residual network of 152 layers, random weights.
resnext50_32x4d: ResNeXt of 50 layers (Xie et al. 2016), random weights.
wide_resnet50_2: A residual network of 50 layers, twice as wide (Zagoruyko and Komodakis 2016), random weights.
wide_resnet101_2: A residual network of 101 layers, twice as wide, random weights.
vgg11: VGG of 11 layers (Simonyan and Zisserman 2014), random weights.
vgg13: VGG of 13 layers, random weights.
vgg16: VGG of 16 layers, random weights.
vgg19: VGG of 19 layers, random weights.
vgg11_bn: VGG of 11 layers with batch norm, random weights.
vgg13_bn: VGG of 13 layers with batch norm, random weights.
vgg16_bn: VGG of 16 layers with batch norm, random weights.
vgg19_bn: VGG of 19 layers with batch norm, random weights.
vit_b_16: A vision transformer on patches of 16x16 points (Dosovitskiy et al. 2020), random weights.
]]
spaces["torch.vision.ops"] = [[
FrozenBatchNorm2d(num_features, eps=1e-05): A BatchNorm2d of (N, C, H, W) whose statistics and parameters are buffers, which training leaves as they are.
MLP(in_channels, hidden_channels, norm_layer?, activation_layer?, inplace?, bias=true, dropout=0): Linear layers of these widths, each but the last with an activation, and a dropout: (..., in_channels) to (..., the last of hidden_channels).
Permute(dims): The dimensions in another order, as a layer.
RoIAlign(output_size, spatial_scale, sampling_ratio, aligned=false): roi_align as a layer: features (N, C, H, W) and boxes (K, 5) or a list of (L, 4) to (K, C, output_size).
RoIPool(output_size, spatial_scale): roi_pool as a layer: features (N, C, H, W) and boxes (K, 5) or a list of (L, 4) to (K, C, output_size).
StochasticDepth(p, mode): While training the whole input (mode 'batch') or each sample (mode 'row') is zero with probability p, and the rest is scaled by 1 / (1 - p).
box_area: The areas (N) of boxes (N, 4), each x1, y1, x2, y2.
box_convert: Boxes (N, 4) in another form: 'xyxy' (two corners), 'xywh' (a corner, width and height), 'cxcywh' (the middle, width and height).
batched_nms: As nms, for boxes of several classes (idxs), which are kept apart.
box_iou: The intersection over the union, (N, M), of each of N boxes with each of M others.
complete_box_iou: distance_box_iou less a penalty for unlike ratios of width and height, for each two boxes.
complete_box_iou_loss: 1 - complete_box_iou of each box (N, 4) with the one in the same row.
distance_box_iou: box_iou less the distance of the centres, relative to the smallest box around both, for each two boxes.
distance_box_iou_loss: 1 - distance_box_iou of each box (N, 4) with the one in the same row.
generalized_box_iou: box_iou less the part of the smallest box around both that neither covers, for each two boxes.
generalized_box_iou_loss: 1 - generalized_box_iou of each box (N, 4) with the one in the same row.
remove_small_boxes: The indices of the boxes (N, 4) whose sides are both min_size or longer.
roi_align: Regions of a feature map, each resampled to one size: means of samples between pixels (He et al. 2017).
roi_pool: Regions of a feature map, each brought to one size: the largest element of each bin (Girshick 2015).
sigmoid_focal_loss: Binary cross entropy of logits, in which elements that are predicted well already count less (Lin et al. 2017).
stochastic_depth: Drops rows of a batch (or all of it) with probability p, and scales the others up (Huang et al. 2016).
clip_boxes_to_image: Boxes (N, 4) cut off at the borders of an image of size {height, width}.
]]
spaces["torch.vision.transforms"] = [[
CenterCrop: The middle (size, size), or {height, width}, of an image (..., H, W).
ColorJitter: An image (..., 3, H, W) with brightness, contrast, saturation and hue changed at random: each by a factor from 1 - x to 1 + x, hue by -x to x of the circle.
Compose: Transforms one after the other, each on the output of the one before.
ConvertImageDtype: The image in another dtype, its values scaled: 0 to 255 in uint8 are 0 to 1 in float32.
ElasticTransform: The points of an image (..., H, W) moved by smooth random displacements: alpha is their size, sigma their smoothness.
FiveCrop: A table of five images: the four corners and the middle, each (..., size, size).
GaussianBlur: An image (..., C, H, W) blurred by a Gaussian whose deviation is sigma, or drawn from {low, high}.
Grayscale: An image (..., 3, H, W) without colour: (..., 1, H, W), or three equal channels.
InterpolationMode: How resampling finds values between pixels: NEAREST, BILINEAR, BICUBIC and others.
Lambda: A function as a transform.
LinearTransformation: An image flattened, less mean_vector, times transformation_matrix, in its shape again: whitening.
Normalize: (x - mean) / std for each channel of (..., C, H, W).
PILToTensor: A picture as a uint8 tensor (channels, height, width).
Pad: An image (..., H, W) with a border: padding is one number, {left and right, top and bottom}, or {left, top, right, bottom}.
AugMix: Chains of random changes, mixed with the picture (Hendrycks et al. 2020).
AutoAugment: Two changes, drawn from the policies that were found for a data set (Cubuk et al. 2019).
AutoAugmentPolicy: The data sets that AutoAugment has policies for: IMAGENET, CIFAR10, SVHN.
RandAugment: num_ops random changes, all of the same magnitude (Cubuk et al. 2019).
RandomAdjustSharpness: With probability p, the image with its sharpness multiplied by sharpness_factor.
RandomAffine: An image rotated, translated, scaled and sheared at random, within the ranges given.
RandomApply: With probability p, all the transforms; else the input.
RandomAutocontrast: With probability p, the image with its values stretched over the full range.
RandomChoice: One of the transforms, drawn at random.
RandomCrop: A random part (size, size), or {height, width}, of an image (..., H, W).
RandomEqualize: With probability p, the image with an even histogram.
RandomErasing: With probability p, the image with a random rectangle set to value.
RandomGrayscale: With probability p, the image without colour; the channels stay as many.
RandomHorizontalFlip: With probability p, the image mirrored left to right.
RandomInvert: With probability p, the negative of the image.
RandomOrder: All the transforms, in random order.
RandomPerspective: With probability p, the image in a random perspective.
RandomPosterize: With probability p, only the highest bits of each value of a uint8 image.
RandomResizedCrop: A random part of an image (..., H, W), resized to size: its area is a part from scale, its ratio of width to height from ratio.
RandomRotation: An image rotated by a random angle: from -degrees to degrees, or within {low, high}.
RandomSolarize: With probability p, the values from threshold on inverted.
RandomVerticalFlip: With probability p, the image mirrored top to bottom.
Resize: An image (..., H, W) resized to {height, width}; one number is the length of its shorter side.
TenCrop: A table of ten images: FiveCrop of the image, and of its mirror image.
ToPILImage: A tensor (C, H, W) as a picture, whose size() is {width, height}.
ToTensor: A picture as a float32 tensor (channels, height, width) with values from 0 to 1.
TrivialAugmentWide: One random change of random strength (Müller and Hutter 2021).
]]
spaces["torch.vision.transforms.v2"] = [[
AugMix: Chains of random changes, mixed with the picture (Hendrycks et al. 2020).
AutoAugment: Two changes, drawn from the policies that were found for a data set (Cubuk et al. 2019).
RandAugment: num_ops random changes, all of the same magnitude (Cubuk et al. 2019).
RandomResizedCrop: A random part of an image (..., H, W), resized to size; bytes are resampled as bytes.
Resize: An image (..., H, W) resized to {height, width}, one number is the length of its shorter side; bytes are resampled as bytes.
TrivialAugmentWide: One random change of random strength (Müller and Hutter 2021).
CutMix: A box of each image of a batch (N, C, H, W) is taken from another; the labels become probabilities (N, num_classes), mixed by area (Yun et al. 2019).
GaussianNoise: An image with normal noise of deviation sigma added.
MixUp: Each image of a batch (N, C, H, W) mixed with another; the labels become probabilities (N, num_classes), mixed alike (Zhang et al. 2018).
Identity: The input, unchanged.
RGB: An image (..., 1, H, W) or (..., 3, H, W) with three channels.
ToDtype: The image in another dtype; with scale its values are scaled to the range of that dtype.
ToImage: A picture or array as a tensor (channels, height, width).
Transform(): The base of transforms: extend it, and give it forward(self, image).
]]
spaces["torch.vision.transforms.functional"] = [[
adjust_brightness: An image (..., C, H, W) with all values multiplied by a factor: 1 changes nothing, 0 gives black.
adjust_contrast: An image with its contrast multiplied by a factor: 1 changes nothing, 0 gives its mean grey.
adjust_gamma: gain * x ^ gamma for each value x of an image: gamma above 1 makes shadows darker.
adjust_hue: An image (..., 3, H, W) with its hue moved by a part of the circle, from -0.5 to 0.5.
adjust_saturation: An image (..., 3, H, W) with its saturation multiplied by a factor: 1 changes nothing, 0 takes the colour away.
adjust_sharpness: An image with its sharpness multiplied by a factor: 1 changes nothing, 0 blurs it.
affine: An image (..., H, W) rotated by an angle, translated, scaled and sheared, about its middle or center.
autocontrast: An image with its values stretched over the full range, each channel by itself.
center_crop: The middle {height, width} of an image (..., H, W).
convert_image_dtype: The image in another dtype, its values scaled: 0 to 255 in uint8 are 0 to 1 in float32.
crop: The part of an image (..., H, W) from row top and column left on, (height, width) large.
elastic_transform: An image (..., H, W) whose points are moved by a displacement (1, H, W, 2).
equalize: A uint8 image with an even histogram.
erase: An image (..., H, W) with the rectangle from row i and column j on, (h, w) large, set to v.
five_crop: A table of five images: the four corners and the middle, each of the given size.
gaussian_blur: An image (..., C, H, W) blurred by a Gaussian of kernel_size elements and deviation sigma.
get_dimensions: A table {channels, height, width}.
get_image_num_channels: The number of channels of an image (..., C, H, W).
get_image_size: A table {width, height}.
hflip: An image (..., H, W) mirrored left to right.
invert: The negative of an image: 255 - x, or 1 - x.
normalize: (x - mean) / std for each channel of (..., C, H, W).
pad: An image (..., H, W) with a border: padding is one number, {left and right, top and bottom}, or {left, top, right, bottom}.
perspective: An image (..., H, W) in the perspective that moves four points {x, y} to four others.
posterize: A uint8 image of which only the highest bits of each value stay.
resize: An image (..., H, W) resized to {height, width}; one number is the length of its shorter side.
resized_crop: The part that crop gives, resized to size.
rgb_to_grayscale: An image (..., 3, H, W) without colour: (..., 1, H, W), or three equal channels.
rotate: An image (..., H, W) rotated counter-clockwise by an angle in degrees.
solarize: An image whose values from threshold on are inverted.
to_grayscale: A picture without colour.
vflip: An image (..., H, W) mirrored top to bottom.
]]
spaces["torch.vision.transforms.v2.functional"] = [[
get_size: A table {height, width}.
horizontal_flip: An image (..., H, W) mirrored left to right.
resize: An image (..., H, W) resized to {height, width}, one number is the length of its shorter side; bytes are resampled as bytes.
resized_crop: The part that crop gives, resized to size; bytes are resampled as bytes.
to_image: A picture or array as a tensor (channels, height, width).
vertical_flip: An image (..., H, W) mirrored top to bottom.
]]
spaces["torch.vision.utils"] = [[
draw_bounding_boxes: A copy of a picture (C, H, W) with boxes (N, 4), x1, y1, x2, y2, drawn into it.
draw_segmentation_masks: A copy of a picture (3, H, W) with the colour of each mask, bool of (N, H, W), laid over it.
make_grid: The images of a batch (N, C, H, W) as one image, nrow of them in a row.
save_image: Writes the images of a batch, floating-point values from 0 to 1, as one grid (make_grid) to a PNG or JPEG file.
]]

return spaces
