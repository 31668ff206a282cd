-- Examples, told in lua/help_example.lua.
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

?torch.nn.AdaptiveLogSoftmaxWithLoss
> m = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 20, {cutoffs = {5, 10}})
> output, loss = m(torch.ones(4, 16), torch.tensor{0, 3, 8, 19})
> output.shape, loss.shape
torch.Size([4])	torch.Size([])

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

?torch.nn.AlphaDropout
> torch.manual_seed(0);
> torch.nn.AlphaDropout(0.5)(torch.ones(4))
tensor([-0.7792, -0.7792,  1.6656, -0.7792])

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

?torch.nn.BCELoss
> torch.nn.BCELoss()(torch.tensor{0.9, 0.2}, torch.tensor{1., 0.})
tensor(0.1643)

?torch.nn.BCEWithLogitsLoss
> torch.nn.BCEWithLogitsLoss()(torch.tensor{2., -1.}, torch.tensor{1., 0.})
tensor(0.2201)

?torch.nn.BatchNorm1d
> m = torch.nn.BatchNorm1d(2)
> m(torch.tensor{{1., 10.}, {3., 30.}}):detach()
tensor([[-1.0000, -1.0000],
        [ 1.0000,  1.0000]])
> m.running_mean
tensor([0.2000, 2.0000])

?torch.nn.BatchNorm2d
> m = torch.nn.BatchNorm2d(3)
> m(torch.zeros(4, 3, 8, 8)).shape
torch.Size([4, 3, 8, 8])
> #m.running_var
3

?torch.nn.BatchNorm3d
> torch.nn.BatchNorm3d(3)(torch.zeros(4, 3, 2, 8, 8)).shape
torch.Size([4, 3, 2, 8, 8])

?torch.nn.Bilinear
> torch.nn.Bilinear(3, 4, 2)(torch.ones(5, 3), torch.ones(5, 4)).shape
torch.Size([5, 2])

?torch.nn.Buffer
> m = torch.nn.Identity()
> m.mean = torch.nn.Buffer(torch.zeros(2))
> m:state_dict()
OrderedDict([('mean', tensor([0., 0.]))])

?torch.nn.CELU
> torch.nn.CELU()(torch.tensor{-1., 0., 2.})
tensor([-0.6321,  0.0000,  2.0000])

?torch.nn.CTCLoss
> log_probs = torch.zeros(5, 1, 3):log_softmax(2)
> torch.nn.CTCLoss()(log_probs, torch.tensor{{1, 2}}, torch.tensor{5}, torch.tensor{2})
tensor(0.9689)

?torch.nn.ChannelShuffle
> torch.nn.ChannelShuffle(2)(torch.arange(4.):reshape(1, 4, 1, 1)):flatten()
tensor([0., 2., 1., 3.])

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

?torch.nn.Container
> net = torch.nn.Container()
> net:isinstance(torch.nn.Module)
true

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

?torch.nn.CosineEmbeddingLoss
> torch.nn.CosineEmbeddingLoss()(torch.tensor{{1., 0.}}, torch.tensor{{1., 1.}}, torch.tensor{1})
tensor(0.2929)

?torch.nn.CosineSimilarity
> torch.nn.CosineSimilarity()(torch.tensor{{1., 0.}}, torch.tensor{{1., 1.}})
tensor([0.7071])

?torch.nn.CrossEntropyLoss
> loss = torch.nn.CrossEntropyLoss()
> loss(torch.tensor{{2., 0.}}, torch.tensor{0})
tensor(0.1269)

?torch.nn.CrossMapLRN2d
> torch.nn.CrossMapLRN2d(2)(torch.zeros(1, 3, 4, 4)).shape
torch.Size([1, 3, 4, 4])

?torch.nn.DataParallel
> net = torch.nn.DataParallel(torch.nn.Linear(2, 1))
> net(torch.zeros(4, 2)).shape
torch.Size([4, 1])

?torch.nn.Dropout
> torch.manual_seed(0);
> m = torch.nn.Dropout(0.5)
> m(torch.ones(5))
tensor([0., 0., 2., 0., 0.])
> m:eval()
Dropout(p=0.5, inplace=False)
> m(torch.ones(5))
tensor([1., 1., 1., 1., 1.])

?torch.nn.Dropout1d
> torch.manual_seed(0);
> torch.nn.Dropout1d(0.5)(torch.ones(1, 3, 2))
tensor([[[0., 0.],
         [0., 0.],
         [2., 2.]]])

?torch.nn.Dropout2d
> torch.manual_seed(0);
> torch.nn.Dropout2d(0.5)(torch.ones(1, 3, 1, 2))
tensor([[[[0., 0.]],

         [[0., 0.]],

         [[2., 2.]]]])

?torch.nn.Dropout3d
> torch.manual_seed(0);
> torch.nn.Dropout3d(0.5)(torch.ones(1, 3, 1, 1, 2))
tensor([[[[[0., 0.]]],


         [[[0., 0.]]],


         [[[2., 2.]]]]])

