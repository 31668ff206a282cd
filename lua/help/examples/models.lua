-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.vision.models.alexnet
> net = torch.device("meta", function() return torch.vision.models.alexnet() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
61100840

?torch.vision.models.convnext_tiny
> net = torch.device("meta", function() return torch.vision.models.convnext_tiny() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
28589128

?torch.vision.models.efficientnet_b0
> net = torch.device("meta", function() return torch.vision.models.efficientnet_b0() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
5288548

?torch.vision.models.mobilenet_v2
> net = torch.device("meta", function() return torch.vision.models.mobilenet_v2() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
3504872

?torch.vision.models.mobilenet_v3_large
> net = torch.device("meta", function() return torch.vision.models.mobilenet_v3_large() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
5483032

?torch.vision.models.mobilenet_v3_small
> net = torch.device("meta", function() return torch.vision.models.mobilenet_v3_small() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
2542856

?torch.vision.models.resnet
> torch.vision.models.resnet.resnet18 == torch.vision.models.resnet18
true

?torch.vision.models.resnet101
> net = torch.device("meta", function() return torch.vision.models.resnet101() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
44549160

?torch.vision.models.resnet152
> net = torch.device("meta", function() return torch.vision.models.resnet152() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
60192808

?torch.vision.models.resnet18
> net = torch.device("meta", function() return torch.vision.models.resnet18() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
11689512

?torch.vision.models.resnet34
> net = torch.device("meta", function() return torch.vision.models.resnet34() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
21797672

?torch.vision.models.resnet50
> net = torch.device("meta", function() return torch.vision.models.resnet50() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
25557032

?torch.vision.models.resnext50_32x4d
> net = torch.device("meta", function() return torch.vision.models.resnext50_32x4d() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
25028904

?torch.vision.models.vgg11
> net = torch.device("meta", function() return torch.vision.models.vgg11() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
132863336

?torch.vision.models.vgg11_bn
> net = torch.device("meta", function() return torch.vision.models.vgg11_bn() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
132868840

?torch.vision.models.vgg13
> net = torch.device("meta", function() return torch.vision.models.vgg13() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
133047848

?torch.vision.models.vgg13_bn
> net = torch.device("meta", function() return torch.vision.models.vgg13_bn() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
133053736

?torch.vision.models.vgg16
> net = torch.device("meta", function() return torch.vision.models.vgg16() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
138357544

?torch.vision.models.vgg16_bn
> net = torch.device("meta", function() return torch.vision.models.vgg16_bn() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
138365992

?torch.vision.models.vgg19
> net = torch.device("meta", function() return torch.vision.models.vgg19() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
143667240

?torch.vision.models.vgg19_bn
> net = torch.device("meta", function() return torch.vision.models.vgg19_bn() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
143678248

?torch.vision.models.vit_b_16
> net = torch.device("meta", function() return torch.vision.models.vit_b_16() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
86567656

?torch.vision.models.wide_resnet101_2
> net = torch.device("meta", function() return torch.vision.models.wide_resnet101_2() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
126886696

?torch.vision.models.wide_resnet50_2
> net = torch.device("meta", function() return torch.vision.models.wide_resnet50_2() end)
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
68883240

?torch.vision.models.AlexNet
> net = torch.device("meta", function() return torch.vision.models.alexnet() end)
> net:isinstance(torch.vision.models.AlexNet)
true

?torch.vision.models.ConvNeXt
> net = torch.device("meta", function() return torch.vision.models.convnext_tiny() end)
> net:isinstance(torch.vision.models.ConvNeXt)
true

?torch.vision.models.EfficientNet
> net = torch.device("meta", function() return torch.vision.models.efficientnet_b0() end)
> net:isinstance(torch.vision.models.EfficientNet)
true

?torch.vision.models.MobileNetV2
> net = torch.device("meta", function() return torch.vision.models.mobilenet_v2() end)
> net:isinstance(torch.vision.models.MobileNetV2)
true

?torch.vision.models.MobileNetV3
> net = torch.device("meta", function() return torch.vision.models.mobilenet_v3_small() end)
> net:isinstance(torch.vision.models.MobileNetV3)
true

?torch.vision.models.ResNet
> net = torch.device("meta", function() return torch.vision.models.resnet18() end)
> net:isinstance(torch.vision.models.ResNet)
true

?torch.vision.models.VGG
> net = torch.device("meta", function() return torch.vision.models.vgg11() end)
> net:isinstance(torch.vision.models.VGG)
true

?torch.vision.models.VisionTransformer
> net = torch.device("meta", function() return torch.vision.models.vit_b_16() end)
> net:isinstance(torch.vision.models.VisionTransformer)
true

?torch.vision.models.lenet torch.vision.models.LeNet
> net = torch.vision.models.lenet()
> net(torch.zeros(1, 1, 28, 28)).shape
torch.Size([1, 10])
> net:isinstance(torch.vision.models.LeNet)
true

?torch.vision.models.BasicBlock
> torch.vision.models.BasicBlock(8, 8)(torch.zeros(1, 8, 4, 4)).shape
torch.Size([1, 8, 4, 4])

?torch.vision.models.Bottleneck
> torch.vision.models.Bottleneck(32, 8)(torch.zeros(1, 32, 4, 4)).shape
torch.Size([1, 32, 4, 4])

?torch.vision.models.get_model
> net = torch.vision.models.get_model("mobilenet_v3_small", {num_classes = 10})
> net:eval()(torch.zeros(1, 3, 64, 64)).shape
torch.Size([1, 10])

?torch.vision.models
> net = torch.vision.models.resnet18{num_classes = 10}
> net:eval()(torch.zeros(1, 3, 64, 64)).shape
torch.Size([1, 10])
]==]
