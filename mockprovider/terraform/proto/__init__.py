"""The messages of Terraform's provider protocol, majors 5 and 6, and of the plugin handshake beside it.

``table`` has the definitions once, under major 6's names. ``build`` makes protobuf descriptors from them in a private pool, so
that they cannot clash with another copy of ``tfplugin5`` or ``tfplugin6`` in the same process.
"""

from mockprovider.terraform.proto.build import PLUGIN, Proto, protocol

__all__ = ["PLUGIN", "Proto", "protocol"]
