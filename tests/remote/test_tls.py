"""HTTPS: certificates are checked, connections are kept, and failures are cured as over HTTP."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.misbehaving import misbehaving
from stoic.errors import StoreUnavailable
from stoic.remote.address import Token, address
from stoic.remote.calling import Caller, Times

TOKEN = "stoic_ab12_0123456789abcdef0123456789abcdef"
QUICK = Times(attempt=5.0, patience=8.0, first=1.0)

if shutil.which("openssl") is None:
    pytest.skip("openssl is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 that signs itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key, signed, both = folder / "key.pem", folder / "signed.pem", folder / "both.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", key, "-out", signed,
        ],
        check=True, capture_output=True,
    )  # fmt: skip
    both.write_text(key.read_text() + signed.read_text())
    return both


def caller(url: str) -> Caller:
    return Caller(address(url), Token(TOKEN), QUICK)


def test_a_trusted_certificate(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_name("signed.pem")))
    script = ("well", "lost_reply", "broken_body", "busy")
    with misbehaving(*script, certificate=certificate) as server:
        ours = caller(server.url)
        for count in range(1, 6):
            assert ours.post("/v1/x", {"n": count}, key=str(count)) == {"count": count}
        ours.close()
        assert len(server.committed) == 5
        first, *_, last = (each.connection for each in server.received)
        assert server.received[-2].connection == last, "the connection is kept"
        assert first != last


def test_another_certificate_gets_no_token(certificate: Path) -> None:
    with misbehaving(certificate=certificate) as server:
        with pytest.raises(StoreUnavailable, match="SSL_CERT_FILE") as caught:
            caller(server.url).get("/v1/x")
        assert not server.received
        assert TOKEN not in str(caught.value)


def test_another_name_gets_no_token(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_name("signed.pem")))
    with misbehaving(certificate=certificate) as server:
        with pytest.raises(StoreUnavailable, match="a certificate of localhost"):
            caller(server.url.replace("127.0.0.1", "localhost")).get("/v1/x")
        assert not server.received


def test_http_where_https_is_spoken(certificate: Path) -> None:
    with misbehaving(certificate=certificate) as server:
        with pytest.raises(StoreUnavailable):
            caller(server.url.replace("https:", "http:")).get("/v1/x")
        assert not server.received


def test_https_where_http_is_spoken() -> None:
    with misbehaving() as server:
        with pytest.raises(StoreUnavailable, match="is it http"):
            caller(server.url.replace("http:", "https:")).get("/v1/x")
        assert not server.received
