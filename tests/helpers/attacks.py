"""Hostile requests as bytes: each with the replies that are right, and none of them is a 5xx.

A reply of 0 is a connection that was closed without one.
"""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["ATTACKS", "Attack", "send"]

_JSON = "Content-Type: application/json\r\n"
_FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
_TELL = "/v1/studies/mine:tell"
_PIECE = b"a" * 65536

Parts = Iterator[bytes]


@dataclass(frozen=True)
class Attack:
    """What is sent, and which replies are right."""

    name: str
    make: Callable[[random.Random, str], Parts]
    right: frozenset[int]


ATTACKS: list[Attack] = []


def _attack(*right: int) -> Callable[[Callable[[random.Random, str], Parts]], None]:
    def register(make: Callable[[random.Random, str], Parts]) -> None:
        name = make.__name__.replace("_", " ").strip()
        ATTACKS.append(Attack(name, make, frozenset(right)))

    return register


def _post(host: str, body: bytes, path: str = _TELL, extra: str = _JSON) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\n{extra}Content-Length: {len(body)}\r\n\r\n"
    return head.encode("latin-1") + body


def _get(host: str, path: str, extra: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{extra}\r\n".encode("latin-1")


def _chunked(host: str) -> bytes:
    head = f"POST {_TELL} HTTP/1.1\r\nHost: {host}\r\n{_JSON}Transfer-Encoding: chunked\r\n\r\n"
    return head.encode()


# -- paths and hosts ---------------------------------------------------------------------------


@_attack(404, 400, 422)
def traversal(draws: random.Random, host: str) -> Parts:
    up = draws.choice(
        ["../", "..%2f", "%2e%2e/", "..\\", "..%5c", "....//", "%c0%ae%c0%ae/", "..;/"]
    )
    where = draws.choice(["/static/", "/v1/studies/", "/studies/", "/", "/static/%00"])
    yield _get(host, where + up * draws.randint(1, 12) + draws.choice(["etc/passwd", "studies.db"]))


@_attack(404, 400, 414)
def long_paths(draws: random.Random, host: str) -> Parts:
    yield _get(host, "/v1/studies/" + "a" * draws.randint(200, 9000))


@_attack(421)
def rebinding(draws: random.Random, host: str) -> Parts:
    port = host.partition(":")[2]
    evil = draws.choice(
        [f"evil.example:{port}", "localhost.evil.example", f"127.0.0.1.nip.example:{port}",
         "10.0.0.1", "", f"localhost@evil.example:{port}", "[::2]", f"127.0.0.1:{port}:{port}"]
    )  # fmt: skip
    yield _get(evil, draws.choice(["/", "/v1/studies", "/v1/studies/mine/log", "/healthz"]))


@_attack(421, 400)
def two_hosts(draws: random.Random, host: str) -> Parts:
    second = draws.choice(["evil.example", host])
    yield _get(host, "/v1/studies", f"Host: {second}\r\n")


@_attack(403)
def foreign_pages(draws: random.Random, host: str) -> Parts:
    extra = draws.choice(
        ["Origin: http://evil.example\r\n", "Origin: null\r\n", "Sec-Fetch-Site: cross-site\r\n",
         "Sec-Fetch-Site: same-site\r\n", f"Origin: https://{host}.evil.example\r\n",
         f"Origin: http://{host}\r\nOrigin: http://evil.example\r\n"]
    )  # fmt: skip
    yield _post(host, b'{"trial":0,"value":1}', extra=_JSON + extra)


@_attack(415)
def forms_instead_of_json(draws: random.Random, host: str) -> Parts:
    kind = draws.choice(
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
    )
    yield _post(host, b'{"trial":0,"value":1}', extra=f"Content-Type: {kind}\r\n")


@_attack(403)
def passed_on_by_a_proxy(draws: random.Random, host: str) -> Parts:
    name = draws.choice(["X-Forwarded-For", "Forwarded", "X-Real-IP"])
    yield _get(host, "/v1/studies", f"{name}: 127.0.0.1\r\n")


@_attack(403)
def forms_without_their_token(draws: random.Random, host: str) -> Parts:
    csrf = draws.choice(["", "&csrf=", "&csrf=x", "&csrf=%C3%A9", "&csrf=" + "a" * 2000])
    action = draws.choice(["again", "exclude", "include"])
    extra = draws.choice(["", f"Origin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n"])
    yield _post(host, f"trial=0{csrf}".encode(), f"/studies/mine/{action}", _FORM + extra)


@_attack(400, 403)
def bad_forms(draws: random.Random, host: str) -> Parts:
    body = draws.choice(
        [b"trial=0&trial=1", b"%ff=%ff", b"\xff\xfe", b"a&b&c", b"&" * 5000, b"x=" + b"%" * 9000,
         b"&".join(b"f%d=1" % i for i in range(2000))]
    )  # fmt: skip
    yield _post(host, body, draws.choice(["/studies/mine/exclude", "/logout"]), _FORM)


# -- bodies ------------------------------------------------------------------------------------


@_attack(400, 422)
def deep_json(draws: random.Random, host: str) -> Parts:
    depth = draws.choice([33, 100, 1000, 50_000, 200_000])
    opening = draws.choice(["[", '{"a":', '{"trial":[', '[{"":'])
    yield _post(host, (opening * depth).encode()[: 2**20 - 1])


@_attack(400, 422)
def brackets_and_quotes(draws: random.Random, host: str) -> Parts:
    letters = draws.choice(['"', '\\"', "[]", '{"', '["\\', "{}", ' "\\\\"'])
    yield _post(host, (letters * draws.randint(100, 200_000)).encode()[: 2**20 - 1])


@_attack(400)
def duplicate_keys(draws: random.Random, host: str) -> Parts:
    value = draws.randint(0, 9)
    yield _post(host, b'{"trial":0,"value":1,"value":%d}' % value)


@_attack(400)
def not_numbers(draws: random.Random, host: str) -> Parts:
    bad = draws.choice(
        ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000, "0x10", "1_0"]
    )
    yield _post(host, f'{{"trial":0,"value":{bad}}}'.encode())


