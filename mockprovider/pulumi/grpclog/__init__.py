"""The engine's ``PULUMI_DEBUG_GRPC`` log (reference 10.1): written from a journal or a cassette, and read into calls.

It has secrets in plain text. Commit a cassette instead.
"""

from mockprovider.pulumi.grpclog.reading import read_log
from mockprovider.pulumi.grpclog.writing import cassette_lines, lines

__all__ = ["cassette_lines", "lines", "read_log"]
