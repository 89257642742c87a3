"""What credentials look like: known forms, and text that somebody rolled dice for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping

FORMS: Mapping[str, str] = {
    "an AWS access key": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    "a private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    "a JSON Web Token": r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*",
    "a GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})",
    "a GitLab token": r"\bgl(?:pat|rt|dt|ptt|soat|cbt)-[\w-]{20,}",
    "a Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bhttps://hooks\.slack\.com/services/\w+/\w+/\w+",
    "a Google API key": r"\bAIza[\w-]{35}|\bya29\.[\w-]{20,}",
    "a Stripe key": r"\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{16,}",
    "an npm token": r"\bnpm_[A-Za-z0-9]{36}",
    "a PyPI token": r"\bpypi-[\w-]{32,}",
    "a Pulumi access token": r"\bpul-[0-9a-f]{40}",
    "a Terraform Cloud token": r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}",
    "a Vault token": r"\bhv[sbr]\.[\w-]{20,}",
    "a DigitalOcean token": r"\bdo[opr]_v1_[0-9a-f]{64}",
    "a SendGrid key": r"\bSG\.[\w-]{16,}\.[\w-]{16,}",
    "an Azure connection string": r"\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{20,}",
    "a URL with a password": r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"']*:[^\s/@\"']+@[^\s/]",
}
"""The forms of credentials that their makers document, or that cannot be anything else."""
KNOWN = re.compile("|".join(f"({pattern})" for pattern in FORMS.values()))
NAMES = tuple(FORMS)

CREDENTIAL_NAMES = re.compile(
    r"(?:access|secret|api|private|account|client|auth|encryption|subscription)_?key|secret|token|passw|credential|profile"
    r"|assume_role|certificate|(?:^|_)cert(?:$|_)|kube_?config|config_path|shared_.*file|user_?name|^user$|^login$"
)
"""Names of settings, in snake_case, by which providers are told who asks."""

RANDOM = re.compile(r"(?<![\w+/=.:-])[A-Za-z0-9+/_-]{24,128}={0,2}(?![\w+/=.:-])")
OPENLY = re.compile(r"-----BEGIN (?:CERTIFICATE|[A-Z ]*PUBLIC KEY)|\b(?:ssh|ecdsa)-[a-z0-9-]+ AAAA")
"""Keys and certificates that are made to be shown; a private key is a known form."""
BITS = 4.0
"""Random text of 24 letters and digits has more bits a character; words and paths have less."""


def known_form(text: str) -> str:
    """The kind of credential that ``text`` holds by its form, such as ``a GitHub token``; empty if it holds none."""
    match = KNOWN.search(text)
    # The pattern has no groups but the forms.
    return NAMES[match.lastindex - 1] if match and match.lastindex else ""


def looks_random(text: str) -> bool:
    """Whether ``text`` holds a word that looks like dice: long, of capitals, small letters and digits, hardly any twice."""
    return not OPENLY.search(text) and any(_bits(word) >= BITS and _is_mixed(word) for word in RANDOM.findall(text))


def _is_mixed(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.islower, word)) and any(map(str.isupper, word))


def _bits(word: str) -> float:
    counts = Counter(word).values()
    return -sum(count / len(word) * math.log2(count / len(word)) for count in counts)