?torch.nn.ELU
> torch.nn.ELU()(torch.tensor{-1., 0., 2.})
tensor([-0.6321,  0.0000,  2.0000])

?torch.nn.Embedding
> torch.manual_seed(0);
> torch.nn.Embedding(10, 3)(torch.tensor{1, 2, 1}):detach()
tensor([[-0.4339,  0.8487,  0.6920],
        [-0.3160, -2.1152,  0.3223],
        [-0.4339,  0.8487,  0.6920]])
> torch.nn.Embedding.from_pretrained(torch.tensor{{1., 2.}, {3., 4.}})(torch.tensor{1})
tensor([[3., 4.]])

?torch.nn.EmbeddingBag
> m = torch.nn.EmbeddingBag(10, 3, {mode = "sum"})
> m(torch.tensor{{1, 2, 4}, {4, 3, 2}}).shape
torch.Size([2, 3])

?torch.nn.FeatureAlphaDropout
> torch.manual_seed(0);
> torch.nn.FeatureAlphaDropout(0.5)(torch.ones(1, 3, 2))
tensor([[[-0.7792, -0.7792],
         [-0.7792, -0.7792],
         [ 1.6656,  1.6656]]])

?torch.nn.Flatten
> torch.nn.Flatten()(torch.zeros(4, 3, 2)).shape
torch.Size([4, 6])

?torch.nn.Fold
> torch.nn.Fold({4, 4}, {2, 2}, {stride = 2})(torch.zeros(1, 12, 4)).shape
torch.Size([1, 3, 4, 4])

?torch.nn.FractionalMaxPool2d
> torch.nn.FractionalMaxPool2d(2, {output_size = {5, 5}})(torch.zeros(1, 2, 9, 9)).shape
torch.Size([1, 2, 5, 5])

?torch.nn.FractionalMaxPool3d
> torch.nn.FractionalMaxPool3d(2, {output_ratio = {0.5, 0.5, 0.5}})(torch.zeros(1, 2, 8, 8, 8)).shape
torch.Size([1, 2, 4, 4, 4])

?torch.nn.GELU
> torch.nn.GELU()(torch.tensor{-1., 0., 2.})
tensor([-0.1587,  0.0000,  1.9545])

?torch.nn.GLU
> torch.nn.GLU()(torch.tensor{1., 2., 0., 0.})
tensor([0.5000, 1.0000])

?torch.nn.GRU
> m = torch.nn.GRU(4, 8)
> output, h = m(torch.zeros(5, 2, 4))
> output.shape, h.shape
torch.Size([5, 2, 8])	torch.Size([1, 2, 8])

?torch.nn.GRUCell
> m = torch.nn.GRUCell(4, 8)
> h = torch.zeros(2, 8)
> m(torch.zeros(2, 4), h).shape
torch.Size([2, 8])

?torch.nn.GaussianNLLLoss
> torch.nn.GaussianNLLLoss()(torch.tensor{1., 2.}, torch.tensor{1., 4.}, torch.tensor{1., 1.})
tensor(1.)

?torch.nn.GroupNorm
> torch.nn.GroupNorm(2, 4)(torch.tensor{{1., 3., 10., 30.}}):detach()
tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])

?torch.nn.Hardshrink
> torch.nn.Hardshrink()(torch.tensor{-1., 0.2, 2.})
tensor([-1.,  0.,  2.])

?torch.nn.Hardsigmoid
> torch.nn.Hardsigmoid()(torch.tensor{-4., 0., 1.})
tensor([0.0000, 0.5000, 0.6667])

?torch.nn.Hardswish
> torch.nn.Hardswish()(torch.tensor{-4., 0., 1.})
tensor([-0.0000, 0.0000, 0.6667])

?torch.nn.Hardtanh
> torch.nn.Hardtanh()(torch.tensor{-4., 0.5, 2.})
tensor([-1.0000,  0.5000,  1.0000])

?torch.nn.HingeEmbeddingLoss
> torch.nn.HingeEmbeddingLoss()(torch.tensor{0.2, 0.4}, torch.tensor{1, -1})
tensor(0.4000)

?torch.nn.HuberLoss
> torch.nn.HuberLoss()(torch.tensor{0., 0.}, torch.tensor{0.5, 3.})
tensor(1.3125)

?torch.nn.Identity
> torch.nn.Identity()(torch.tensor{1., 2.})
tensor([1., 2.])

?torch.nn.InstanceNorm1d
> torch.nn.InstanceNorm1d(1)(torch.tensor{{{1., 3.}}})
tensor([[[-1.0000,  1.0000]]])

?torch.nn.InstanceNorm2d
> torch.nn.InstanceNorm2d(3)(torch.zeros(2, 3, 8, 8)).shape
torch.Size([2, 3, 8, 8])

