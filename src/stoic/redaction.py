"""Remove secrets from displayed texts: passwords in URLs, connection strings and commands.

A secret is the password of a URL, or the value that follows a secret's name: in the query of a
URL, in ``name=value``, in JSON, in a header, or behind an option. Names are read word by word, so
that ``--max-tokens 512`` and ``--sort-key id`` stay as they are. A secret that a program gets in
another way (``-p…``, a file) can't be recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import unquote

__all__ = [
    "MASK",
    "harmless",
    "masked",
    "redacted",
    "redacted_command",
    "redacted_url",
    "secrets_of",
]

MASK = "***"
_SHORTEST_SECRET = 4  # characters; a shorter one would match by chance

# The last word of a secret's name: its ending, the whole word, and the word before "key".
_ENDINGS = (
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "authorization",
    "credential", "credentials", "apikey", "accesskey", "secretkey",
)  # fmt: skip
_WORDS = {"pass", "auth", "key"}
_KEYS = {"api", "access", "private", "secret", "auth", "account", "signing", "encryption", "master"}
_EVERYDAY = {"pass", "auth", "key", "token", "secret"}  # before a colon: may be ordinary words

# Of a store's URL only these are shown: a secret's name may be misspelled. They are libpq's.
_HARMLESS = frozenset(
    {
        "host", "hostaddr", "port", "dbname", "user", "service", "options", "sslmode", "passfile",
        "connect_timeout", "application_name", "client_encoding", "target_session_attrs",
        "sslrootcert", "sslcert", "sslkey", "sslcrl", "gssencmode", "channel_binding",
    }
)  # fmt: skip

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SIGN = re.compile(
    r"""(?<![\w.%-])(?P<name>[\w.%-]++)
    (?:["']?\s*=(?!=)\s*|(?P<colon>["']?\s*:\s*(?:(?:basic|bearer|digest|token)\s+)?)|(?P<gap>\s+))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_VALUE = re.compile(
    r"""\*{3}(?![^\s&'"\]),;}])|\{[^{}\s]+\}(?=[\s&'"]|$)
    |"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'
    |[^\s&]*[^\s&'"\]),;]|[^\s&]+""",
    re.VERBOSE,
)
_USER = re.compile(  # of a URL in a text; what follows up to the last @ is a password
    r"(?P<user>(?://|\bpostgres\w*(?:\+\w+)?:/?)[^\s:/@]*:)(?P<password>(?:(?!://)\S)*)(?=@)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:/+|\w*//+|postgres\w*(?:\+\w+)?:", re.IGNORECASE)
_PORT = re.compile(r"\d*(?=[/?]|$)")
_PARAMETER = re.compile(r"(?<=[?&])(?P<name>[^=&]*)=(?P<value>[^&]*)")
_OPTION = re.compile(r"--?(?P<name>[A-Za-z][\w.-]*)")
_ASSIGNMENT = re.compile(r"(?P<name>-{0,2}\w[\w.-]*)=(?P<value>.+)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{[^{}]+\}")

Hide = Callable[[str], str]  # from a secret to its replacement


def redacted(text: str) -> str:
    """A text without the secrets of the URLs, connection strings and options in it.

    >>> redacted("no answer from postgresql://ann:hush@db/tuning?sslpassword=hush2")
    'no answer from postgresql://ann:***@db/tuning?sslpassword=***'
    >>> redacted("host=db user=ann password='two words' dbname=tuning")
    'host=db user=ann password=*** dbname=tuning'
    """
    return _redacted(text, _hide)


def redacted_url(url: str) -> str:
    """A text that is one URL of a store, or was meant to be one, without its secrets.

    Everything that may be a password is treated as one: all up to the last ``@``, a port that is
    not a number, and parameters that are not known to be harmless.

    >>> redacted_url("postgresql://ann:p@ss word@db/tuning"), redacted_url("postgres//ann:hush")
    ('postgresql://ann:***@db/tuning', 'postgres//ann:***')
    """
    scheme = _SCHEME.match(url)
    start = scheme.end() if scheme is not None else 0
    user, colon, rest = url[start:].partition(":")
    if colon and not set(user) & set("/?["):
        if "@" in rest and "@" not in user:
            url = f"{url[:start]}{user}:{MASK}@{rest.rpartition('@')[2]}"
        elif scheme is not None and not _PORT.match(rest):
            url = f"{url[:start]}{user}:{MASK}{rest[len(re.split('[/?]', rest)[0]) :]}"
    return redacted(_PARAMETER.sub(_parameter, url))


def redacted_command(arguments: Sequence[str]) -> list[str]:
    """A command without its secrets; a placeholder ``{name}`` of a parameter stays.

    >>> redacted_command(["./bench", "--password", "hush", "--token={t}", "PGPASSWORD=hush"])
    ['./bench', '--password', '***', '--token={t}', 'PGPASSWORD=***']
    """
    return _command(arguments, _hide_literal)


def secrets_of(arguments: Sequence[str]) -> list[str]:
    """The secrets of a command, as written and decoded."""
    found: dict[str, None] = {}

    def collect(secret: str) -> str:
        found.update(dict.fromkeys((bare := _bare(secret), unquote(bare))))
        return _hide_literal(secret)

    _command(arguments, collect)
    return [secret for secret in found if not _PLACEHOLDER.fullmatch(secret)]


def masked(text: str, secrets: Iterable[str]) -> str:
    """A text without these secrets; short ones are left."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, MASK) if len(secret) >= _SHORTEST_SECRET else text
    return text


def harmless(parameter: str) -> bool:
    """Whether a parameter of a store's URL may be shown."""
    return unquote(parameter).lower() in _HARMLESS


def _parameter(found: re.Match[str]) -> str:
    return found[0] if harmless(found["name"]) else f"{found['name']}={MASK}"


def _hide(secret: str) -> str:
    del secret
    return MASK


def _hide_literal(secret: str) -> str:
    return secret if _PLACEHOLDER.fullmatch(_bare(secret)) else MASK


def _bare(secret: str) -> str:
    """Without quotes around it."""
    quoted = len(secret) > 1 and secret[0] in "\"'" and secret[-1] == secret[0]
    return secret[1:-1] if quoted else secret


def _redacted(text: str, hide: Hide) -> str:
    text = _USER.sub(lambda found: found["user"] + hide(found["password"]), text)
    parts, done, at = [], 0, 0
    while (sign := _SIGN.search(text, at)) is not None:
        at = sign.end()
        value = _VALUE.match(text, at) if _announces(sign) else None
        if value is not None:
            parts += [text[done:at], hide(value[0])]
            done = at = value.end()
    return "".join(parts) + text[done:]


def _announces(sign: re.Match[str]) -> bool:
    """Whether a secret follows."""
    name = unquote(sign["name"])
    if sign["gap"]:
        return name.startswith("--") and _secret(name)
    if sign["colon"] and name.lower() in _EVERYDAY and sign["colon"][0] not in "\"'":
        return False
    return _secret(name)


def _secret(name: str) -> bool:
    """Whether a name is that of a secret.

    >>> [_secret(name) for name in ("PGPASSWORD", "apiKey", "max-tokens", "sort_key", "passes")]
    [True, True, False, False, False]
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if words[1:] and words[-1] == "key":
        return words[-2] in _KEYS
    last = (re.findall("[a-z]+", name.lower()) or [""])[-1]
    return last in _WORDS or last.endswith(_ENDINGS)


def _command(arguments: Sequence[str], hide: Hide) -> list[str]:
    shown: list[str] = []
    announced = False  # whether the argument before was an option such as --password
    for argument in arguments:
        assignment = _ASSIGNMENT.fullmatch(argument)
        option = _OPTION.fullmatch(argument)
        if announced and argument:
            shown.append(hide(argument))
        elif assignment is not None and _secret(assignment["name"]):
            shown.append(f"{assignment['name']}={hide(assignment['value'])}")
        else:
            shown.append(_redacted(argument, hide))
        announced = not announced and option is not None and _secret(option["name"])
    return shown
