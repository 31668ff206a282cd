-- torchvision.utils: grids, boxes, masks.
local torch = require "torch"
local utils = require "torchvision.utils"
torch.manual_seed(7)
local images = torch.rand(5, 3, 4, 6)
local bytes = torch.randint(0, 256, {3, 14, 16}, {dtype = torch.uint8})
local function say(name, t)
  local weights = torch.remainder(torch.arange(t:numel(), {dtype = torch.float64}), 97) + 1
  print(name, t.shape, t.dtype, ("%.2f"):format((t:reshape(-1):to(torch.float64) * weights):sum():item()))
end
say("grid", utils.make_grid(images))
say("rows", utils.make_grid(images, {nrow = 2, padding = 1, pad_value = 0.5}))
say("normalize", utils.make_grid(images * 3 - 1, {normalize = true}))
say("each", utils.make_grid(images * 3 - 1, {normalize = true, scale_each = true}))
say("gray", utils.make_grid(torch.rand(3, 1, 2, 2), 2))
say("one", utils.make_grid(torch.rand(1, 4, 4)))
say("flat", utils.make_grid(torch.rand(4, 4)))
say("list", utils.make_grid({images[0], images[1]}))
say("bytes", utils.make_grid(torch.randint(0, 256, {4, 3, 2, 2}, {dtype = torch.uint8}), {pad_value = 9}))
local boxes = torch.tensor {{1, 2, 8, 9}, {4, 4, 15, 12}, {0, 0, 3, 3}}
say("boxes", utils.draw_bounding_boxes(bytes, boxes))
say("boxes red", utils.draw_bounding_boxes(bytes, boxes, {colors = "red", width = 2}))
say("boxes colors", utils.draw_bounding_boxes(bytes, boxes, {colors = {"#00ff80", "blue", "orange", "white"}}))
say("boxes filled", utils.draw_bounding_boxes(bytes, boxes, {fill = true, colors = "yellow"}))
say("boxes outside", utils.draw_bounding_boxes(bytes, torch.tensor {{-3, 5, 20, 30}}, {colors = "white", width = 3}))
say("boxes gray", utils.draw_bounding_boxes(bytes["0:1"], boxes))
say("boxes floats", utils.draw_bounding_boxes(images[0], torch.tensor {{0.5, 0.5, 3.2, 2.9}}))
local masks = torch.rand(2, 14, 16):gt(0.6)
say("masks", utils.draw_segmentation_masks(bytes, masks))
say("masks colors", utils.draw_segmentation_masks(bytes, masks, {alpha = 0.3, colors = {"red", "#102030"}}))
say("mask", utils.draw_segmentation_masks(bytes, masks[0], {colors = "blue"}))
say("masks floats", utils.draw_segmentation_masks(torch.rand(3, 14, 16), masks))
for _, f in ipairs {
  function() utils.make_grid(3) end,
  function() utils.draw_bounding_boxes(images, boxes) end,
  function() utils.draw_bounding_boxes(bytes, torch.tensor {{5, 5, 1, 1}}) end,
  function() utils.draw_bounding_boxes(bytes:to(torch.int32), boxes) end,
  function() utils.draw_bounding_boxes(bytes, boxes, {colors = {"red"}}) end,
  function() utils.draw_segmentation_masks(bytes, masks:to(torch.uint8)) end,
  function() utils.draw_segmentation_masks(bytes, masks[":, 1:"]) end,
} do
  local _, e = pcall(f)
  print((tostring(e):gsub("\n.*", "")))
end