?torch.nn.InstanceNorm3d
> torch.nn.InstanceNorm3d(3)(torch.zeros(2, 3, 4, 8, 8)).shape
torch.Size([2, 3, 4, 8, 8])

?torch.nn.KLDivLoss
> torch.nn.KLDivLoss({reduction = "batchmean"})(torch.tensor{{0.5, 0.5}}:log(), torch.tensor{{0.9, 0.1}})
tensor(0.3681)

?torch.nn.L1Loss
> torch.nn.L1Loss()(torch.tensor{1., 2.}, torch.tensor{1., 4.})
tensor(1.)

?torch.nn.LPPool1d
> torch.nn.LPPool1d(2, 2)(torch.tensor{{3., 4., 6., 8.}})
tensor([[ 5., 10.]])

?torch.nn.LPPool2d
> torch.nn.LPPool2d(2, 2)(torch.tensor{{{3., 4.}, {0., 0.}}})
tensor([[[5.]]])

?torch.nn.LPPool3d
> torch.nn.LPPool3d(2, 2)(torch.ones(1, 2, 4, 4, 4)).shape
torch.Size([1, 2, 2, 2, 2])

?torch.nn.LSTM
> m = torch.nn.LSTM(4, 8, {batch_first = true})
> output, state = m(torch.zeros(2, 5, 4))
> output.shape, state[1].shape, state[2].shape
torch.Size([2, 5, 8])	torch.Size([1, 2, 8])	torch.Size([1, 2, 8])

?torch.nn.LSTMCell
> m = torch.nn.LSTMCell(4, 8)
> h, c = m(torch.zeros(2, 4))
> h.shape, c.shape
torch.Size([2, 8])	torch.Size([2, 8])

?torch.nn.LayerNorm
> torch.nn.LayerNorm(2)(torch.tensor{{1., 3.}, {10., 30.}}):detach()
tensor([[-1.0000,  1.0000],
        [-1.0000,  1.0000]])

?torch.nn.LazyBatchNorm1d
> m = torch.nn.LazyBatchNorm1d()
> m(torch.zeros(4, 3)).shape
torch.Size([4, 3])
> m
BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)

?torch.nn.LazyBatchNorm2d
> m = torch.nn.LazyBatchNorm2d()
> m(torch.zeros(4, 3, 8, 8)).shape
torch.Size([4, 3, 8, 8])
> m
BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)

?torch.nn.LazyBatchNorm3d
> m = torch.nn.LazyBatchNorm3d()
> m(torch.zeros(4, 3, 2, 8, 8)).shape
torch.Size([4, 3, 2, 8, 8])
> m
BatchNorm3d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)

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

?torch.nn.LazyInstanceNorm1d
> m = torch.nn.LazyInstanceNorm1d()
> m(torch.zeros(2, 3, 8)).shape
torch.Size([2, 3, 8])
> m
InstanceNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)

?torch.nn.LazyInstanceNorm2d
> m = torch.nn.LazyInstanceNorm2d()
> m(torch.zeros(2, 3, 8, 8)).shape
torch.Size([2, 3, 8, 8])
> m
InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)

?torch.nn.LazyInstanceNorm3d
> m = torch.nn.LazyInstanceNorm3d()
> m(torch.zeros(2, 3, 4, 8, 8)).shape
torch.Size([2, 3, 4, 8, 8])
> m
InstanceNorm3d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)

?torch.nn.LazyLinear
> m = torch.nn.LazyLinear(2)
> m(torch.zeros(5, 3)).shape
torch.Size([5, 2])
> m
Linear(in_features=3, out_features=2, bias=True)

?torch.nn.LeakyReLU
> torch.nn.LeakyReLU(0.1)(torch.tensor{-1., 0., 2.})
tensor([-0.1000,  0.0000,  2.0000])

?torch.nn.Linear
> m = torch.nn.Linear(3, 2)
> m(torch.ones(5, 3)).shape
torch.Size([5, 2])
> m.weight.shape, m.bias.shape
torch.Size([2, 3])	torch.Size([2])

?torch.nn.LinearCrossEntropyLoss
> m = torch.nn.LinearCrossEntropyLoss(4, 10)
> m(torch.ones(2, 4), torch.tensor{3, 7}).shape
torch.Size([])

?torch.nn.LinearCrossEntropyOptions
> torch.nn.LinearCrossEntropyOptions().chunking_method
"auto"

?torch.nn.LocalResponseNorm
> torch.nn.LocalResponseNorm(2)(torch.ones(1, 3, 2))
tensor([[[1.0000, 1.0000],
         [0.9999, 0.9999],
         [0.9999, 0.9999]]])

?torch.nn.LogSigmoid
> torch.nn.LogSigmoid()(torch.tensor{-1., 0., 2.})
tensor([-1.3133, -0.6931, -0.1269])

