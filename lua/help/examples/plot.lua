-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.plot.plot torch.plot.title torch.plot.xlabel torch.plot.ylabel torch.plot.legend torch.plot.savefig
> plt = torch.plot
> plt.plot({1, 2, 3}, {1, 4, 9}, {label = "squares"});
> plt.title "squares"; plt.xlabel "x"; plt.ylabel "y"; plt.legend();
> plt.savefig "squares.svg"

?torch.plot.figure torch.plot.gca torch.plot.gcf torch.plot.sca torch.plot.clf torch.plot.cla torch.plot.close torch.plot.get_fignums
> plt = torch.plot
> plt.close "all"
> figure = plt.figure(1, {figsize = {4, 3}})
> plt.get_fignums()
{1}
> plt.gcf() == figure
true
> axes = plt.gca(); plt.sca(axes); plt.cla(); plt.clf()
> plt.close(figure)

?torch.plot.subplot
> plt = torch.plot
> plt.subplot(1, 2, 1); plt.plot{1, 2, 3};
> plt.subplot(1, 2, 2); plt.plot{3, 2, 1};
> plt.savefig "two.svg"

?torch.plot.subplots torch.plot.subplots_adjust torch.plot.suptitle torch.plot.tight_layout
> plt = torch.plot
> figure, axes = plt.subplots(2, 2)
> axes[1][2]:plot{1, 2, 3};
> plt.suptitle "four"; plt.subplots_adjust{wspace = 0.3}; plt.tight_layout()
> plt.savefig "four.svg"

?torch.plot.scatter
> plt = torch.plot
> plt.scatter({1, 2, 3}, {3, 1, 2}, {c = {0, 1, 2}, cmap = "viridis"});
> plt.savefig "scatter.svg"

?torch.plot.bar torch.plot.barh torch.plot.bar_label
> plt = torch.plot
> bars = plt.bar({"a", "b"}, {3, 5})
> plt.bar_label(bars);
> plt.figure(); plt.barh({"a", "b"}, {3, 5});
> plt.savefig "bars.svg"

?torch.plot.hist
> plt = torch.plot
> counts, edges = plt.hist({1, 1, 2, 5}, {bins = 4})
> counts
{2.0, 1.0, 0.0, 1.0}

?torch.plot.hist2d
> plt = torch.plot
> plt.hist2d({1, 1, 2, 5}, {1, 2, 2, 3}, {bins = 2});
> plt.savefig "hist2d.svg"

?torch.plot.histogram torch.plot.image torch.plot.lines
> torch.plot.lines({1, 2, 3, 5, 8}, {width = 60, height = 4})
8 ┤                                                 ⣀⣀⠤⠤⠔⠒⠊⠉
  │                                       ⣀⣀⣀⡠⠤⠤⠒⠒⠉⠉
  │                       ⢀⣀⣀⣀⣀⣀⠤⠤⠤⠔⠒⠒⠊⠉⠉⠉
1 ┤⣀⣀⣀⡠⠤⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠒⠊⠉⠉⠉⠉⠉⠉⠁
  └─────────────────────────────────────────────────────────
   1                                                       5
> torch.plot.histogram({1, 1, 2, 5}, {bins = 3, width = 60})
         1 ┤████████████████████████████████████████ 3
     2.333 ┤ 0
     3.667 ┤█████████████▍ 1
> torch.plot.image(torch.eye(4))
██
  ██
    ██
      ██

?torch.plot.imshow torch.plot.colorbar
> plt = torch.plot
> plt.imshow(torch.eye(4), {cmap = "gray"}); plt.colorbar();
> plt.savefig "eye.png"

?torch.plot.matshow torch.plot.pcolormesh
> plt = torch.plot
> plt.matshow(torch.eye(4));
> plt.figure(); plt.pcolormesh(torch.eye(4));
> plt.savefig "mesh.svg"

?torch.plot.contour torch.plot.contourf torch.plot.clabel
> plt = torch.plot
> x = torch.linspace(-1, 1, 20)
> z = x:square() + x:square():unsqueeze(1)
> plt.contourf(x, x, z);
> plt.clabel(plt.contour(x, x, z, {colors = "black"}));
> plt.savefig "bowl.svg"

?torch.plot.fill_between torch.plot.errorbar
> plt = torch.plot
> plt.errorbar({1, 2, 3}, {2, 4, 3}, 0.5, {capsize = 3});
> plt.fill_between({1, 2, 3}, {1, 3, 2}, {3, 5, 4}, {alpha = 0.3});
> plt.savefig "band.svg"

