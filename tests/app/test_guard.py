"""Strangers: other sites in the same browser, names that lead here, programs without the key, hostile files."""

import io
import json
import socket
import zipfile

import pytest
from typer.testing import CliRunner

import hostile_models
from disjoint_centroids.app.server import bind, check_host
from disjoint_centroids.cli import main  # noqa: F401  the commands are registered when it is imported
from running_app import Client

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1:1"},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:{port}"},  # not the name that the page was opened by
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Cookie": "ndc-{port}=guess"},
        {"Cookie": ""},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/", "/runs", "/static/app.js", "/no such page"])
def test_requests_of_strangers_are_refused(client, path, headers):
    headers = {name: value.format(port=client.app.port) for name, value in headers.items()}
    answer = client.ask(
        "GET", path.replace(" ", "%20"), headers=headers, **({"cookie": None} if "Cookie" in headers else {})
    )
    assert answer.status == 403
    assert client.token not in answer.text


def test_only_the_first_address_makes_friends(server, client):
    key = server.address.split("token=")[1]
    for path in ("/?token=guess", f"/runs?token={key}", f"/?token={key[:-1]}"):
        assert client.ask("GET", path, cookie=None).status == 403
    first = client.ask("GET", f"/?token={key}", cookie=None)
    assert first.status == 200
    told = first.headers["Set-Cookie"].lower()
    assert "samesite=strict" in told
    assert "httponly" in told
    assert key not in first.text


@pytest.mark.parametrize(
    "path", ["/examples", "/tables/x/fit", "/runs/x/cancel", "/runs/20260101-000000-00000000/delete"]
)
@pytest.mark.parametrize("token", ["", "token=", "token=guess"])
def test_forms_need_their_token(client, path, token):
    answer = client.ask("POST", path, token, FORM)
    assert answer.status in ((403, 404) if "/x/" in path else (403,))
    assert not client.app.unfinished()


@pytest.mark.parametrize("path", ["/tables", "/models", "/runs/x/new", "/tables/x/files/labels"])
def test_files_need_their_token(client, path):
    for headers in ({}, {"X-NDC-Token": "guess"}, {"Content-Type": "text/plain"}):
        assert client.ask("PUT", path, b"a,b\n1,2\n", {"X-File-Name": "a.csv"} | headers).status == 403


def test_pages_may_load_nothing_from_elsewhere(client):
    for path in ("/", "/runs", "/static/app.css", "/missing"):
        answer = client.ask("GET", path)
        policy = dict(rule.strip().split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["connect-src"] == policy["form-action"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_name_of_a_file_is_never_a_path(client, tables):
    table = tables["good"].read_bytes()
    for name in ("../../../evil.csv", "/etc/evil.csv", "C:\\evil.csv", "evil\x00\n.csv"):
        answer = client.put("/tables", table, name)
        assert answer.status == 200
        page = client.ask("GET", json.loads(answer.text)["location"])
        assert "<h1>evil.csv</h1>" in page.text
    assert not list(client.app.folder.parent.rglob("*evil*"))
    for path in (
        "/runs/..%2f..%2fx/files/model.ndc",
        "/runs/20260101-000000-00000000/files/..%2frun.json",
        "/static/..%2fweb.py",
    ):
        assert client.ask("GET", path).status == 404


def test_an_upload_stops_at_the_limit(client):
    answer = client.put("/tables", b"x" * (2**20 + 1), "big.csv")
    assert answer.status == 413
    assert "ndc app --max-upload 2" in json.loads(answer.text)["error"]

    def pieces():
        for _ in range(20):
            yield b"x" * 2**16

    told = client.put("/tables", pieces(), "big.csv")  # its length is not announced
    assert told.status == 413
    assert client.put("/tables", b"", "empty.csv").status == 400
    assert client.ask("POST", "/examples", b"token=" + b"x" * 9 * 2**20, FORM).status in (400, 413)


@pytest.mark.parametrize("name", ["os.system", "subprocess.Popen", "builtins.eval"])
def test_a_hostile_model_is_refused_and_does_nothing(client, tmp_path, name):
    marker = tmp_path / "marker"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "schema.json", json.dumps(hostile_models.hostile(marker)[name] | {"protocol": 2, "_skops_version": "0.13"})
        )
    before = list(client.app.folder.iterdir())
    answer = client.put("/models", packed.getvalue(), "model.ndc")
    assert answer.status == 415
    assert str(client.app.folder) not in answer.text
    assert not marker.exists()
    assert list(client.app.folder.iterdir()) == before
    assert client.put("/models", b"not a model", "model.ndc").status == 415
    assert client.put("/models", b"not a model", "model.pkl").status == 415


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.2", "::", "example.org"])
def test_other_machines_are_let_in_only_on_purpose(host):
    with pytest.raises(ValueError, match="--allow-network"):
        check_host(host, allow_network=False)
    check_host(host, allow_network=True)


def test_the_command_refuses_an_address_that_others_reach(tmp_path):
    from disjoint_centroids.cli.app import app

    told = CliRunner().invoke(app, ["app", "--no-browser", "--host", "0.0.0.0", "--folder", str(tmp_path / "runs")])
    assert told.exit_code == 2
    assert "--allow-network" in told.output


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"--port {port} cannot be used"):
            bind("127.0.0.1", port)
    with bind("127.0.0.1", None) as first, bind("127.0.0.1", None) as second:
        assert first.getsockname()[1] != second.getsockname()[1]


def test_a_second_friend_is_a_friend(server):
    assert Client(server).ask("GET", "/runs").status == 200
