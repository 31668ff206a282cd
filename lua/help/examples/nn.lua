-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.nn.AlphaDropout
> torch.manual_seed(0);
> torch.nn.AlphaDropout(0.5)(torch.ones(4))
tensor([-0.7792, -0.7792,  1.6656, -0.7792])

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

?torch.nn.ChannelShuffle
> torch.nn.ChannelShuffle(2)(torch.arange(4.):reshape(1, 4, 1, 1)):flatten()
tensor([0., 2., 1., 3.])

?torch.nn.Container
> net = torch.nn.Container()
> net:isinstance(torch.nn.Module)
true

?torch.nn.CosineSimilarity
> torch.nn.CosineSimilarity()(torch.tensor{{1., 0.}}, torch.tensor{{1., 1.}})
tensor([0.7071])

?torch.nn.CrossMapLRN2d
> torch.nn.CrossMapLRN2d(2)(torch.zeros(1, 3, 4, 4)).shape
torch.Size([1, 3, 4, 4])

?torch.nn.DataParallel torch.nn.parallel.DataParallel
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

?torch.nn.MultiheadAttention
> m = torch.nn.MultiheadAttention(8, 2, {batch_first = true})
> x = torch.zeros(1, 5, 8)
> output, weights = m(x, x, x)
> output.shape, weights.shape
torch.Size([1, 5, 8])	torch.Size([1, 5, 5])

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

?torch.nn.Unflatten
> torch.nn.Unflatten(1, {2, 3})(torch.zeros(4, 6)).shape
torch.Size([4, 2, 3])

?torch.nn.UninitializedBuffer
> p = torch.nn.UninitializedBuffer()
> p
<UninitializedBuffer>
> p:materialize{2, 3}
> p.shape, torch.nn.parameter.is_lazy(p)
torch.Size([2, 3])	false

?torch.nn.UninitializedParameter
> p = torch.nn.UninitializedParameter()
> p
<UninitializedParameter>
> p:materialize{2, 3}
> p.shape, torch.nn.parameter.is_lazy(p)
torch.Size([2, 3])	false

?torch.nn.functional
> torch.nn.functional.relu(torch.tensor{-1., 2.})
tensor([0., 2.])

?torch.nn.parameter
> torch.nn.parameter.is_lazy(torch.nn.LazyLinear(2).weight)
true

?torch.nn.parameter.Buffer
> m = torch.nn.Module()
> m.mean = torch.nn.parameter.Buffer(torch.zeros(2))
> m:state_dict()
OrderedDict([('mean', tensor([0., 0.]))])

?torch.nn.parameter.Parameter
> torch.nn.parameter.Parameter(torch.ones(2))
Parameter containing:
tensor([1., 1.], requires_grad=True)

?torch.nn.parameter.UninitializedBuffer
> p = torch.nn.parameter.UninitializedBuffer()
> p
<UninitializedBuffer>
> p:materialize{2, 3}
> p.shape, torch.nn.parameter.is_lazy(p)
torch.Size([2, 3])	false

?torch.nn.parameter.UninitializedParameter
> p = torch.nn.parameter.UninitializedParameter()
> p
<UninitializedParameter>
> p:materialize{2, 3}
> p.shape, torch.nn.parameter.is_lazy(p)
torch.Size([2, 3])	false

?torch.nn.parameter.is_lazy
> torch.nn.parameter.is_lazy(torch.nn.Linear(2, 2).weight), torch.nn.parameter.is_lazy(torch.nn.LazyLinear(2).weight)
false	true
]==]