?torch.nn.LogSoftmax
> torch.nn.LogSoftmax(0)(torch.tensor{0., 1., 2.})
tensor([-2.4076, -1.4076, -0.4076])

?torch.nn.MSELoss
> torch.nn.MSELoss()(torch.tensor{1., 2.}, torch.tensor{1., 4.})
tensor(2.)

?torch.nn.MarginRankingLoss
> torch.nn.MarginRankingLoss()(torch.tensor{0.2, 0.8}, torch.tensor{0.5, 0.5}, torch.tensor{1, 1})
tensor(0.1500)

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

?torch.nn.MaxUnpool1d
> values, indices = torch.nn.MaxPool1d(2, {return_indices = true})(torch.tensor{{1., 3., 2., 0.}})
> torch.nn.MaxUnpool1d(2)(values, indices)
tensor([[0., 3., 2., 0.]])

?torch.nn.MaxUnpool2d
> values, indices = torch.nn.MaxPool2d(2, {return_indices = true})(torch.tensor{{{1., 3.}, {2., 0.}}})
> torch.nn.MaxUnpool2d(2)(values, indices)
tensor([[[0., 3.],
         [0., 0.]]])

?torch.nn.MaxUnpool3d
> values, indices = torch.nn.MaxPool3d(2, {return_indices = true})(torch.ones(1, 2, 2, 2))
> torch.nn.MaxUnpool3d(2)(values, indices).shape
torch.Size([1, 2, 2, 2])

?torch.nn.Mish
> torch.nn.Mish()(torch.tensor{-1., 0., 2.})
tensor([-0.3034,  0.0000,  1.9440])

?torch.nn.Module
> Net = torch.nn.Module:extend "Net"
> function Net:init() self.fc = torch.nn.Linear(3, 2) end
> function Net:forward(x) return self.fc(x) end
> net = Net()
> net(torch.zeros(5, 3)).shape
torch.Size([5, 2])
> net
Net(
  (fc): Linear(in_features=3, out_features=2, bias=True)
)

?torch.nn.ModuleDict
> m = torch.nn.ModuleDict({{"linear", torch.nn.Linear(2, 1)}, {"act", torch.nn.ReLU()}})
> m.act
ReLU()
> m
ModuleDict(
  (linear): Linear(in_features=2, out_features=1, bias=True)
  (act): ReLU()
)

?torch.nn.ModuleList
> m = torch.nn.ModuleList({torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)})
> x = torch.zeros(4, 2)
> for i = 0, #m - 1 do x = m[i](x) end
> x.shape
torch.Size([4, 1])

?torch.nn.MultiLabelMarginLoss
> torch.nn.MultiLabelMarginLoss()(torch.tensor{{0.1, 0.8, 0.3}}, torch.tensor{{1, -1, 0}})
tensor(0.2667)

?torch.nn.MultiLabelSoftMarginLoss
> torch.nn.MultiLabelSoftMarginLoss()(torch.tensor{{1., -1., 2.}}, torch.tensor{{1., 0., 1.}})
tensor(0.2512)

?torch.nn.MultiMarginLoss
> torch.nn.MultiMarginLoss()(torch.tensor{{0.1, 0.8, 0.3}}, torch.tensor{1})
tensor(0.2667)

?torch.nn.MultiheadAttention
> m = torch.nn.MultiheadAttention(8, 2, {batch_first = true})
> x = torch.zeros(1, 5, 8)
> output, weights = m(x, x, x)
> output.shape, weights.shape
torch.Size([1, 5, 8])	torch.Size([1, 5, 5])

?torch.nn.NLLLoss
> torch.nn.NLLLoss()(torch.tensor{{-0.5, -1.}, {-2., -0.1}}, torch.tensor{0, 1})
tensor(0.3000)

?torch.nn.NLLLoss2d
> torch.nn.NLLLoss2d()(torch.zeros(1, 2, 3, 3):log_softmax(1), torch.zeros(1, 3, 3, {dtype = torch.int64}))
tensor(0.6931)

?torch.nn.PReLU
> torch.nn.PReLU()(torch.tensor{-2., 0., 3.}):detach()
tensor([-0.5000,  0.0000,  3.0000])

?torch.nn.PairwiseDistance
> torch.nn.PairwiseDistance()(torch.tensor{{0., 0.}}, torch.tensor{{3., 4.}})
tensor([5.0000])

?torch.nn.Parameter
> m = torch.nn.Identity()
> m.scale = torch.nn.Parameter(torch.ones(2))
> m:state_dict()
OrderedDict([('scale', tensor([1., 1.]))])

?torch.nn.ParameterDict
> m = torch.nn.ParameterDict({{"a", torch.nn.Parameter(torch.ones(2))}})
> m.a
Parameter containing:
tensor([1., 1.], requires_grad=True)

