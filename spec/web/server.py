"""serve(folder, isolated): a server of a folder for pages of this machine. `asked` lists the paths that were asked for."""
import functools
import http.server
import threading


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def end_headers(self):
        if self.server.isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, form, *values):
        self.server.asked.append(self.path)


def serve(folder, isolated):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    server.isolated, server.asked, server.daemon_threads = isolated, [], True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
