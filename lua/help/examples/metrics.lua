-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.metrics.Accuracy
> metric = torch.metrics.Accuracy({task = "multiclass", num_classes = 3})
> metric:update(torch.tensor{0, 2, 1}, torch.tensor{0, 1, 1})
> metric:compute()
tensor(0.6667)

?torch.metrics.AUROC
> metric = torch.metrics.AUROC({task = "binary"})
> metric(torch.tensor{0.1, 0.9, 0.4}, torch.tensor{0, 1, 1})
tensor(1.)

?torch.metrics.ConfusionMatrix
> metric = torch.metrics.ConfusionMatrix({task = "binary"})
> metric(torch.tensor{0, 1, 1, 0}, torch.tensor{0, 1, 0, 0})
tensor([[2, 1],
        [0, 1]])

?torch.metrics.F1Score
> metric = torch.metrics.F1Score({task = "binary"})
> metric(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0})
tensor(0.6667)

?torch.metrics.MeanMetric
> metric = torch.metrics.MeanMetric()
> metric:update(torch.tensor{1., 2.}); metric:update(6.)
> metric:compute()
tensor(3.)

?torch.metrics.Metric
> metric = torch.metrics.MeanMetric()
> metric:update(4.)
> metric:compute()
tensor(4.)
> metric:isinstance(torch.metrics.Metric)
true
> metric:reset()

?torch.metrics.Precision
> metric = torch.metrics.Precision({task = "binary"})
> metric(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0})
tensor(0.5000)

?torch.metrics.Recall
> metric = torch.metrics.Recall({task = "binary"})
> metric(torch.tensor{0, 1, 0}, torch.tensor{0, 1, 1})
tensor(0.5000)

?torch.metrics.Specificity
> metric = torch.metrics.Specificity({task = "binary"})
> metric(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0})
tensor(0.5000)

?torch.metrics.functional torch.metrics.functional.accuracy
> torch.metrics.functional.accuracy(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0}, {task = "binary"})
tensor(0.6667)

?torch.metrics.functional.auroc
> torch.metrics.functional.auroc(torch.tensor{0.1, 0.9, 0.4}, torch.tensor{0, 1, 1}, {task = "binary"})
tensor(1.)

?torch.metrics.functional.confusion_matrix
> torch.metrics.functional.confusion_matrix(torch.tensor{0, 1, 2, 2}, torch.tensor{0, 1, 2, 1}, {task = "multiclass", num_classes = 3})
tensor([[1, 0, 0],
        [0, 1, 1],
        [0, 0, 1]])

?torch.metrics.functional.f1_score
> torch.metrics.functional.f1_score(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0}, {task = "binary"})
tensor(0.6667)

?torch.metrics.functional.precision
> torch.metrics.functional.precision(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0}, {task = "binary"})
tensor(0.5000)

?torch.metrics.functional.recall
> torch.metrics.functional.recall(torch.tensor{0, 1, 0}, torch.tensor{0, 1, 1}, {task = "binary"})
tensor(0.5000)

?torch.metrics.functional.specificity
> torch.metrics.functional.specificity(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0}, {task = "binary"})
tensor(0.5000)
]==]
