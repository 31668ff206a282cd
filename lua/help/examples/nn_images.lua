-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.nn.AdaptiveAvgPool1d
> torch.nn.AdaptiveAvgPool1d(2)(torch.arange(6.):reshape(1, 1, 6))
tensor([[[1., 4.]]])

?torch.nn.AdaptiveAvgPool2d
> torch.nn.AdaptiveAvgPool2d({1, 1})(torch.zeros(4, 8, 7, 5)).shape
torch.Size([4, 8, 1, 1])

?torch.nn.AdaptiveAvgPool3d
> torch.nn.AdaptiveAvgPool3d({2, 3, 4})(torch.zeros(1, 2, 4, 6, 8)).shape
torch.Size([1, 2, 2, 3, 4])

?torch.nn.AdaptiveMaxPool1d
> torch.nn.AdaptiveMaxPool1d(2)(torch.arange(6.):reshape(1, 1, 6))
tensor([[[2., 5.]]])

?torch.nn.AdaptiveMaxPool2d
> torch.nn.AdaptiveMaxPool2d(2)(torch.arange(16.):reshape(1, 1, 4, 4))
tensor([[[[ 5.,  7.],
          [13., 15.]]]])

?torch.nn.AdaptiveMaxPool3d
> torch.nn.AdaptiveMaxPool3d(2)(torch.zeros(1, 2, 4, 6, 8)).shape
torch.Size([1, 2, 2, 2, 2])

?torch.nn.AvgPool1d
> torch.nn.AvgPool1d(2)(torch.arange(6.):reshape(1, 1, 6))
tensor([[[0.5000, 2.5000, 4.5000]]])

?torch.nn.AvgPool2d
> torch.nn.AvgPool2d(2)(torch.arange(16.):reshape(1, 1, 4, 4))
tensor([[[[ 2.5000,  4.5000],
          [10.5000, 12.5000]]]])

?torch.nn.AvgPool3d
> torch.nn.AvgPool3d(2)(torch.zeros(1, 2, 4, 6, 8)).shape
torch.Size([1, 2, 2, 3, 4])

?torch.nn.CircularPad1d
> torch.nn.CircularPad1d(1)(torch.tensor{{1., 2., 3.}})
tensor([[3., 1., 2., 3., 1.]])

?torch.nn.CircularPad2d
> torch.nn.CircularPad2d(1)(torch.tensor{{{1., 2.}, {3., 4.}}})
tensor([[[4., 3., 4., 3.],
         [2., 1., 2., 1.],
         [4., 3., 4., 3.],
         [2., 1., 2., 1.]]])

?torch.nn.CircularPad3d
> torch.nn.CircularPad3d(1)(torch.zeros(1, 2, 2, 2)).shape
torch.Size([1, 4, 4, 4])

?torch.nn.ConstantPad1d
> torch.nn.ConstantPad1d({1, 2}, 7)(torch.tensor{{1., 2.}})
tensor([[7., 1., 2., 7., 7.]])

?torch.nn.ConstantPad2d
> torch.nn.ConstantPad2d(1, 7)(torch.tensor{{{1., 2.}}})
tensor([[[7., 7., 7., 7.],
         [7., 1., 2., 7.],
         [7., 7., 7., 7.]]])

?torch.nn.ConstantPad3d
> torch.nn.ConstantPad3d(1, 7)(torch.zeros(1, 2, 2, 2)).shape
torch.Size([1, 4, 4, 4])

?torch.nn.Conv1d
> torch.nn.Conv1d(3, 8, 5)(torch.zeros(2, 3, 20)).shape
torch.Size([2, 8, 16])

?torch.nn.Conv2d
> torch.nn.Conv2d(3, 8, {kernel_size = 3, padding = 1})(torch.zeros(1, 3, 16, 16)).shape
torch.Size([1, 8, 16, 16])
> torch.nn.Conv2d(3, 8, 3, {stride = 2, padding = "valid"})
Conv2d(3, 8, kernel_size=(3, 3), stride=(2, 2), padding=valid)