@_attack(422)
def other_types(draws: random.Random, host: str) -> Parts:
    bad = draws.choice(['"1"', "true", "null", "[1]", '{"a":1}', '"NaN"'])
    yield _post(host, f'{{"trial":0,"value":{bad}}}'.encode())


@_attack(422)
def unknown_fields(draws: random.Random, host: str) -> Parts:
    name = draws.choice(["__class__", "policy", "store", "path", "fn", "$ref", "constructor"])
    yield _post(host, f'{{"trial":0,"value":1,"{name}":"x"}}'.encode())


@_attack(404, 422)
def numbers_of_no_trial(draws: random.Random, host: str) -> Parts:
    number = draws.choice(
        ["-1", "10000", "9007199254740993", "1e3", "0.5", str(2**63), str(10**40)]
    )
    yield _post(host, f'{{"trial":{number},"value":1}}'.encode())


@_attack(400)
def not_utf8(draws: random.Random, host: str) -> Parts:
    bad = draws.choice([b"\xff", b"\xc0\xae", b"\xed\xa0\x80", b"\x80", b"\xf5\x80\x80\x80"])
    yield _post(host, b'{"trial":0,"value":1,"worker":"' + bad + b'"}')


@_attack(422, 404, 200, 400)
def odd_texts(draws: random.Random, host: str) -> Parts:
    text = draws.choice(
        ["\\ud800", "\\u0000", "\\u202e", "\\n\\r", "'; DROP TABLE stoic_log;--", "\\u001b[2J"]
    )
    yield _post(host, f'{{"trial":0,"text":"{text}"}}'.encode(), "/v1/studies/mine:note")


@_attack(400, 422)
def random_bytes(draws: random.Random, host: str) -> Parts:
    yield _post(host, draws.randbytes(draws.randint(0, 5000)))


@_attack(413)
def announced_gigabyte(draws: random.Random, host: str) -> Parts:
    size = draws.choice([2**20 + 1, 10**9, 10**17])
    yield f"POST {_TELL} HTTP/1.1\r\nHost: {host}\r\n{_JSON}Content-Length: {size}\r\n\r\n".encode()
    yield _PIECE


@_attack(400)
def odd_lengths(draws: random.Random, host: str) -> Parts:
    size = draws.choice(["-1", "1e3", "٣", "0x10", "1,1", "", "9" * 40])
    head = f"POST {_TELL} HTTP/1.1\r\nHost: {host}\r\n{_JSON}Content-Length: {size}\r\n\r\nabc"
    yield head.encode("utf-8")


@_attack(413, 0)
def gigabyte_in_chunks(draws: random.Random, host: str) -> Parts:
    del draws
    yield _chunked(host)
    for _ in range(2**14):
        yield b"10000\r\n" + _PIECE + b"\r\n"


@_attack(400, 0)
def bad_chunks(draws: random.Random, host: str) -> Parts:
    yield _chunked(host)
    yield draws.choice(
        [b"xyz\r\n", b"-1\r\nabc\r\n", b"fffffffffffffffffffff\r\n", b"1\r\nabc\r\n0\r\n\r\n"]
    )


@_attack(400)
def smuggling(draws: random.Random, host: str) -> Parts:
    extra = draws.choice(
        ["Content-Length: 4\r\nContent-Length: 5\r\n", "Transfer-Encoding: xchunked\r\n",
         "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding : chunked\r\n"]
    )  # fmt: skip
    yield f"POST {_TELL} HTTP/1.1\r\nHost: {host}\r\n{_JSON}{extra}\r\nabcde".encode()


# -- headers -----------------------------------------------------------------------------------


