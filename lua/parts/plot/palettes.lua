-- palettes.lua: colours by name (CSS), and colormaps as evenly spaced colours to interpolate between.
return {
  names = [[
    aliceblue=f0f8ff antiquewhite=faebd7 aqua=00ffff aquamarine=7fffd4 azure=f0ffff beige=f5f5dc bisque=ffe4c4
    black=000000 blanchedalmond=ffebcd blue=0000ff blueviolet=8a2be2 brown=a52a2a burlywood=deb887 cadetblue=5f9ea0
    chartreuse=7fff00 chocolate=d2691e coral=ff7f50 cornflowerblue=6495ed cornsilk=fff8dc crimson=dc143c cyan=00ffff
    darkblue=00008b darkcyan=008b8b darkgoldenrod=b8860b darkgray=a9a9a9 darkgreen=006400 darkkhaki=bdb76b
    darkmagenta=8b008b darkolivegreen=556b2f darkorange=ff8c00 darkorchid=9932cc darkred=8b0000 darksalmon=e9967a
    darkseagreen=8fbc8f darkslateblue=483d8b darkslategray=2f4f4f darkturquoise=00ced1 darkviolet=9400d3 deeppink=ff1493
    deepskyblue=00bfff dimgray=696969 dodgerblue=1e90ff firebrick=b22222 floralwhite=fffaf0 forestgreen=228b22
    fuchsia=ff00ff gainsboro=dcdcdc ghostwhite=f8f8ff gold=ffd700 goldenrod=daa520 gray=808080 green=008000
    greenyellow=adff2f honeydew=f0fff0 hotpink=ff69b4 indianred=cd5c5c indigo=4b0082 ivory=fffff0 khaki=f0e68c
    lavender=e6e6fa lavenderblush=fff0f5 lawngreen=7cfc00 lemonchiffon=fffacd lightblue=add8e6 lightcoral=f08080
    lightcyan=e0ffff lightgoldenrodyellow=fafad2 lightgray=d3d3d3 lightgreen=90ee90 lightpink=ffb6c1 lightsalmon=ffa07a
    lightseagreen=20b2aa lightskyblue=87cefa lightslategray=778899 lightsteelblue=b0c4de lightyellow=ffffe0 lime=00ff00
    limegreen=32cd32 linen=faf0e6 magenta=ff00ff maroon=800000 mediumaquamarine=66cdaa mediumblue=0000cd
    mediumorchid=ba55d3 mediumpurple=9370db mediumseagreen=3cb371 mediumslateblue=7b68ee mediumspringgreen=00fa9a
    mediumturquoise=48d1cc mediumvioletred=c71585 midnightblue=191970 mintcream=f5fffa mistyrose=ffe4e1 moccasin=ffe4b5
    navajowhite=ffdead navy=000080 oldlace=fdf5e6 olive=808000 olivedrab=6b8e23 orange=ffa500 orangered=ff4500
    orchid=da70d6 palegoldenrod=eee8aa palegreen=98fb98 paleturquoise=afeeee palevioletred=db7093 papayawhip=ffefd5
    peachpuff=ffdab9 peru=cd853f pink=ffc0cb plum=dda0dd powderblue=b0e0e6 purple=800080 rebeccapurple=663399 red=ff0000
    rosybrown=bc8f8f royalblue=4169e1 saddlebrown=8b4513 salmon=fa8072 sandybrown=f4a460 seagreen=2e8b57 seashell=fff5ee
    sienna=a0522d silver=c0c0c0 skyblue=87ceeb slateblue=6a5acd slategray=708090 snow=fffafa springgreen=00ff7f
    steelblue=4682b4 tan=d2b48c teal=008080 thistle=d8bfd8 tomato=ff6347 turquoise=40e0d0 violet=ee82ee wheat=f5deb3
    white=ffffff whitesmoke=f5f5f5 yellow=ffff00 yellowgreen=9acd32]],
  blended = {
    viridis = [[
    440154 470d60 48186a 482374 472d7b 453781 424086 3e4989 3b528b 375b8d 33638d 2f6b8e 2c728e 297a8e 26828e 23898e 21918c
    1f988b 1fa088 22a785 28ae80 32b67a 3fbc73 4ec36b 5ec962 70cf57 84d44b 98d83e addc30 c2df23 d8e219 ece51b fde725]],
    plasma = [[
    0d0887 220690 310597 3f049c 4c02a1 5901a5 6600a7 7201a8 7e03a8 8a09a5 9511a1 a01a9c aa2395 b32c8e bc3587 c43e7f cc4778
    d35171 da5a6a e06363 e66c5c eb7655 f0804e f58b47 f89540 fba139 fdac33 feb82c fdc527 fcd225 f8df25 f4ed27 f0f921]],
    magma = [[
    000004 0a0822 1d1147 36106b 51127c 6a1c81 832681 9c2e7f b73779 d0416f e75263 f56b5c fc8961 fea772 fec488 fde2a3 fcfdbf]],
    inferno = [[
    000004 040312 0b0724 150b37 210c4a 2f0a5b 3d0965 4a0c6b 57106e 64156e 71196e 7d1e6d 8a226a 972766 a32c61 b0315b bc3754
    c73e4c d24644 db503b e45a31 eb6628 f1731d f68013 f98e09 fb9d07 fcac11 fbbc21 f9cb35 f5db4c f2ea69 f3f68a fcffa4]],
    cividis = [[
    00224e 00285b 002e6a 053371 1a386f 273e6e 32436d 3b496c 434e6c 4b546c 535a6d 5a5f6e 61656f 686a71 6f7073 767676 7d7c78
    848279 8c8878 938e78 9b9476 a39a74 aba072 b4a76f bcae6c c4b468 cdbb63 d5c25e dec958 e7d150 f0d846 f9e03a fee838]],
    turbo = [[
    30123b 392a73 4040a2 4456c7 466be3 4680f6 4294ff 37a8fa 28bceb 1ccdd8 18ddc2 1fe9af 32f298 4ef97d 6dfe62 8bff4b a4fc3c
    b9f635 cdec34 dfdf37 eecf3a f8be39 fdac34 fe962b fb7e21 f46617 eb500e df3f08 d02f05 be2102 a91601 920b01 7a0403]],
    coolwarm = [[
    3b4cc0 445acc 4e68d8 5875e1 6282ea 6c8ff1 779af7 82a6fb 8db0fe 98b9ff a3c2fe aec9fc b9d0f9 c3d5f4 ccd9ed d5dbe5 dddcdc
    e5d8d1 ecd3c5 f1ccb8 f5c4ac f7ba9f f7b093 f6a586 f4987a f08b6e eb7d62 e46e56 dd5f4b d44e41 ca3b37 be242e b40426]],
    twilight = [[
    e2d9e2 d7d7dd c4ced4 acc2cc 95b5c7 81a6c3 7297c1 6887be 6276ba 5f64b5 5e51ad 5d3da1 592a8f 511b77 45135c 381145 2f1436
    3a113a 4a1342 5f174a 741e4f 872750 983550 a64550 b25652 bb6958 c27c63 c89073 cca389 d1b6a3 d8c7be dfd4d6 e2d9e2]],
    jet = [[
    000080 0000a4 0000c8 0000ed 0000ff 0020ff 0040ff 0060ff 0080ff 00a0ff 00c0ff 00e0fb 16ffe1 30ffc7 49ffad 63ff94 7dff7a
    97ff60 b1ff46 caff2c e4ff13 feed00 ffd000 ffb200 ff9400 ff7700 ff5900 ff3b00 ff1e00 e80000 c40000 9f0000 800000]],
    hot = [[
    0b0000 200000 350000 4a0000 5f0000 740000 890000 9e0000 b30000 c80000 dd0000 f20000 ff0800 ff1d00 ff3200 ff4700 ff5c00
    ff7100 ff8600 ff9b00 ffb000 ffc500 ffda00 ffef00 ffff07 ffff26 ffff46 ffff65 ffff85 ffffa4 ffffc4 ffffe3 ffffff]],
    Blues = [[
    f7fbff deebf7 c6dbef 9dcae1 6aaed6 4191c6 2070b4 08509b 08306b]],
    Greens = [[
    f7fcf5 e5f5e0 c7e9c0 a0d99b 73c476 40aa5d 228a44 006c2c 00441b]],
    Reds = [[
    fff5f0 fee0d2 fcbba1 fc9272 fb694a ee3a2c ca181d a30f15 67000d]],
    Oranges = [[
    fff5eb fee6ce fdd0a2 fdae6a fd8c3b f16813 d84801 a53603 7f2704]],
    Purples = [[
    fcfbfd efedf5 dadaeb bcbddc 9e9ac8 807cba 6950a3 53268f 3f007d]],
    Greys = [[
    ffffff f0f0f0 d9d9d9 bdbdbd 959595 727272 515151 242424 000000]],
    YlGnBu = [[
    ffffd9 edf8b1 c6e9b4 7ecdbb 40b5c4 1d90c0 225da8 243392 081d58]],
    YlOrRd = [[
    ffffcc ffeda0 fed976 feb24c fd8c3c fc4d2a e2191c bb0026 800026]],
    RdYlBu = [[
    a50026 d62f27 f46d43 fdad60 fee090 feffc0 e0f3f8 aad8e9 74add1 4574b3 313695]],
    RdYlGn = [[
    a50026 d62f27 f46d43 fdad60 fee08b feffbe d9ef8b a5d86a 66bd63 199750 006837]],
    RdBu = [[
    67001f b1182b d6604d f3a481 fddbc7 f6f7f7 d1e5f0 90c4dd 4393c3 2065ab 053061]],
    Spectral = [[
    9e0142 d43d4f f46d43 fdad60 fee08b ffffbe e6f598 aadca4 66c2a5 3387bc 5e4fa2]],
    seismic = [[
    00004c 0101ff fffdfd fe0000 800000]],
    bwr = [[
    0000ff fffefe ff0000]],
    PiYG = [[
    8e0152 c41a7c de77ae f1b5d9 fde0ef f7f7f6 e6f5d0 b7e085 7fbc41 4c9121 276419]],
    BrBG = [[
    543005 8b500a bf812d dec17b f6e8c3 f4f5f5 c7eae5 7fccc0 35978f 01655d 003c30]],
  },
  listed = {
    tab10 = [[
    1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf]],
    tab20 = [[
    1f77b4 aec7e8 ff7f0e ffbb78 2ca02c 98df8a d62728 ff9896 9467bd c5b0d5 8c564b c49c94 e377c2 f7b6d2 7f7f7f c7c7c7 bcbd22
    dbdb8d 17becf 9edae5]],
    Set1 = [[
    e41a1c 377eb8 4daf4a 984ea3 ff7f00 ffff33 a65628 f781bf 999999]],
    Set2 = [[
    66c2a5 fc8d62 8da0cb e78ac3 a6d854 ffd92f e5c494 b3b3b3]],
    Set3 = [[
    8dd3c7 ffffb3 bebada fb8072 80b1d3 fdb462 b3de69 fccde5 d9d9d9 bc80bd ccebc5 ffed6f]],
    Paired = [[
    a6cee3 1f78b4 b2df8a 33a02c fb9a99 e31a1c fdbf6f ff7f00 cab2d6 6a3d9a ffff99 b15928]],
    Pastel1 = [[
    fbb4ae b3cde3 ccebc5 decbe4 fed9a6 ffffcc e5d8bd fddaec f2f2f2]],
    Dark2 = [[
    1b9e77 d95f02 7570b3 e7298a 66a61e e6ab02 a6761d 666666]],
    Accent = [[
    7fc97f beaed4 fdc086 ffff99 386cb0 f0027f bf5b17 666666]],
  },
}