?torch.nn.Conv3d
> torch.nn.Conv3d(3, 8, 3)(torch.zeros(1, 3, 8, 8, 8)).shape
torch.Size([1, 8, 6, 6, 6])

?torch.nn.ConvTranspose1d
> torch.nn.ConvTranspose1d(3, 8, 4, {stride = 2, padding = 1})(torch.zeros(1, 3, 10)).shape
torch.Size([1, 8, 20])

?torch.nn.ConvTranspose2d
> torch.nn.ConvTranspose2d(3, 8, 4, {stride = 2, padding = 1})(torch.zeros(1, 3, 16, 16)).shape
torch.Size([1, 8, 32, 32])

?torch.nn.ConvTranspose3d
> torch.nn.ConvTranspose3d(3, 8, 2, {stride = 2})(torch.zeros(1, 3, 4, 4, 4)).shape
torch.Size([1, 8, 8, 8, 8])

?torch.nn.Fold
> torch.nn.Fold({4, 4}, {2, 2}, {stride = 2})(torch.zeros(1, 12, 4)).shape
torch.Size([1, 3, 4, 4])

?torch.nn.FractionalMaxPool2d
> torch.nn.FractionalMaxPool2d(2, {output_size = {5, 5}})(torch.zeros(1, 2, 9, 9)).shape
torch.Size([1, 2, 5, 5])

?torch.nn.FractionalMaxPool3d
> torch.nn.FractionalMaxPool3d(2, {output_ratio = {0.5, 0.5, 0.5}})(torch.zeros(1, 2, 8, 8, 8)).shape
torch.Size([1, 2, 4, 4, 4])

?torch.nn.LPPool1d
> torch.nn.LPPool1d(2, 2)(torch.tensor{{3., 4., 6., 8.}})
tensor([[ 5., 10.]])

?torch.nn.LPPool2d
> torch.nn.LPPool2d(2, 2)(torch.tensor{{{3., 4.}, {0., 0.}}})
tensor([[[5.]]])

?torch.nn.LPPool3d
> torch.nn.LPPool3d(2, 2)(torch.ones(1, 2, 4, 4, 4)).shape
torch.Size([1, 2, 2, 2, 2])

?torch.nn.LazyConv1d
> m = torch.nn.LazyConv1d(8, 5)
> m(torch.zeros(2, 3, 20)).shape
torch.Size([2, 8, 16])
> m
Conv1d(3, 8, kernel_size=(5,), stride=(1,))

?torch.nn.LazyConv2d
> m = torch.nn.LazyConv2d(8, 3)
> m(torch.zeros(1, 3, 16, 16)).shape
torch.Size([1, 8, 14, 14])
> m
Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1))

?torch.nn.LazyConv3d
> m = torch.nn.LazyConv3d(8, 3)
> m(torch.zeros(1, 3, 8, 8, 8)).shape
torch.Size([1, 8, 6, 6, 6])
> m
Conv3d(3, 8, kernel_size=(3, 3, 3), stride=(1, 1, 1))

?torch.nn.LazyConvTranspose1d
> m = torch.nn.LazyConvTranspose1d(8, 4)
> m(torch.zeros(1, 3, 10)).shape
torch.Size([1, 8, 13])
> m
ConvTranspose1d(3, 8, kernel_size=(4,), stride=(1,))

?torch.nn.LazyConvTranspose2d
> m = torch.nn.LazyConvTranspose2d(8, 4)
> m(torch.zeros(1, 3, 16, 16)).shape
torch.Size([1, 8, 19, 19])
> m
ConvTranspose2d(3, 8, kernel_size=(4, 4), stride=(1, 1))

?torch.nn.LazyConvTranspose3d
> m = torch.nn.LazyConvTranspose3d(8, 2)
> m(torch.zeros(1, 3, 4, 4, 4)).shape
torch.Size([1, 8, 5, 5, 5])
> m
ConvTranspose3d(3, 8, kernel_size=(2, 2, 2), stride=(1, 1, 1))

?torch.nn.MaxPool1d
> torch.nn.MaxPool1d(2)(torch.tensor{{1., 3., 2., 0.}})
tensor([[3., 2.]])

