"""``ndc app`` as users start it: a process of its own, and a client that talks to it without a browser."""

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit


class RunningApp:
    """A server, started and asked for its address."""

    def __init__(self, folder, *options):
        self.folder = Path(folder)
        words = [sys.executable, "-c", "from disjoint_centroids.cli import main; main()", "app", "--no-browser"]
        self.process = subprocess.Popen(
            [*words, "--folder", str(folder), *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if found := re.search(r"http://\S+", line):
                self.address = found[0]
                break
        else:
            raise RuntimeError("".join(self.said))
        self.base = self.address.split("/?")[0]
        self.port = urlsplit(self.base).port

    def stop(self, how=signal.SIGINT):
        """End it, and return everything that it has said."""
        if self.process.stdout.closed:
            return "".join(self.said)
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.said += self.process.communicate()[0].splitlines(keepends=True)
        return "".join(self.said)

    def unfinished(self):
        return sorted(self.folder.glob(".unfinished-*"))


class Client:
    """What a browser on the server's pages does, in few words."""

    def __init__(self, app):
        self.app = app
        first = self.ask("GET", "/?" + urlsplit(app.address).query, cookie=None)
        self.cookie = first.headers["Set-Cookie"].split(";")[0]
        self.token = re.search(r'name="token" content="([^"]+)"', self.ask("GET", "/").text)[1]

    def ask(self, method, path, body=None, headers=None, **more):
        """Send a request as it is; ``cookie=None`` leaves the cookie out."""
        cookie = more.get("cookie", getattr(self, "cookie", None))
        connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=600)
        with contextlib.closing(connection):
            connection.request(method, path, body, (headers or {}) | ({"Cookie": cookie} if cookie else {}))
            answer = connection.getresponse()
            answer.data = answer.read()
            answer.text = answer.data.decode(errors="replace")
            return answer

    @contextlib.contextmanager
    def following(self, run):
        """Listen to the progress of a run, as its page does."""
        connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=600)
        with contextlib.closing(connection):
            connection.request("GET", f"{run}/events", headers={"Cookie": self.cookie})
            assert connection.getresponse().readline().startswith(b"data:")
            yield

    def put(self, path, body, name, **more):
        """Send a file, as the page's script does."""
        return self.ask("PUT", path, body, {"X-NDC-Token": self.token, "X-File-Name": quote(name)} | more)

    def post(self, path, **fields):
        """Send a form with its token."""
        body = urlencode({"token": self.token} | fields)
        return self.ask("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded"})

    def begin(self, table, **fields):
        """Bring a table and start a run; the address of its page."""
        place = json.loads(self.put("/tables", table, "table.csv").text)["location"]
        self.ask("GET", place)
        return self.post(f"{place}/fit", repeats="1", **fields).headers["Location"]


def wait_until(true, seconds=600):
    """Wait for something that will happen; how long it takes decides nothing but when to give up."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
