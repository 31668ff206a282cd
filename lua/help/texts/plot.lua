-- plot.lua: the help on the names of torch.plot, torch.distributions and torch.text, as in init.lua.
local spaces = {}

spaces["torch.plot"] = [[
figure(number?, *, figsize?, dpi?, facecolor?): A new figure, which becomes the current one, or the one of a number; figsize in inches.
gcf(): The current figure, made where there is none.
gca(): The current axes, made where there are none.
sca(axes): Makes these axes the current ones.
close(which?): Forgets the current figure, the one of a number, or "all".
clf(): Takes all axes off the current figure.
cla(): Takes everything off the current axes.
get_fignums(): The numbers of all figures, in order.
subplot(rows, columns, index): One cell of a grid of axes, counted from 1 along the rows; it becomes the current axes.
plot(x?, y, format?, *, label?, color?, linestyle?, linewidth?, marker?, markersize?, alpha?): Lines through points; the columns of a matrix are a line each. format is short: "r--o".
scatter(x, y, s?, c?, *, marker?, cmap?, vmin?, vmax?, alpha?, label?): Points, each with a size (in square points) and a colour or a number for the colormap.
errorbar(x, y, yerr?, xerr?, *, fmt?, capsize?, label?): A line with bars of its errors.
fill_between(x, y1, y2=0, *, where?, color?, alpha?, label?): The area between two lines.
semilogx(x?, y, format?): plot with a logarithmic x axis.
semilogy(x?, y, format?): plot with a logarithmic y axis.
loglog(x?, y, format?): plot with two logarithmic axes.
axhline(y=0, *, color?, linestyle?, label?): A level line across the axes.
axvline(x=0, *, color?, linestyle?, label?): An upright line across the axes.
axhspan(ymin, ymax, *, color?, alpha?): A band between two heights.
axvspan(xmin, xmax, *, color?, alpha?): A band between two places of x.
step(x, y, format?, *, where?, label?, color?): A line in steps: "pre", "mid" or "post" says where they are.
stem(locs?, heads, *, bottom?, label?, linefmt?, markerfmt?, basefmt?): Points on stalks that grow from a base line.
vlines(x, ymin, ymax, *, color?, linestyle?, label?): Upright lines from one height to another.
hlines(y, xmin, xmax, *, color?, linestyle?, label?): Level lines from one place to another.
pie(x, explode?, labels?, colors?, autopct?, *, startangle?, radius?, counterclock?, wedgeprops?): The shares of a whole; wedgeprops = {width = 0.4} leaves a hole.
boxplot(x, *, positions?, widths?, labels?, showmeans?, showfliers?, whis?, vert?, patch_artist?): A box from the first to the third quartile of each sample, with its median, whiskers, and the points beyond.
violinplot(dataset, positions?, *, widths?, showmeans?, showextrema?, showmedians?, vert?): The density of each sample as an area.
bar(x, height, width=0.8, bottom?, *, align?, color?, label?, yerr?): Upright bars at numbers or names.
barh(y, width, height=0.8, left?, *, color?, label?): Level bars.
bar_label(bars, labels?, *, fmt?, padding?): Writes the value of each bar at its end.
hist(x, bins=10, *, range?, density?, histtype?, color?, label?, alpha?): Bars of how many values lie between each pair of limits; gives the counts, the limits and the bars.
hist2d(x, y, bins=10, *, range?, density?, cmap?): How many points lie in each cell of a grid, as colours; gives the counts, the limits, the mesh.
pcolormesh(x?, y?, c, *, cmap?, vmin?, vmax?, alpha?): A grid of cells with colours; x and y are limits or middles.
quiver(x?, y?, u, v, c?, *, scale?, color?, width?, pivot?, cmap?): Arrows of a field.
imshow(image, *, cmap?, vmin?, vmax?, origin?, extent?, aspect?): A picture of (H, W) by a colormap, or of colours (H, W, 3) or (3, H, W).
matshow(matrix): imshow of a matrix, with its columns numbered above.
contour(x?, y?, z, levels?, *, colors?, cmap?): The lines along which z has the same height.
contourf(x?, y?, z, levels?, *, cmap?, alpha?): The areas between such lines, filled.
clabel(contours, levels?, *, inline?, fontsize?, fmt?, colors?): Writes the levels of contour lines on them.
colorbar(mappable?, *, ax?, label?): The scale of a colormap beside the axes; without an argument that of the last picture.
title(text, *, loc?, fontsize?): The title of the axes.
xlabel(text): The text below the x axis.
ylabel(text): The text beside the y axis.
suptitle(text): The title of the whole figure.
text(x, y, text, *, ha?, va?, fontsize?, color?, rotation?): Writes at a point of the axes' coordinates.
annotate(text, xy, *, xytext?, arrowprops?): Writes at a point, or beside it with an arrow to it.
legend(*, loc?, ncol?, title?): A box with the labels of what is drawn; "best" looks for a free corner.
xlim(left?, right?): Sets the limits of x; returns them.
ylim(bottom?, top?): Sets the limits of y; returns them.
xticks(places, labels?): Where x has ticks, and what stands at them.
yticks(places, labels?): Where y has ticks, and what stands at them.
xscale(name): "linear" or "log".
yscale(name): "linear" or "log".
axis(what): "off", "on", "equal", "tight", or the limits {left, right, bottom, top}.
grid(visible?, *, axis?, which?, alpha?): Lines at the ticks.
margins(x?, y?): The room around what is drawn, as a part of its extent; 0.05 at first.
tick_params(*, axis?, labelsize?, rotation?, length?): How ticks and their labels look.
twinx(): Axes in the same place with a y axis of their own at the right side.
tight_layout(): Makes the margins as wide as the labels need.
subplots_adjust(*, left?, right?, bottom?, top?, wspace?, hspace?): The margins, as parts of the figure.
savefig(name, *, dpi?, format?, facecolor?, bbox_inches?): Writes the figure to a file, PNG, SVG or PDF by the end of its name.
get_cmap(name="viridis"): The colormap of a name: called with a number from 0 to 1 it gives a colour.
cm: The colormaps as fields: plt.cm.viridis.
live(values?): live{loss = loss} adds a point to each curve and draws them while a program runs on a terminal or in a notebook; live() ends the picture and returns the curves.
set_display_formats(...): The formats in which notebooks show figures: set_display_formats("svg"), or "png", or both.
plot_decision_boundary(model, X, y): The areas in which a model names each class, and the points.
plot_predictions(train_data, train_labels, test_data, test_labels, predictions?): Points to learn from, to test with, and predicted ones.
plot_confusion_matrix(matrix, *, class_names?): Counts of what was named as what, in colours and numbers.
plot_loss_curves(results): The curves in a table {train_loss =, test_loss =, train_acc =, test_acc =}.
plot_images(images, titles?, *, columns?): Pictures in a grid.
image(picture, *, labels?): A picture, or several, as characters on stdout.
lines(values, *, title?, height?): Curves as characters on stdout; several as lines{train = values, test = values}.
histogram(values, *, bins?): A histogram as characters on stdout.
]]
spaces["torch.distributions"] = [[
Distribution: The base class of distributions: sample, rsample, log_prob, entropy, mean, variance.
Bernoulli(probs?, logits?): 1 with a probability, else 0.
Categorical(probs?, logits?): A class, by the probabilities in the last dimension.
Normal(loc, scale): The normal distribution with a mean and a standard deviation.
Uniform(low, high): All numbers from low to high alike.
Exponential(rate): The time to the next of events that happen at a rate.
Laplace(loc, scale): Numbers around loc whose density falls on both sides as an exponential.
LogNormal(loc, scale): e to the power of a normal number with that mean and standard deviation.
Independent(base_distribution, reinterpreted_batch_ndims): The last dimensions of a batch as those of one event: log_prob sums over them.
MultivariateNormal(loc, covariance_matrix?, precision_matrix?, scale_tril?): Normal vectors with a mean, and a covariance, its inverse or its Cholesky factor.
]]
spaces["torch.text"] = [[
data: What makes tokens of texts: get_tokenizer.
]]
spaces["torch.text.transforms"] = [[
GPT2BPETokenizer(encoder_json_path, vocab_bpe_path): The tokens of a text by GPT-2's byte-pair encoding, read from its two files.
]]
spaces["torch.text.vocab"] = [[
Vocab: Tokens and their numbers: vocab(tokens) gives the numbers of a list, vocab:lookup_tokens the tokens of numbers.
]]

return spaces