?torch.nn.ParameterList
> m = torch.nn.ParameterList({torch.nn.Parameter(torch.ones(2))})
> #m
1
> m[0]
Parameter containing:
tensor([1., 1.], requires_grad=True)

?torch.nn.PixelShuffle
> torch.nn.PixelShuffle(2)(torch.arange(4.):reshape(1, 4, 1, 1))
tensor([[[[0., 1.],
          [2., 3.]]]])

?torch.nn.PixelUnshuffle
> torch.nn.PixelUnshuffle(2)(torch.arange(4.):reshape(1, 1, 2, 2)).shape
torch.Size([1, 4, 1, 1])

?torch.nn.PoissonNLLLoss
> torch.nn.PoissonNLLLoss()(torch.tensor{0., 1.}, torch.tensor{1., 2.})
tensor(0.8591)

?torch.nn.RMSNorm
> torch.nn.RMSNorm(2)(torch.tensor{{3., 4.}}):detach()
tensor([[0.8485, 1.1314]])

?torch.nn.RNN
> m = torch.nn.RNN(4, 8)
> output, h = m(torch.zeros(5, 2, 4))
> output.shape, h.shape
torch.Size([5, 2, 8])	torch.Size([1, 2, 8])

?torch.nn.RNNBase
> m = torch.nn.RNNBase("GRU", 4, 8)
> m.mode, m.hidden_size
"GRU"	8

?torch.nn.RNNCell
> m = torch.nn.RNNCell(4, 8)
> m(torch.zeros(2, 4)).shape
torch.Size([2, 8])

?torch.nn.RNNCellBase
> m = torch.nn.RNNCellBase(4, 8, true, 3)
> m.weight_ih.shape
torch.Size([24, 4])

?torch.nn.RReLU
> m = torch.nn.RReLU()
> m:eval()
RReLU(lower=0.125, upper=0.3333333333333333)
> m(torch.tensor{-1., 0., 2.})
tensor([-0.2292,  0.0000,  2.0000])

?torch.nn.ReLU
> torch.nn.ReLU()(torch.tensor{-1., 2.})
tensor([0., 2.])

?torch.nn.ReLU6
> torch.nn.ReLU6()(torch.tensor{-1., 3., 8.})
tensor([0., 3., 6.])

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

?torch.nn.SELU
> torch.nn.SELU()(torch.tensor{-1., 0., 2.})
tensor([-1.1113,  0.0000,  2.1014])

?torch.nn.Sequential
> net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
> net
Sequential(
  (0): Linear(in_features=3, out_features=2, bias=True)
  (1): ReLU()
)
> net(torch.zeros(5, 3)).shape
torch.Size([5, 2])

?torch.nn.SiLU
> torch.nn.SiLU()(torch.tensor{-1., 0., 2.})
tensor([-0.2689,  0.0000,  1.7616])

?torch.nn.Sigmoid
> torch.nn.Sigmoid()(torch.tensor{-1., 0., 1.})
tensor([0.2689, 0.5000, 0.7311])

?torch.nn.SmoothL1Loss
> torch.nn.SmoothL1Loss()(torch.tensor{0., 0.}, torch.tensor{0.5, 3.})
tensor(1.3125)

?torch.nn.SoftMarginLoss
> torch.nn.SoftMarginLoss()(torch.tensor{0.5, -1.}, torch.tensor{1, -1})
tensor(0.3937)

?torch.nn.Softmax
> torch.nn.Softmax(1)(torch.tensor{{1., 2., 3.}})
tensor([[0.0900, 0.2447, 0.6652]])

?torch.nn.Softmax2d
> torch.nn.Softmax2d()(torch.zeros(1, 4, 1, 1)):flatten()
tensor([0.2500, 0.2500, 0.2500, 0.2500])

?torch.nn.Softmin
> torch.nn.Softmin(0)(torch.tensor{0., 1., 2.})
tensor([0.6652, 0.2447, 0.0900])

?torch.nn.Softplus
> torch.nn.Softplus()(torch.tensor{-1., 0., 30.})
tensor([ 0.3133,  0.6931, 30.0000])

?torch.nn.Softshrink
> torch.nn.Softshrink()(torch.tensor{-1., 0.2, 2.})
tensor([-0.5000,  0.0000,  1.5000])

?torch.nn.Softsign
> torch.nn.Softsign()(torch.tensor{-1., 0., 3.})
tensor([-0.5000,  0.0000,  0.7500])

