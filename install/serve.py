"""serve.py FOLDER [PORT]: serves the pages of a folder to browsers on this machine.

The headers let pages share memory with their workers, so that Stop keeps a session."""
import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, *_):
        pass


folder, port = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8000
with http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=folder)) as server:
    print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
