-- torch.metrics, which are torchmetrics'.
local torch = require "torch"
local m, f = torch.metrics, torch.metrics.functional
torch.manual_seed(1)
local names = {"Accuracy", "Precision", "Recall", "F1Score", "Specificity"}
local logits = torch.randn(40, 4)
local labels = torch.randint(4, {40})
labels[labels:eq(3)] = 2
for _, name in ipairs(names) do
  for _, average in ipairs{"micro", "macro", "weighted", "none"} do
    local metric = m[name]{task = "multiclass", num_classes = 4, average = average}
    local first = metric(logits[":15"], labels[":15"])
    local second = metric(logits["15:"], labels["15:"])
    print(name, average, first, second, metric:compute())
    metric:reset()
    metric:update(logits[":5"]:argmax(1), labels[":5"])
    print(metric:compute())
  end
  local default = m[name]{task = "multiclass", num_classes = 4}
  print(name, default(logits, labels))
end
local scores, truth = torch.randn(30), torch.randint(2, {30})
local many, several = torch.rand(20, 3), torch.randint(2, {20, 3})
for _, name in ipairs(names) do
  local binary = m[name]{task = "binary"}
  print(name, binary(scores, truth), binary(scores:sigmoid(), truth), binary(truth, truth), binary:compute())
  print(name, m[name]{task = "binary", threshold = 0.7}(scores, truth))
  for _, average in ipairs{"micro", "macro", "weighted", "none"} do
    print(name, average, m[name]{task = "multilabel", num_labels = 3, average = average}(many, several))
  end
  print(name, m[name]{task = "multiclass", num_classes = 4, ignore_index = 1}(logits, labels))
end
for _, normalize in ipairs{"none", "true", "pred", "all"} do
  local matrix = m.ConfusionMatrix{task = "multiclass", num_classes = 4, normalize = normalize}
  matrix:update(logits[":15"], labels[":15"])
  matrix:update(logits["15:"], labels["15:"])
  print(matrix:compute())
end
print(m.ConfusionMatrix{task = "binary"}(scores, truth))
print(m.ConfusionMatrix{task = "multilabel", num_labels = 3}(many, several))
local area = m.AUROC{task = "binary"}
print(area(scores, truth), area((scores * 2):round(), truth), area:compute())
for _, average in ipairs{"macro", "weighted", "none"} do
  print(m.AUROC{task = "multiclass", num_classes = 3, average = average}(logits[":, :3"]:softmax(1), labels))
  print(m.AUROC{task = "multilabel", num_labels = 3, average = average}(many, several))
end
local images, pixels = torch.randn(2, 3, 4, 4), torch.randint(3, {2, 4, 4})
print(m.Accuracy{task = "multiclass", num_classes = 3}(images, pixels))
print(f.accuracy(logits, labels, {task = "multiclass", num_classes = 4}))
print(f.precision(logits, labels, {task = "multiclass", num_classes = 4, average = "macro"}))
print(f.recall(scores, truth, {task = "binary"}), f.f1_score(scores, truth, {task = "binary"}))
print(f.confusion_matrix(scores, truth, {task = "binary"}))
print(f.auroc(scores, truth, {task = "binary"}))
local mean = m.MeanMetric()
mean:update(1.0)
mean:update(3.0, 2.0)
print(mean:compute())
