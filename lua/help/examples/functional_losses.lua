-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.nn.functional.binary_cross_entropy
> torch.nn.functional.binary_cross_entropy(torch.tensor{0.9, 0.2}, torch.tensor{1., 0.})
tensor(0.1643)

?torch.nn.functional.binary_cross_entropy_with_logits
> torch.nn.functional.binary_cross_entropy_with_logits(torch.tensor{2., -1.}, torch.tensor{1., 0.})
tensor(0.2201)

?torch.nn.functional.cosine_embedding_loss
> torch.nn.functional.cosine_embedding_loss(torch.tensor{{1., 0.}}, torch.tensor{{1., 1.}}, torch.tensor{1})
tensor(0.2929)

?torch.nn.functional.cross_entropy
> torch.nn.functional.cross_entropy(torch.tensor{{2., 1., 0.}, {0., 3., 0.}}, torch.tensor{0, 1})
tensor(0.2513)
> torch.nn.functional.cross_entropy(torch.tensor{{2., 1., 0.}}, torch.tensor{0}, {label_smoothing = 0.1})
tensor(0.5076)

?torch.nn.functional.ctc_loss
> log_probs = torch.zeros(5, 1, 3):log_softmax(2)
> torch.nn.functional.ctc_loss(log_probs, torch.tensor{{1, 2}}, torch.tensor{5}, torch.tensor{2})
tensor(0.9689)

?torch.nn.functional.gaussian_nll_loss
> torch.nn.functional.gaussian_nll_loss(torch.tensor{1., 2.}, torch.tensor{1., 4.}, torch.tensor{1., 1.})
tensor(1.)

?torch.nn.functional.hinge_embedding_loss
> torch.nn.functional.hinge_embedding_loss(torch.tensor{0.2, 0.4}, torch.tensor{1, -1})
tensor(0.4000)

?torch.nn.functional.huber_loss
> torch.nn.functional.huber_loss(torch.tensor{0., 0.}, torch.tensor{0.5, 3.})
tensor(1.3125)

?torch.nn.functional.l1_loss
> torch.nn.functional.l1_loss(torch.tensor{1., 2.}, torch.tensor{1., 4.})
tensor(1.)

?torch.nn.functional.linear_cross_entropy
> x, weight = torch.tensor{{1., 2.}}, torch.tensor{{1., 1.}, {0., 1.}}
> torch.nn.functional.linear_cross_entropy(x, weight, torch.tensor{0})
tensor(0.3133)
> torch.nn.functional.cross_entropy(x:matmul(weight.T), torch.tensor{0})
tensor(0.3133)

?torch.nn.functional.margin_ranking_loss
> torch.nn.functional.margin_ranking_loss(torch.tensor{0.2, 0.8}, torch.tensor{0.5, 0.5}, torch.tensor{1, 1})
tensor(0.1500)

?torch.nn.functional.mse_loss
> torch.nn.functional.mse_loss(torch.tensor{1., 2.}, torch.tensor{1., 4.})
tensor(2.)
> torch.nn.functional.mse_loss(torch.tensor{1., 2.}, torch.tensor{1., 4.}, {reduction = "none"})
tensor([0., 4.])

?torch.nn.functional.multi_margin_loss
> torch.nn.functional.multi_margin_loss(torch.tensor{{0.1, 0.8, 0.3}}, torch.tensor{1})
tensor(0.2667)

?torch.nn.functional.multilabel_margin_loss
> torch.nn.functional.multilabel_margin_loss(torch.tensor{{0.1, 0.8, 0.3}}, torch.tensor{{1, -1, 0}})
tensor(0.2667)

?torch.nn.functional.multilabel_soft_margin_loss
> torch.nn.functional.multilabel_soft_margin_loss(torch.tensor{{1., -1., 2.}}, torch.tensor{{1., 0., 1.}})
tensor(0.2512)

?torch.nn.functional.nll_loss
> torch.nn.functional.nll_loss(torch.tensor{{-0.5, -1.}, {-2., -0.1}}, torch.tensor{0, 1})
tensor(0.3000)

?torch.nn.functional.poisson_nll_loss
> torch.nn.functional.poisson_nll_loss(torch.tensor{0., 1.}, torch.tensor{1., 2.})
tensor(0.8591)

?torch.nn.functional.smooth_l1_loss
> torch.nn.functional.smooth_l1_loss(torch.tensor{0., 0.}, torch.tensor{0.5, 3.})
tensor(1.3125)

?torch.nn.functional.soft_margin_loss
> torch.nn.functional.soft_margin_loss(torch.tensor{0.5, -1.}, torch.tensor{1, -1})
tensor(0.3937)

?torch.nn.functional.triplet_margin_loss
> torch.nn.functional.triplet_margin_loss(torch.tensor{{0., 0.}}, torch.tensor{{0., 1.}}, torch.tensor{{0., 1.5}})
tensor(0.5000)

?torch.nn.functional.triplet_margin_with_distance_loss
> distance = function(a, b) return (a - b):abs():sum(1) end
> torch.nn.functional.triplet_margin_with_distance_loss(torch.tensor{{0., 0.}}, torch.tensor{{0., 1.}}, torch.tensor{{0., 1.5}}, {distance_function = distance})
tensor(0.5000)

?torch.binary_cross_entropy_with_logits
> torch.binary_cross_entropy_with_logits(torch.tensor{2., -1.}, torch.tensor{1., 0.}, {reduction = 0})
tensor([0.1269, 0.3133])

?torch.cosine_embedding_loss
> torch.cosine_embedding_loss(torch.tensor{{1., 0.}}, torch.tensor{{1., 1.}}, torch.tensor{1})
tensor([0.2929])

?torch.ctc_loss
> torch.ctc_loss(torch.zeros(4, 1, 3):log_softmax(2), torch.tensor{{1, 2}}, {4}, {2})
tensor([1.6864])

?torch.hinge_embedding_loss
> torch.hinge_embedding_loss(torch.tensor{0.5, 0.25}, torch.tensor{1, -1}, {reduction = 2})
tensor(1.2500)

?torch.kl_div
> torch.kl_div(torch.tensor{{0.5, 0.5}}:log(), torch.tensor{{0.9, 0.1}}, 2)
tensor(0.3681)

?torch.margin_ranking_loss
> torch.margin_ranking_loss(torch.tensor{1., 2.}, torch.tensor{2., 1.}, torch.tensor{1, 1})
tensor([1., 0.])

?torch.poisson_nll_loss
> torch.poisson_nll_loss(torch.tensor{0., 1.}, torch.tensor{1., 2.}, true, false, 1e-8, 1)
tensor(0.8591)

?torch.triplet_margin_loss
> torch.triplet_margin_loss(torch.tensor{{0., 0.}}, torch.tensor{{0., 1.}}, torch.tensor{{0., 1.5}})
tensor([0.5000])
]==]
