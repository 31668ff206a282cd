"""serve.py FOLDER [PORT]: serves the pages of a folder to browsers on this machine."""
import functools
import http.server
import sys
import threading


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def end_headers(self):
        if self.server.isolated:  # such pages may share memory with their workers, so that Stop keeps a session
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, form, *values):
        self.server.asked.append(self.path)


def serve(folder, isolated, port=0):
    """Returns a server that answers in a thread of its own. Its list `asked` gets the paths that are asked for."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=folder))
    server.isolated, server.asked, server.daemon_threads = isolated, [], True
    server.thread = threading.Thread(target=server.serve_forever, daemon=True)
    server.thread.start()
    return server


if __name__ == "__main__":
    running = serve(sys.argv[1], True, int(sys.argv[2]) if len(sys.argv) > 2 else 8000)
    print(f"http://127.0.0.1:{running.server_port}/ (Ctrl-C ends)", flush=True)
    try:
        running.thread.join()
    except KeyboardInterrupt:
        pass
