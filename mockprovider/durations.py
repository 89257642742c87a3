"""Durations as engines and configurations write them."""

from __future__ import annotations

import re

from mockprovider.errors import MalformedError

UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")
DAY = 86400.0
DAYS = {"d": DAY, "w": 7 * DAY}
AGE = re.compile(r"([0-9]{1,6})([dw])")

TIMEOUTS = "timeouts"
"""What a configuration calls its own limits of operations, in a protocol that sends them among the inputs."""


def shown(wanted: float) -> str:
    """Seconds as Go's programs show a duration: ``30m0s``, ``1.5s``."""
    if 0 < wanted < 1:
        return f"{wanted * 1000:g}ms"
    minutes, rest = divmod(wanted, 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{f'{hours}h' if hours else ''}{f'{minutes}m' if hours or minutes else ''}{rest:g}s"


def seconds(duration: str) -> float:
    """A Go duration such as ``1h30m`` or ``5m`` in seconds; an empty one is 0. Raises ``MalformedError``."""
    if not duration:
        return 0.0
    parts = DURATION.findall(duration)
    if "".join(number + unit for number, unit in parts) != duration:
        raise MalformedError(f"{duration!r} is no duration. Write it as '90s', '5m' or '1h30m'.")
    return sum(float(number) * UNITS[unit] for number, unit in parts)


def age(text: str) -> float:
    """An age such as ``90d``, ``12w`` or ``36h`` in seconds. Raises ``MalformedError`` for what is none, or no time at all."""
    days = AGE.fullmatch(text)
    try:
        wanted = int(days[1]) * DAYS[days[2]] if days else seconds(text)
    except MalformedError:
        wanted = 0.0
    if not wanted:
        raise MalformedError(f"{text!r} is no age. Write it as '90d', '12w' or '36h'.")
    return wanted


def shown_age(wanted: float) -> str:
    """An age as people tell it: in days, or in hours where it is less than two."""
    count, unit = (int(wanted // 3600), "hour") if wanted < 2 * DAY else (int(wanted // DAY), "day")
    return f"{count} {unit}{'' if count == 1 else 's'}"
