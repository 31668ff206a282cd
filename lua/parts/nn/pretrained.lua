-- pretrained.lua: Embedding.from_pretrained and EmbeddingBag.from_pretrained: layers with existing tables of vectors.
local torch = ...
local nn = torch.nn

local function maker(class, signature)
  local read = torch._define(("from_pretrained(embeddings, freeze=true, %s)"):format(signature))
  return function(...)
    local a = read(...)
    if a.embeddings.ndim ~= 2 then
      torch._part "support".fail("AssertionError", "Embeddings parameter is expected to be 2-dimensional")
    end
    local options = {num_embeddings = a.embeddings.shape[0], embedding_dim = a.embeddings.shape[1], _weight = a.embeddings}
    for name, value in pairs(a) do
      if name ~= "embeddings" and name ~= "freeze" then options[name] = value end
    end
    local out = nn[class](options)
    out.weight.requires_grad = not a.freeze
    return out
  end
end

return {
  Embedding = maker("Embedding", "padding_idx?, max_norm?, norm_type=2.0, scale_grad_by_freq=false, sparse=false"),
  EmbeddingBag = maker("EmbeddingBag", "max_norm?, norm_type=2.0, scale_grad_by_freq=false, mode='mean', sparse=false, " ..
    "include_last_offset=false, padding_idx?"),
}
