// host.js: the functions of web.c that call the worker. emcc takes it as --js-library.
mergeInto(LibraryManager.library, {
  // Printed text that the worker has yet to receive.
  $output: {
    name: "stdout",
    text: "",
    since: 0,  // the time of the last message, in milliseconds

    send: function() {
      if (output.text) Module["onAnswer"]("stream", JSON.stringify({name: output.name, text: output.text}));
      output.text = "";
      output.since = performance.now();
    },

    add: function(name, text) {
      if (name != output.name) output.send();
      output.name = name;
      output.text += text;
      output.sendOld();
    },

    sendOld: function() {
      if (output.text && (output.text.length > 65536 || performance.now() - output.since > 30)) output.send();
    },

    // Gives the descriptor a file that adds what is written to it, a long text in parts.
    open: function(descriptor, name) {
      var decoder = new TextDecoder(), device = FS.makedev(64, descriptor), path = "/dev/page_" + name;
      FS.registerDevice(device, {
        write: function(stream, buffer, offset, length) {
          var bytes = buffer.slice(offset, offset + length); // the worker may call what makes the memory grow, which ends the view
          for (var at = 0; at < length; at += 65536) {
            output.add(name, decoder.decode(bytes.subarray(at, at + 65536), {stream: true}));
          }
          return length;
        }
      });
      FS.mkdev(path, device);
      FS.close(FS.getStream(descriptor));
      FS.open(path, "w");
    }
  },

  web_open_output__deps: ["$output", "$FS"],
  web_open_output: function() {
    output.open(1, "stdout");
    output.open(2, "stderr");
  },

  web_answer__deps: ["$output"],
  web_answer: function(kind, json) {
    output.send();
    Module["onAnswer"](UTF8ToString(kind), UTF8ToString(json));
  },

  web_interrupted__deps: ["$output"],
  web_interrupted: function() {
    output.sendOld();
    return Module["interrupted"]();
  }
});
