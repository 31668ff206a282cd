-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.nn.AdaptiveLogSoftmaxWithLoss
> m = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 20, {cutoffs = {5, 10}})
> output, loss = m(torch.ones(4, 16), torch.tensor{0, 3, 8, 19})
> output.shape, loss.shape
torch.Size([4])	torch.Size([])

?torch.nn.BCELoss
> torch.nn.BCELoss()(torch.tensor{0.9, 0.2}, torch.tensor{1., 0.})
tensor(0.1643)

?torch.nn.BCEWithLogitsLoss
> torch.nn.BCEWithLogitsLoss()(torch.tensor{2., -1.}, torch.tensor{1., 0.})
tensor(0.2201)

?torch.nn.CTCLoss
> log_probs = torch.zeros(5, 1, 3):log_softmax(2)
> torch.nn.CTCLoss()(log_probs, torch.tensor{{1, 2}}, torch.tensor{5}, torch.tensor{2})
tensor(0.9689)

?torch.nn.CosineEmbeddingLoss
> torch.nn.CosineEmbeddingLoss()(torch.tensor{{1., 0.}}, torch.tensor{{1., 1.}}, torch.tensor{1})
tensor(0.2929)

?torch.nn.CrossEntropyLoss
> loss = torch.nn.CrossEntropyLoss()
> loss(torch.tensor{{2., 0.}}, torch.tensor{0})
tensor(0.1269)

?torch.nn.GaussianNLLLoss
> torch.nn.GaussianNLLLoss()(torch.tensor{1., 2.}, torch.tensor{1., 4.}, torch.tensor{1., 1.})
tensor(1.)

?torch.nn.HingeEmbeddingLoss
> torch.nn.HingeEmbeddingLoss()(torch.tensor{0.2, 0.4}, torch.tensor{1, -1})
tensor(0.4000)

?torch.nn.HuberLoss
> torch.nn.HuberLoss()(torch.tensor{0., 0.}, torch.tensor{0.5, 3.})
tensor(1.3125)

?torch.nn.KLDivLoss
> torch.nn.KLDivLoss({reduction = "batchmean"})(torch.tensor{{0.5, 0.5}}:log(), torch.tensor{{0.9, 0.1}})
tensor(0.3681)

?torch.nn.L1Loss
> torch.nn.L1Loss()(torch.tensor{1., 2.}, torch.tensor{1., 4.})
tensor(1.)

?torch.nn.LinearCrossEntropyLoss
> m = torch.nn.LinearCrossEntropyLoss(4, 10)
> m(torch.ones(2, 4), torch.tensor{3, 7}).shape
torch.Size([])

?torch.nn.MSELoss
> torch.nn.MSELoss()(torch.tensor{1., 2.}, torch.tensor{1., 4.})
tensor(2.)

?torch.nn.MarginRankingLoss
> torch.nn.MarginRankingLoss()(torch.tensor{0.2, 0.8}, torch.tensor{0.5, 0.5}, torch.tensor{1, 1})
tensor(0.1500)

?torch.nn.MultiLabelMarginLoss
> torch.nn.MultiLabelMarginLoss()(torch.tensor{{0.1, 0.8, 0.3}}, torch.tensor{{1, -1, 0}})
tensor(0.2667)

?torch.nn.MultiLabelSoftMarginLoss
> torch.nn.MultiLabelSoftMarginLoss()(torch.tensor{{1., -1., 2.}}, torch.tensor{{1., 0., 1.}})
tensor(0.2512)

?torch.nn.MultiMarginLoss
> torch.nn.MultiMarginLoss()(torch.tensor{{0.1, 0.8, 0.3}}, torch.tensor{1})
tensor(0.2667)

?torch.nn.NLLLoss
> torch.nn.NLLLoss()(torch.tensor{{-0.5, -1.}, {-2., -0.1}}, torch.tensor{0, 1})
tensor(0.3000)

?torch.nn.PoissonNLLLoss
> torch.nn.PoissonNLLLoss()(torch.tensor{0., 1.}, torch.tensor{1., 2.})
tensor(0.8591)

?torch.nn.SmoothL1Loss
> torch.nn.SmoothL1Loss()(torch.tensor{0., 0.}, torch.tensor{0.5, 3.})
tensor(1.3125)

?torch.nn.SoftMarginLoss
> torch.nn.SoftMarginLoss()(torch.tensor{0.5, -1.}, torch.tensor{1, -1})
tensor(0.3937)

?torch.nn.TripletMarginLoss
> torch.nn.TripletMarginLoss()(torch.tensor{{0., 0.}}, torch.tensor{{0., 1.}}, torch.tensor{{0., 1.5}})
tensor(0.5000)

?torch.nn.TripletMarginWithDistanceLoss
> distance = function(a, b) return (a - b):abs():sum(1) end
> torch.nn.TripletMarginWithDistanceLoss({distance_function = distance})(torch.tensor{{0., 0.}}, torch.tensor{{0., 1.}}, torch.tensor{{0., 1.5}})
tensor(0.5000)
]==]
