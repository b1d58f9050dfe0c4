"""Where a model is reached, under which rules, and what must not leak from there."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from urllib.parse import urlsplit

from evals_pipeline.core.errors import SetupError
from evals_pipeline.core.records import JsonValue
from evals_pipeline.core.settings import ModelSettings, Provider

OPENAI_URL = "https://api.openai.com/v1"
REDACTED = "[redacted]"
KEY_OF_KEYLESS_SERVERS = "not-needed"
SHORTEST_SECRET = 8

_OWN_PARAMETERS = frozenset(
    {
        "model", "messages", "response_format", "stream", "n", "temperature", "seed",
        "max_tokens", "max_completion_tokens", "logprobs", "timeout",
    }
)  # fmt: skip
BACKSLASHES = r"\\*"
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model version behind one OpenAI-compatible address.

    ``model`` is the name that is asked for, ``pin`` the one that has to come back. ``structured``
    is auto, json_schema, json_object or text. ``seed`` counts up with the run index, so that
    repeats are samples of their own. ``max_retries`` counts calls beyond the first.
    """

    model_version: str
    model: str
    pin: str
    provider: str = "openai"
    base_url: str = OPENAI_URL
    api_key_env: str | None = None
    structured: str = "auto"
    input: str = "auto"
    temperature: Decimal | None = Decimal(0)
    seed: int | None = None
    max_output_tokens: int | None = None
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    max_concurrency: int = 8
    requests_per_minute: float | None = None
    timeout_s: float = 60.0
    max_retries: int = 5
    budget_usd: Decimal | None = None
    budget_tokens: int | None = None

    @classmethod
    def of_settings(cls, settings: ModelSettings) -> "Endpoint":
        """The endpoint that a model version's settings describe.

        Raises:
            SetupError: the settings are not those of a model behind an endpoint, or set through
                ``parameters`` what has a setting of its own.
        """
        if settings.provider is not Provider.OPENAI or settings.model is None:
            raise SetupError(
                f"{settings.name}: provider {settings.provider.value!r} asks no model; expected "
                '"openai".'
            )
        taken = sorted(_OWN_PARAMETERS & settings.parameters.keys())
        if taken:
            raise SetupError(
                f"{settings.name}: parameters sets {', '.join(taken)}, which this package fills "
                "in. Use the setting of that name, where there is one, or leave it out."
            )
        warmth = settings.temperature
        return cls(
            model_version=settings.name,
            model=settings.model,
            pin=settings.provider_model or settings.model,
            base_url=(settings.base_url or OPENAI_URL).rstrip("/"),
            api_key_env=settings.api_key_env,
            structured=settings.structured.value,
            input=settings.input.value,
            temperature=None if warmth is None else Decimal(str(warmth)),
            seed=settings.seed,
            max_output_tokens=settings.max_output_tokens,
            parameters=settings.parameters,
            max_concurrency=settings.max_concurrency,
            requests_per_minute=settings.requests_per_minute,
            timeout_s=settings.timeout_s,
            max_retries=settings.max_retries,
            budget_usd=settings.budget_usd,
            budget_tokens=settings.budget_tokens,
        )

    @property
    def shown_url(self) -> str:
        """The address without a password or a query in it."""
        return _USER_INFO.sub("", self.base_url).partition("?")[0]

    def check_address(self) -> None:
        """Refuses an address that nothing can be sent to.

        Raises:
            SetupError: it is not http(s), or has no host, or no sound port.
        """
        try:
            parts = urlsplit(self.base_url)
            is_sound = parts.scheme in ("http", "https") and bool(parts.hostname)
            is_sound = is_sound and parts.port != 0
        except ValueError:
            is_sound = False
        if is_sound and "@" in parts.netloc and self.api_key_env:
            raise SetupError(
                f"{self.model_version}: base_url {self.shown_url!r} holds a name or a password, "
                f"which would be sent in place of the key in {self.api_key_env}. Take one out."
            )
        if not is_sound or any(letter.isspace() for letter in self.base_url):
            raise SetupError(
                f"{self.model_version}: base_url {self.shown_url!r} is no address; expected "
                '"https://host/v1" or "http://host:port/v1".'
            )

    def key_from(self, environ: Mapping[str, str]) -> str:
        """The API key, from the environment only.

        Raises:
            SetupError: the settings name a variable that is not set.
        """
        if self.api_key_env is None:
            if self.base_url == OPENAI_URL:
                raise SetupError(
                    f"{self.model_version}: no variable for the API key is named. "
                    f'Set api_key_env = "OPENAI_API_KEY" in '
                    f'[tool.evals.models."{self.model_version}"].'
                )
            return KEY_OF_KEYLESS_SERVERS
        key = environ.get(self.api_key_env, "").strip()
        if not key:
            raise SetupError(
                f"{self.model_version}: the environment variable {self.api_key_env} is not set; "
                "expected the API key. Set it, or use recorded answers."
            )
        if not key.isascii() or not key.isprintable():
            raise SetupError(
                f"{self.model_version}: the environment variable {self.api_key_env} holds "
                "characters that no API key has. Copy the key again."
            )
        return key


class Redactor:
    """Takes secrets out of every text that comes from outside before it is kept or shown."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # The placeholder of servers without a key is no secret, and too plain a word to take out.
        worth_hiding = {secret for secret in secrets if secret and secret != KEY_OF_KEYLESS_SERVERS}
        self._secrets = [
            (len(secret), _spellings(secret))
            for secret in sorted(worth_hiding, key=len, reverse=True)
        ]

    def message(self, text: str) -> str:
        """A message without secrets and without the user info of addresses.

        >>> Redactor(["sk-1234"]).message("key sk-1234 refused")
        'key [redacted] refused'
        """
        return _USER_INFO.sub(f"{REDACTED}@", self._without(text, shortest=1))

    def content(self, text: str) -> str:
        """A model's words without secrets, otherwise untouched.

        A key of a few letters, as local servers take, stays: it is no secret, and an answer may
        hold the word.
        """
        return self._without(text, shortest=SHORTEST_SECRET)

    def _without(self, text: str, *, shortest: int) -> str:
        for length, spellings in self._secrets:
            if length >= shortest:
                text = spellings.sub(REDACTED, text)
        return text


def _spellings(secret: str) -> re.Pattern[str]:
    """The secret as it is, and as JSON may write it: any letter by its number, a slash escaped."""
    return re.compile("".join(map(_spellings_of, secret)))


def _spellings_of(letter: str) -> str:
    # JSON within JSON doubles every backslash, so any number of them may stand before a letter.
    number = "".join(f"[{digit}{digit.upper()}]" for digit in f"{ord(letter):04x}")
    plain = re.escape(letter)
    return rf"(?:{'' if letter.isalnum() else BACKSLASHES}{plain}|\\+u{number})"