?torch.plot.axhline torch.plot.axvline torch.plot.axhspan torch.plot.axvspan torch.plot.hlines torch.plot.vlines
> plt = torch.plot
> plt.plot{1, 3, 2};
> plt.axhline(2); plt.axvline(1); plt.axhspan(1, 1.5, {alpha = 0.2}); plt.axvspan(0, 0.5, {alpha = 0.2});
> plt.hlines(2.5, 0, 2); plt.vlines(1.5, 1, 3);
> plt.savefig "spans.svg"

?torch.plot.axis torch.plot.grid torch.plot.margins torch.plot.twinx
> plt = torch.plot
> plt.plot{1, 3, 2};
> plt.grid(true); plt.margins(0.1); plt.axis "equal";
> plt.twinx():plot{30, 10, 20};
> plt.savefig "twin.svg"

?torch.plot.xlim torch.plot.ylim torch.plot.xscale torch.plot.yscale torch.plot.xticks torch.plot.yticks torch.plot.tick_params
> plt = torch.plot
> plt.plot({1, 2, 3}, {1, 10, 100});
> plt.xlim(0, 4); plt.ylim(1, 1000); plt.yscale "log"; plt.xscale "linear";
> plt.xticks({1, 2, 3}, {"one", "two", "three"}); plt.yticks{1, 10, 100}; plt.tick_params{labelsize = 8};
> plt.savefig "log.svg"

?torch.plot.annotate torch.plot.text
> plt = torch.plot
> plt.plot{1, 3, 2};
> plt.text(0, 1, "start"); plt.annotate("top", {1, 3}, {xytext = {1.5, 3}});
> plt.savefig "notes.svg"

?torch.plot.boxplot torch.plot.violinplot
> plt = torch.plot
> plt.boxplot({{1, 2, 3, 9}, {2, 3, 4, 5}});
> plt.figure(); plt.violinplot({{1., 2., 3., 9.}, {2., 3., 4., 5.}});
> plt.savefig "violins.svg"

?torch.plot.pie torch.plot.quiver torch.plot.stem torch.plot.step
> plt = torch.plot
> plt.pie({1, 2, 3}, {labels = {"a", "b", "c"}});
> plt.figure(); plt.quiver({0, 1}, {0, 1}, {1, 0}, {0, 1});
> plt.figure(); plt.stem({0, 1, 2}, {1, 3, 2}); plt.step({0, 1, 2}, {1, 3, 2});
> plt.savefig "steps.svg"

?torch.plot.loglog torch.plot.semilogx torch.plot.semilogy
> plt = torch.plot
> plt.loglog({1, 10, 100}, {1, 100, 10000});
> plt.figure(); plt.semilogx({1, 10, 100}, {1, 2, 3});
> plt.figure(); plt.semilogy({1, 2, 3}, {1, 10, 100});
> plt.savefig "logs.svg"

?torch.plot.cm torch.plot.get_cmap torch.plot.colormaps
> torch.plot.colormaps()[1]
"Accent"
> torch.plot.cm.viridis(0.5)
{0.12941176470588237, 0.5686274509803921, 0.5490196078431373, 1.0}
> torch.plot.get_cmap "gray"(0.5)
{0.5019607843137255, 0.5019607843137255, 0.5019607843137255, 1.0}

?torch.plot.plot_confusion_matrix
> figure = torch.plot.plot_confusion_matrix(torch.tensor{{5, 1}, {2, 7}}, {class_names = {"cat", "dog"}})
> torch.plot.savefig "confusion.svg"

?torch.plot.plot_decision_boundary
> torch.manual_seed(0);
> X = torch.randn(20, 2)
> y = X[":, 0"]:gt(0):long()
> torch.plot.plot_decision_boundary(torch.nn.Linear(2, 2), X, y);
> torch.plot.savefig "boundary.svg"

?torch.plot.plot_images
> torch.plot.plot_images(torch.zeros(4, 1, 8, 8), {"a", "b", "c", "d"});
> torch.plot.savefig "images.svg"

?torch.plot.plot_loss_curves
> torch.plot.plot_loss_curves({train_loss = {3., 2., 1.}, test_loss = {3., 2.5, 2.}, train_acc = {0.3, 0.5, 0.8}, test_acc = {0.3, 0.4, 0.6}});
> torch.plot.savefig "curves.svg"

?torch.plot.plot_predictions
> x = torch.linspace(0, 1, 10)
> torch.plot.plot_predictions(x[":8"], x[":8"] * 2, x["8:"], x["8:"] * 2, {predictions = x["8:"] * 1.9});
> torch.plot.savefig "predictions.svg"

?torch.plot.live
> for i = 1, 3 do torch.plot.live{loss = 1 / i} end
> torch.plot.live().loss
{1.0, 0.5, 0.3333333333333333}

?torch.plot.show torch.plot.set_display_formats
> plt = torch.plot
> plt.set_display_formats "svg"
> plt.figure(); plt.plot{1, 2, 3}; plt.savefig "line.svg"; plt.close()
> plt.show()
]==]
