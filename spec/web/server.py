"""A server of a folder on this machine, as a module: serve(folder, isolated) returns its address and a list of the paths asked for.

    python3 spec/web/server.py FOLDER [PORT]      serves it until it is interrupted, with the headers that isolate a page"""
import functools
import http.server
import sys
import threading


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def end_headers(self):
        if self.server.isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, form, *values):
        self.server.asked.append(self.path)


def start(folder, isolated, port=0):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=folder))
    server.isolated, server.asked, server.daemon_threads = isolated, [], True
    return server


def serve(folder, isolated):
    server = start(folder, isolated)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


if __name__ == "__main__":
    server = start(sys.argv[1], True, int(sys.argv[2]) if len(sys.argv) > 2 else 8000)
    print(f"http://localhost:{server.server_port}/play.html (Ctrl-C ends it)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