@_attack(400, 431, 0)
def header_floods(draws: random.Random, host: str) -> Parts:
    yield f"GET /v1 HTTP/1.1\r\nHost: {host}\r\n".encode()
    line = f"X-A: {'a' * draws.choice([1, 100, 4000])}\r\n".encode()
    for _ in range(2000):
        yield line * 20
    yield b"\r\n"


@_attack(400, 431, 0)
def one_long_header(draws: random.Random, host: str) -> Parts:
    yield f"GET /v1 HTTP/1.1\r\nHost: {host}\r\nX-A: ".encode()
    for _ in range(draws.randint(1, 100)):
        yield _PIECE
    yield b"\r\n\r\n"


@_attack(400, 421)
def odd_headers(draws: random.Random, host: str) -> Parts:
    line = draws.choice(
        ["X A: b", "X-A: a\x00b", ": nothing", "no colon", "X-A\r: b", " folded: yes", "X-\x7f: a"]
    )
    yield f"GET /v1 HTTP/1.1\r\nHost: {host}\r\n{line}\r\n\r\n".encode("latin-1")


@_attack(400, 404, 405, 0)
def odd_requests(draws: random.Random, host: str) -> Parts:
    line = draws.choice(
        ["GET /v1", "GET  /v1 HTTP/1.1", "\x16\x03\x01\x02", "PRI * HTTP/2.0", "TRACE /v1 HTTP/1.1",
         "OPTIONS * HTTP/1.1", "G\x00T / HTTP/1.1", "CONNECT evil.example:443 HTTP/1.1",
         "PUT /v1/studies/mine HTTP/1.1", "GET http://evil.example/v1x HTTP/1.1"]
    )  # fmt: skip
    yield f"{line}\r\nHost: {host}\r\n\r\n".encode("latin-1")


@_attack(422, 400, 415)
def long_keys(draws: random.Random, host: str) -> Parts:
    key = draws.choice(["", "a" * 201, "ä", "a" * 5000, "x\r\nIdempotency-Key: y"])
    yield _post(host, b"{}", "/v1/studies/mine:ask", f"{_JSON}Idempotency-Key: {key}\r\n")


@_attack(422, 400)
def bad_spaces(draws: random.Random, host: str) -> Parts:
    space = draws.choice(
        ['["x=0:1.0","x=0:2.0"]', "[]", "{}", '["x"]', '{"parameters":1}', '[{"name":"x"}]',
         '["x=1e400:1"]', '[{"name":"x","type":"float","low":1,"high":0}]', "[1]", '"x=0:1"',
         '[{"name":"x","type":"__class__"}]',
         '{"format":"stoic.Space","version":9,"parameters":[]}',
         '{"format":"stoic.Space","version":2,"parameters":[{"name":"x","type":"float","low":0,'
         '"high":1,"scale":"linear"}],"valid":["__import__(\\"os\\")"]}']
    )  # fmt: skip
    body = f'{{"name":"n{draws.randint(0, 99)}","direction":"minimize","space":{space}}}'
    yield _post(host, body.encode(), "/v1/studies")


@_attack(422, 400)
def too_many_parameters(draws: random.Random, host: str) -> Parts:
    listed = ",".join(f'"p{i}=0:1"' for i in range(draws.choice([201, 5000])))
    yield _post(host, f'{{"name":"n","direction":"minimize","space":[{listed}]}}'.encode(),
                "/v1/studies")  # fmt: skip


@_attack(422)
def bad_names(draws: random.Random, host: str) -> Parts:
    name = draws.choice(["", "../a", "a/b", "a:ask", "-a", "a b", "a" * 101, "\\u202e", "é", ".."])
    body = f'{{"name":"{name}","direction":"minimize","space":["x=0:1.0"]}}'
    yield _post(host, body.encode(), "/v1/studies")


@_attack(422, 404, 400)
def bad_queries(draws: random.Random, host: str) -> Parts:
    query = draws.choice(
        ["limit=0", "limit=99999999", "cursor=-1", "cursor=a", "limit=1&limit=2", "x=1", "%ff",
         "cursor=" + "9" * 39, "limit=1e3", "token=stoic_a_b", "after=5"]
    )  # fmt: skip
    yield _get(host, f"/v1/studies/mine/trials?{query}")


def send(port: int, attack: Attack, draws: random.Random, timeout: float = 30.0) -> tuple[int, int]:
    """Send an attack; the status of the reply, and how many bytes were taken."""
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        with contextlib.suppress(ConnectionError):
            for part in attack.make(draws, f"127.0.0.1:{port}"):
                connection.sendall(part)
                sent += len(part)
        reply = b""
        with contextlib.suppress(ConnectionError):
            while b"\r\n" not in reply:
                piece = connection.recv(4096)
                if not piece:
                    break
                reply += piece
    words = reply.split(b" ", 2)
    return (int(words[1]) if len(words) > 1 and words[1].isdigit() else 0), sent
