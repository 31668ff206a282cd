-- vision.lua: the help on the names of torch.vision, as in help_texts.lua.
local spaces = {}

spaces["torch.vision.datasets"] = [[
CIFAR10: 60,000 colour pictures of 32x32 points in 10 classes, read from their files.
CIFAR100(root, train=true, transform?, target_transform?): The same in 100 classes.
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
decode_image: The picture, (channels, height, width), that a tensor of a file's bytes holds.
decode_jpeg: The same of a JPEG file.
decode_png: The same of a PNG file.
encode_jpeg: A picture as the bytes of a JPEG file.
encode_png: A picture as the bytes of a PNG file.
read_image: The picture of a file, uint8 of (channels, height, width).
write_file: Writes bytes to a file.
write_jpeg: Writes a picture to a JPEG file.
write_png: Writes a picture to a PNG file.
]]
spaces["torch.vision.models"] = [[
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
box_area: The areas of boxes (x1, y1, x2, y2).
box_convert: Boxes in another form: 'xyxy', 'xywh', 'cxcywh'.
batched_nms: As nms, for boxes of several classes, which do not compete.
box_iou: The intersection of each two boxes divided by their union.
complete_box_iou: distance_box_iou less a penalty for unlike ratios of width and height, for each two boxes.
complete_box_iou_loss: 1 - complete_box_iou of boxes side by side.
distance_box_iou: box_iou less the distance of the centres, relative to the smallest box around both, for each two boxes.
distance_box_iou_loss: 1 - distance_box_iou of boxes side by side.
generalized_box_iou: box_iou less the part of the smallest box around both that neither covers, for each two boxes.
generalized_box_iou_loss: 1 - generalized_box_iou of boxes side by side.
remove_small_boxes: The places of the boxes whose sides are both min_size or longer.
roi_align: Regions of a feature map, each resampled to one size: means of samples between pixels (He et al. 2017).
roi_pool: Regions of a feature map, each brought to one size: the largest element of each bin (Girshick 2015).
sigmoid_focal_loss: Binary cross entropy, where what is right already counts less (Lin et al. 2017).
stochastic_depth: Drops rows of a batch (or all of it) with probability p, and scales the others up (Huang et al. 2016).
clip_boxes_to_image: Boxes cut off at the borders of a picture.
]]
spaces["torch.vision.transforms"] = [[
CenterCrop: Cuts out the middle.
ColorJitter: Changes brightness, contrast, saturation and hue at random.
Compose: One transform after the other.
ConvertImageDtype: Another dtype, the values scaled to its range.
ElasticTransform: Moves the points of a picture at random, smoothly.
FiveCrop: The four corners and the middle.
GaussianBlur: Blurs, with a random deviation.
Grayscale: Without colour.
InterpolationMode: How values between points are found: NEAREST, BILINEAR, BICUBIC, ...
Lambda: A function as a transform.
LinearTransformation: Flattens, subtracts the mean, multiplies by a matrix: whitening.
Normalize: (x - mean) / std for each channel.
PILToTensor: The picture as a uint8 tensor.
Pad: With a border.
AugMix: Chains of random changes, mixed with the picture (Hendrycks et al. 2020).
AutoAugment: Two changes, drawn from the policies that were found for a set (Cubuk et al. 2019).
AutoAugmentPolicy: The sets that AutoAugment has policies for: IMAGENET, CIFAR10, SVHN.
RandAugment: Random changes of one strength (Cubuk et al. 2019).
RandomAdjustSharpness: With probability p another sharpness.
RandomAffine: Turns, moves, scales and shears at random.
RandomApply: The transforms, with probability p.
RandomAutocontrast: With probability p the full range of contrast.
RandomChoice: One of the transforms.
RandomCrop: Cuts out a part at random.
RandomEqualize: With probability p an even histogram.
RandomErasing: With probability p erases a rectangle.
RandomGrayscale: With probability p without colour.
RandomHorizontalFlip: With probability p mirrored left to right.
RandomInvert: With probability p the negative.
RandomOrder: The transforms in random order.
RandomPerspective: With probability p in another perspective.
RandomPosterize: With probability p with fewer bits.
RandomResizedCrop: A random part, scaled to a size.
RandomRotation: Turns by a random angle.
RandomSolarize: With probability p inverts what is brighter than the threshold.
RandomVerticalFlip: With probability p mirrored top to bottom.
Resize: Scales to a size; one number: the shorter side.
TenCrop: FiveCrop, and its mirror image.
ToPILImage: The tensor as a picture.
ToTensor: A float32 tensor of (channels, height, width) with values from 0 to 1.
TrivialAugmentWide: One random change of random strength (Müller and Hutter 2021).
]]
spaces["torch.vision.transforms.v2"] = [[
AugMix: Chains of random changes, mixed with the picture (Hendrycks et al. 2020).
AutoAugment: Two changes, drawn from the policies that were found for a set (Cubuk et al. 2019).
RandAugment: Random changes of one strength (Cubuk et al. 2019).
TrivialAugmentWide: One random change of random strength (Müller and Hutter 2021).
CutMix: Boxes of a batch's pictures come from their neighbours, and labels by their share (Yun et al. 2019).
GaussianNoise: Adds noise.
MixUp: A batch's pictures and labels, each mixed with its neighbour's (Zhang et al. 2018).
Identity: The input.
RGB: Three channels.
ToDtype: Another dtype; scale: the values scaled to its range.
ToImage: The picture as a tensor of (channels, height, width).
Transform(): The base of transforms: extend it.
]]
spaces["torch.vision.transforms.functional"] = [[
adjust_brightness: Brighter or darker by a factor.
adjust_contrast: More or less contrast, by a factor.
adjust_gamma: Gamma correction: gain * x ^ gamma.
adjust_hue: The hue moved by a part of the circle, from -0.5 to 0.5.
adjust_saturation: More or less saturated, by a factor.
adjust_sharpness: Sharper or more blurred, by a factor.
affine: Turned, moved, scaled and sheared.
autocontrast: With the full range of contrast.
center_crop: The middle.
convert_image_dtype: Another dtype, the values scaled to its range.
crop: The part with this corner, height and width.
elastic_transform: The points moved by a displacement.
equalize: With an even histogram.
erase: A rectangle set to a value.
five_crop: The four corners and the middle.
gaussian_blur: Blurred.
get_dimensions: Channels, height and width.
get_image_num_channels: The number of channels.
get_image_size: Width and height.
hflip: Mirrored left to right.
invert: The negative.
normalize: (x - mean) / std for each channel.
pad: With a border.
perspective: In the perspective that moves four points to four others.
posterize: With fewer bits.
resize: Scaled to a size.
resized_crop: A part, scaled to a size.
rgb_to_grayscale: Without colour.
rotate: Turned by an angle, in degrees.
solarize: What is brighter than the threshold inverted.
to_grayscale: Without colour.
vflip: Mirrored top to bottom.
]]
spaces["torch.vision.transforms.v2.functional"] = [[
get_size: Height and width.
horizontal_flip: Mirrored left to right.
to_image: The picture as a tensor of (channels, height, width).
vertical_flip: Mirrored top to bottom.
]]
spaces["torch.vision.utils"] = [[
draw_bounding_boxes: The picture with boxes drawn into it.
draw_segmentation_masks: The picture with masks laid over it.
make_grid: Pictures of a batch in one, in rows.
save_image: Writes pictures of a batch into one file.
]]

return spaces