?torch.nn.MaxPool2d
> torch.nn.MaxPool2d(2)(torch.arange(16.):reshape(1, 1, 4, 4))
tensor([[[[ 5.,  7.],
          [13., 15.]]]])

?torch.nn.MaxPool3d
> torch.nn.MaxPool3d(2)(torch.zeros(1, 2, 4, 4, 4)).shape
torch.Size([1, 2, 2, 2, 2])

?torch.nn.PixelShuffle
> torch.nn.PixelShuffle(2)(torch.arange(4.):reshape(1, 4, 1, 1))
tensor([[[[0., 1.],
          [2., 3.]]]])

?torch.nn.PixelUnshuffle
> torch.nn.PixelUnshuffle(2)(torch.arange(4.):reshape(1, 1, 2, 2)).shape
torch.Size([1, 4, 1, 1])

?torch.nn.ReflectionPad1d
> torch.nn.ReflectionPad1d(1)(torch.tensor{{1., 2., 3.}})
tensor([[2., 1., 2., 3., 2.]])

?torch.nn.ReflectionPad2d
> torch.nn.ReflectionPad2d(1)(torch.tensor{{{1., 2.}, {3., 4.}}})
tensor([[[4., 3., 4., 3.],
         [2., 1., 2., 1.],
         [4., 3., 4., 3.],
         [2., 1., 2., 1.]]])

?torch.nn.ReflectionPad3d
> torch.nn.ReflectionPad3d(1)(torch.zeros(1, 2, 2, 2)).shape
torch.Size([1, 4, 4, 4])

?torch.nn.ReplicationPad1d
> torch.nn.ReplicationPad1d(1)(torch.tensor{{1., 2., 3.}})
tensor([[1., 1., 2., 3., 3.]])

?torch.nn.ReplicationPad2d
> torch.nn.ReplicationPad2d(1)(torch.tensor{{{1., 2.}, {3., 4.}}})
tensor([[[1., 1., 2., 2.],
         [1., 1., 2., 2.],
         [3., 3., 4., 4.],
         [3., 3., 4., 4.]]])

?torch.nn.ReplicationPad3d
> torch.nn.ReplicationPad3d(1)(torch.zeros(1, 2, 2, 2)).shape
torch.Size([1, 4, 4, 4])

?torch.nn.Unfold
> torch.nn.Unfold(2)(torch.arange(9.):reshape(1, 1, 3, 3))
tensor([[[0., 1., 3., 4.],
         [1., 2., 4., 5.],
         [3., 4., 6., 7.],
         [4., 5., 7., 8.]]])

?torch.nn.Upsample
> torch.nn.Upsample({scale_factor = 2})(torch.tensor{{{1., 2.}}})
tensor([[[1., 1., 2., 2.]]])

?torch.nn.UpsamplingBilinear2d
> torch.nn.UpsamplingBilinear2d({size = {3, 3}})(torch.arange(4.):reshape(1, 1, 2, 2))
tensor([[[[0.0000, 0.5000, 1.0000],
          [1.0000, 1.5000, 2.0000],
          [2.0000, 2.5000, 3.0000]]]])

?torch.nn.UpsamplingNearest2d
> torch.nn.UpsamplingNearest2d({scale_factor = 2})(torch.arange(2.):reshape(1, 1, 1, 2))
tensor([[[[0., 0., 1., 1.],
          [0., 0., 1., 1.]]]])

?torch.nn.ZeroPad1d
> torch.nn.ZeroPad1d(1)(torch.tensor{{1., 2.}})
tensor([[0., 1., 2., 0.]])

?torch.nn.ZeroPad2d
> torch.nn.ZeroPad2d(1)(torch.tensor{{{1., 2.}}})
tensor([[[0., 0., 0., 0.],
         [0., 1., 2., 0.],
         [0., 0., 0., 0.]]])

?torch.nn.ZeroPad3d
> torch.nn.ZeroPad3d(1)(torch.zeros(1, 2, 2, 2)).shape
torch.Size([1, 4, 4, 4])
]==]