?torch.nn.SyncBatchNorm
> m = torch.nn.SyncBatchNorm(2)
> m:eval()
SyncBatchNorm(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
> m(torch.zeros(4, 2)).shape
torch.Size([4, 2])

?torch.nn.Tanh
> torch.nn.Tanh()(torch.tensor{0., 1.})
tensor([0.0000, 0.7616])

?torch.nn.Tanhshrink
> torch.nn.Tanhshrink()(torch.tensor{-1., 0., 2.})
tensor([-0.2384,  0.0000,  1.0360])

?torch.nn.Threshold
> torch.nn.Threshold(1, 0)(torch.tensor{-1., 0.5, 3.})
tensor([0., 0., 3.])

?torch.nn.Transformer
> m = torch.nn.Transformer({d_model = 8, nhead = 2, num_encoder_layers = 1, num_decoder_layers = 1, dim_feedforward = 16})
> m(torch.zeros(10, 1, 8), torch.zeros(7, 1, 8)).shape
torch.Size([7, 1, 8])

?torch.nn.TransformerDecoder
> layer = torch.nn.TransformerDecoderLayer(8, 2, {dim_feedforward = 16})
> m = torch.nn.TransformerDecoder(layer, 2)
> m(torch.zeros(7, 1, 8), torch.zeros(10, 1, 8)).shape
torch.Size([7, 1, 8])

?torch.nn.TransformerDecoderLayer
> m = torch.nn.TransformerDecoderLayer(8, 2, {dim_feedforward = 16})
> m(torch.zeros(7, 1, 8), torch.zeros(10, 1, 8)).shape
torch.Size([7, 1, 8])

?torch.nn.TransformerEncoder
> layer = torch.nn.TransformerEncoderLayer(8, 2, {dim_feedforward = 16})
> m = torch.nn.TransformerEncoder(layer, 2)
> m(torch.zeros(10, 1, 8)).shape
torch.Size([10, 1, 8])

?torch.nn.TransformerEncoderLayer
> m = torch.nn.TransformerEncoderLayer(8, 2, {dim_feedforward = 16})
> m(torch.zeros(10, 1, 8)).shape
torch.Size([10, 1, 8])

?torch.nn.TripletMarginLoss
> torch.nn.TripletMarginLoss()(torch.tensor{{0., 0.}}, torch.tensor{{0., 1.}}, torch.tensor{{0., 1.5}})
tensor(0.5000)

?torch.nn.TripletMarginWithDistanceLoss
> distance = function(a, b) return (a - b):abs():sum(1) end
> torch.nn.TripletMarginWithDistanceLoss({distance_function = distance})(torch.tensor{{0., 0.}}, torch.tensor{{0., 1.}}, torch.tensor{{0., 1.5}})
tensor(0.5000)

?torch.nn.Unflatten
> torch.nn.Unflatten(1, {2, 3})(torch.zeros(4, 6)).shape
torch.Size([4, 2, 3])

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

?torch.nn.functional
> torch.nn.functional.relu(torch.tensor{-1., 2.})
tensor([0., 2.])

?torch.nn.init
> w = torch.empty(2, 2)
> torch.nn.init.ones_(w)
tensor([[1., 1.],
        [1., 1.]])

?torch.nn.modules
> torch.nn.modules.utils ~= nil
true

?torch.nn.modules.module torch.nn.modules.module.register_module_forward_hook torch.nn.modules.module.register_module_forward_pre_hook
> m = torch.nn.Identity()
> a = torch.nn.modules.module.register_module_forward_pre_hook(function(module, inputs) print("before", inputs[1].shape) end)
> b = torch.nn.modules.module.register_module_forward_hook(function(module, inputs, output) print("after", output.shape) end)
> m(torch.zeros(3));
before	torch.Size([3])
after	torch.Size([3])
> a:remove(); b:remove()

?torch.nn.modules.module.register_module_full_backward_hook torch.nn.modules.module.register_module_full_backward_pre_hook
> m = torch.nn.Linear(2, 1)
> a = torch.nn.modules.module.register_module_full_backward_pre_hook(function(module, grad_output) print("before", grad_output[1].shape) end)
> b = torch.nn.modules.module.register_module_full_backward_hook(function(module, grad_input, grad_output) print("after", grad_input[1].shape) end)
> m(torch.zeros(4, 2, {requires_grad = true})):sum():backward()
before	torch.Size([4, 1])
after	torch.Size([4, 2])
> a:remove(); b:remove()

?torch.nn.modules.utils torch.nn.modules.utils.consume_prefix_in_state_dict_if_present torch.nn.utils.consume_prefix_in_state_dict_if_present
> state = torch.nn.Sequential(torch.nn.Linear(2, 1)):state_dict()
> torch.nn.utils.consume_prefix_in_state_dict_if_present(state, "0.")
> for name in state:keys() do print(name) end
weight
bias

?torch.nn.Module.add_module torch.nn.Module.register_module
> net = torch.nn.Sequential()
> net:add_module("fc", torch.nn.Linear(2, 1))
> net:register_module("act", torch.nn.ReLU())
> net
Sequential(
  (fc): Linear(in_features=2, out_features=1, bias=True)
  (act): ReLU()
)

?torch.nn.Module.apply
> net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
> net:apply(function(m) print(m:_get_name()) end);
Linear
ReLU
Sequential

?torch.nn.Module.to torch.nn.Module.half torch.nn.Module.float torch.nn.Module.double torch.nn.Module.bfloat16
> net = torch.nn.Linear(2, 1)
> net:half().weight.dtype
torch.float16
> net:bfloat16().weight.dtype, net:double().weight.dtype, net:float().weight.dtype
torch.bfloat16	torch.float64	torch.float32
> net:to(torch.float64).weight.dtype
torch.float64

?torch.nn.Module.cpu torch.nn.Module.cuda
> net = torch.nn.Linear(2, 1)
> if torch.cuda.is_available() then net:cuda() end
> net:cpu().weight.device
cpu

?torch.nn.Module.buffers torch.nn.Module.named_buffers torch.nn.Module.register_buffer
> net = torch.nn.Identity()
> net:register_buffer("mean", torch.zeros(2))
> for name, b in net:named_buffers() do print(name, b) end
mean	tensor([0., 0.])
> for b in net:buffers() do print(b.shape) end
torch.Size([2])

?torch.nn.Module.children torch.nn.Module.named_children
> net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
> for child in net:children() do print(child) end
Linear(in_features=2, out_features=1, bias=True)
ReLU()
> for name, child in net:named_children() do print(name, child) end
0	Linear(in_features=2, out_features=1, bias=True)
1	ReLU()

?torch.nn.Module.modules torch.nn.Module.named_modules
> net = torch.nn.Sequential(torch.nn.Linear(2, 1))
> for m in net:modules() do print(m:_get_name()) end
Sequential
Linear
> for name, m in net:named_modules() do print(name, m:_get_name()) end
	Sequential
0	Linear

?torch.nn.Module.parameters torch.nn.Module.named_parameters
> net = torch.nn.Linear(3, 2)
> for name, p in net:named_parameters() do print(name, p.shape) end
weight	torch.Size([2, 3])
bias	torch.Size([2])
> total = 0
> for p in net:parameters() do total = total + p:numel() end
> total
8

?torch.nn.Module.deepcopy
> net = torch.nn.Linear(2, 1)
> copy = net:deepcopy()
> copy.weight:equal(net.weight), copy.weight:data_ptr() == net.weight:data_ptr()
true	false

?torch.nn.Module.eval torch.nn.Module.train
> net = torch.nn.Dropout(0.5)
> net:eval().training
false
> net(torch.ones(3))
tensor([1., 1., 1.])
> net:train().training
true

?torch.nn.Module.extend torch.nn.Module.init torch.nn.Module.isinstance
> Double = torch.nn.Module:extend "Double"
> function Double:init(factor) self.factor = factor end
> function Double:forward(x) return x * self.factor end
> m = Double(2)
> m(torch.ones(2)), m:isinstance(torch.nn.Module)
tensor([2., 2.])	true

?torch.nn.Module.extra_repr
> torch.nn.Linear(3, 2):extra_repr()
"in_features=3, out_features=2, bias=True"

?torch.nn.Module.get_buffer torch.nn.Module.get_parameter torch.nn.Module.get_submodule torch.nn.Module.set_submodule
> net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
> net:get_parameter("0.weight").shape, net:get_buffer("1.running_mean").shape
torch.Size([2, 3])	torch.Size([2])
> net:set_submodule("1", torch.nn.ReLU())
> net:get_submodule("1")
ReLU()

?torch.nn.Module.load_state_dict torch.nn.Module.state_dict
> a, b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
> a:load_state_dict(b:state_dict())
<All keys matched successfully>
> a.weight:equal(b.weight)
true
> for name, value in a:state_dict():items() do print(name, value.shape) end
weight	torch.Size([1, 2])
bias	torch.Size([1])

?torch.nn.Module.register_forward_hook torch.nn.Module.register_forward_pre_hook
> net = torch.nn.Linear(2, 1)
> net:register_forward_pre_hook(function(m, inputs) print("before", inputs[1].shape) end);
> handle = net:register_forward_hook(function(m, inputs, output) print("after", output.shape) end)
> net(torch.zeros(4, 2)).shape
before	torch.Size([4, 2])
after	torch.Size([4, 1])
torch.Size([4, 1])
> handle:remove()

?torch.nn.Module.register_full_backward_hook torch.nn.Module.register_full_backward_pre_hook
> net = torch.nn.Linear(2, 1)
> net:register_full_backward_pre_hook(function(m, grad_output) print("before", grad_output[1].shape) end);
> net:register_full_backward_hook(function(m, grad_input, grad_output) print("after", grad_input[1].shape) end);
> net(torch.zeros(4, 2, {requires_grad = true})):sum():backward()
before	torch.Size([4, 1])
after	torch.Size([4, 2])

?torch.nn.Module.register_load_state_dict_pre_hook torch.nn.Module.register_load_state_dict_post_hook
> net = torch.nn.Linear(2, 1)
> net:register_load_state_dict_pre_hook(function(m, state) print("before", state.weight.shape) end);
> net:register_load_state_dict_post_hook(function(m, keys) print("after", #keys.missing_keys) end);
> net:load_state_dict(net:state_dict());
before	torch.Size([1, 2])
after	0

?torch.nn.Module.register_state_dict_pre_hook torch.nn.Module.register_state_dict_post_hook
> net = torch.nn.Linear(2, 1)
> net:register_state_dict_pre_hook(function(m, prefix) print("before", prefix == "") end);
> net:register_state_dict_post_hook(function(m, state) print("after", state.weight.shape) end);
> net:state_dict();
before	true
after	torch.Size([1, 2])

?torch.nn.Module.register_parameter
> net = torch.nn.Identity()
> net:register_parameter("scale", torch.nn.Parameter(torch.ones(2)))
> net.scale
Parameter containing:
tensor([1., 1.], requires_grad=True)

?torch.nn.Module.requires_grad_
> net = torch.nn.Linear(2, 1)
> net:requires_grad_(false).weight.requires_grad
false

?torch.nn.Module.reset_parameters
> net = torch.nn.Linear(2, 1)
> torch.manual_seed(0); net:reset_parameters()
> w = net.weight:clone()
> torch.manual_seed(0); net:reset_parameters()
> net.weight:equal(w)
true

?torch.nn.Module.to_empty
> net = torch.device("meta", function() return torch.nn.Linear(2, 1) end)
> net:to_empty{device = "cpu"}.weight.shape
torch.Size([1, 2])

?torch.nn.Module.zero_grad
> net = torch.nn.Linear(2, 1)
> net(torch.ones(1, 2)):sum():backward()
> net.weight.grad
tensor([[1., 1.]])
> net:zero_grad()
> net.weight.grad
nil

?torch.nn.init.calculate_gain
> torch.nn.init.calculate_gain("relu")
1.4142135623730951

?torch.nn.init.constant_
> torch.nn.init.constant_(torch.empty(2, 2), 0.3)
tensor([[0.3000, 0.3000],
        [0.3000, 0.3000]])

?torch.nn.init.dirac_
> torch.nn.init.dirac_(torch.empty(2, 2, 3))
tensor([[[0., 1., 0.],
         [0., 0., 0.]],

        [[0., 0., 0.],
         [0., 1., 0.]]])

?torch.nn.init.eye_
> torch.nn.init.eye_(torch.empty(2, 3))
tensor([[1., 0., 0.],
        [0., 1., 0.]])

?torch.nn.init.kaiming_normal_
> torch.manual_seed(0);
> w = torch.nn.init.kaiming_normal_(torch.empty(100, 50), {nonlinearity = "relu"})
> w:std() - (2 / 50) ^ 0.5 < 0.01
true

?torch.nn.init.kaiming_uniform_
> torch.manual_seed(0);
> torch.nn.init.kaiming_uniform_(torch.empty(2, 3), {nonlinearity = "relu"})
tensor([[-0.0106,  0.7586, -1.1640],
        [-1.0408, -0.5447,  0.3792]])

?torch.nn.init.normal_
> torch.manual_seed(0);
> torch.nn.init.normal_(torch.empty(3), 0, 0.02)
tensor([ 0.0308, -0.0059, -0.0436])

?torch.nn.init.ones_
> torch.nn.init.ones_(torch.empty(2))
tensor([1., 1.])

?torch.nn.init.orthogonal_
> torch.manual_seed(0);
> w = torch.nn.init.orthogonal_(torch.empty(3, 3))
> torch.allclose(w:matmul(w.T), torch.eye(3), {atol = 1e-6})
true

?torch.nn.init.sparse_
> torch.manual_seed(0);
> w = torch.nn.init.sparse_(torch.empty(4, 3), 0.5)
> (w:eq(0)):sum(0)
tensor([2, 2, 2])

?torch.nn.init.trunc_normal_
> torch.manual_seed(0);
> w = torch.nn.init.trunc_normal_(torch.empty(1000), {a = -1, b = 1})
> w:abs():max():item() <= 1
true

?torch.nn.init.uniform_
> torch.manual_seed(0);
> torch.nn.init.uniform_(torch.empty(3), -1, 1)
tensor([-0.0075,  0.5364, -0.8230])

?torch.nn.init.xavier_normal_
> torch.manual_seed(0);
> torch.nn.init.xavier_normal_(torch.empty(2, 3))
tensor([[ 0.9746, -0.1856, -1.3780],
        [ 0.3595, -0.6859, -0.8845]])

?torch.nn.init.xavier_uniform_
> torch.manual_seed(0);
> torch.nn.init.xavier_uniform_(torch.empty(2, 3))
tensor([[-0.0082,  0.5876, -0.9016],
        [-0.8062, -0.4219,  0.2938]])

?torch.nn.init.zeros_
> torch.nn.init.zeros_(torch.empty(2))
tensor([0., 0.])
]==]
