"""The playground in Firefox, which needs no driver: a page of the server uses the playground and reports.

    python3 spec/web/firefox_test.py FOLDER      FOLDER: what docs/make/site.lua has written"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, "install")
from serve import serve  # noqa: E402

SECONDS = 120  # an upper bound of all steps
# What each report has in it.
EXPECTED = {
    "ready": "true ready",
    "digits": "% of the digits it had never seen are read correctly",
    "stop": "x is\t5",
    "error": "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)\nat stdin:1\nhint: ",
    "colours": "2",
}


def reports_of(server):
    found = {}
    for path in list(server.asked):
        if path.startswith("/report/"):
            name, text = path[len("/report/"):].split("?", 1)
            found[name] = urllib.parse.unquote(text)
    return found


def main():
    folder = os.path.abspath(sys.argv[1])
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    server, page = serve(folder, True), folder + "/firefox_test.html"
    shutil.copy("spec/web/firefox_test.html", page)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        address = f"http://127.0.0.1:{server.server_port}/firefox_test.html"
        browser = subprocess.Popen([firefox, "--headless", "--no-remote", "--profile", profile, address],
                                   env={**os.environ, "HOME": profile}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        start = time.time()
        while "end" not in reports_of(server) and time.time() - start < SECONDS:
            time.sleep(0.1)
        browser.terminate()
        browser.wait()
    os.remove(page)
    reports = reports_of(server)
    failed = [name for name, part in EXPECTED.items() if part not in reports.get(name, "")]
    for name in EXPECTED:
        print(f"{'FAILED  ' if name in failed else 'ok      '} {name}: {reports.get(name)!r}")
    if reports.get("end"):
        print("the page failed: " + reports["end"])
    print(f"{len(EXPECTED) - len(failed)} passed, {len(failed)} failed")
    return len(failed) > 0


sys.exit(main())
