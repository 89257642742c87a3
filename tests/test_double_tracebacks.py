"""What is cut off an error that we raised on purpose."""

from mockprovider.double.tracebacks import shorten
from mockprovider.errors import ProgramError


def test_an_error_raised_from_itself_ends():
    """SDKs raise errors from themselves; such a chain is cut, and does not go round for ever."""
    cause = ValueError("boom")
    cause.__cause__ = cause
    try:
        raise ProgramError("it failed") from cause
    except ProgramError as error:
        shorten(error, error.__traceback__, __file__)
        led_to = error.__cause__
    assert led_to is None
