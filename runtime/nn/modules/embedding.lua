-- embedding.lua: tables of vectors (the notation: nn/modules.lua).

module "Embedding" {
  "(int num_embeddings, int embedding_dim, int? padding_idx, float? max_norm, float norm_type=2.0, bool scale_grad_by_freq=false, " ..
    "bool sparse=false, Tensor? _weight, bool _freeze=false, device? device, dtype? dtype)",
  op = "embedding.functional", init = "embedding", reset = "embedding",
  repr = "{num_embeddings}, {embedding_dim}{padding_idx!None}{max_norm!None}{norm_type!2.0}{scale_grad_by_freq?}{sparse?}",
  details = "The input is int32 or int64 of any sizes, the result has one dimension more, of size embedding_dim. An index outside 0 to " ..
    "num_embeddings - 1 is an error. The weight is drawn from the standard normal distribution; row padding_idx is 0 and gets no " ..
    "gradient.",
  doc = "The rows of weight (num_embeddings, embedding_dim) that the input names; row padding_idx is zeros and stays so.",
}
module "EmbeddingBag" {
  "(int num_embeddings, int embedding_dim, float? max_norm, float norm_type=2.0, bool scale_grad_by_freq=false, string mode='mean', " ..
    "bool sparse=false, Tensor? _weight, bool include_last_offset=false, int? padding_idx, device? device, dtype? dtype)",
  op = "embedding_bag.functional", inputs = "input, offsets?, per_sample_weights?", init = "embedding", reset = "embedding",
  repr = "{num_embeddings}, {embedding_dim}{max_norm!None}{norm_type!2.0}{scale_grad_by_freq?}, mode={mode}{padding_idx!None}",
  doc = "The sum, mean or maximum (mode) of the rows of weight (num_embeddings, embedding_dim) that each bag of indices names: (N, L) to (N, embedding_dim), or a vector of indices and where each bag begins.",
}
