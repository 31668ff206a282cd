"""Chromium by chromedriver's protocol (W3C WebDriver): no package is needed."""
import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self, arguments=()):
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if "successfully on port" in line:
                self.address = "http://127.0.0.1:" + line.rstrip(".\n").split()[-1]
                break
        flags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-renderer-backgrounding", *arguments]
        options = {"binary": CHROMIUM, "args": flags}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}, "unhandledPromptBehavior": "accept"}}})
        self.session = "/session/" + answer["sessionId"]
        self.command("POST", "/timeouts", {"script": 300000})

    def call(self, method, path, content=None):
        data = json.dumps(content).encode() if content is not None else None
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def command(self, method, path, content=None):
        return self.call(method, self.session + path, content)

    def go(self, url):
        self.command("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs JavaScript, whose `return` is the result; promises are awaited."""
        return self.command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, seconds=10, what=None):
        """Waits until an expression in JavaScript is true; returns its value and the seconds that it took."""
        start = time.time()
        while True:
            value = self.run("return " + condition)
            if value:
                return value, time.time() - start
            if time.time() - start > seconds:
                raise AssertionError(f"{what or condition} did not come in {seconds} s")
            time.sleep(0.01)

    def keys(self, selector, text):
        element = self.command("POST", "/element", {"using": "css selector", "value": selector})
        self.command("POST", f"/element/{element[ELEMENT]}/value", {"text": text})

    def click(self, selector):
        element = self.command("POST", "/element", {"using": "css selector", "value": selector})
        self.command("POST", f"/element/{element[ELEMENT]}/click", {})

    def devtools(self, name, **parameters):
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def screen(self, width, height, mobile=False):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if mobile else 1, mobile=mobile)

    def dark(self, is_dark=True):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def log(self):
        """Messages of the console since the last call."""
        return [entry["message"] for entry in self.command("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("GET", "/screenshot")))

    def close(self):
        try:
            self.command("DELETE", "")
        finally:
            self.driver.kill()
            self.driver.wait()
