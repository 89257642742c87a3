"""A package schema as providers publish them, cut down: mailboxes and the keys of their users."""

from __future__ import annotations

import json
from typing import Any

TIER = "#/types/post:index%2Ftier:Tier"
SCHEMA: dict[str, Any] = {
    "name": "post",
    "displayName": "Post",
    "version": "4.2.1",
    "publisher": "Nobody",
    "meta": {"moduleFormat": "(.*)(?:/[^/]*)"},
    "language": {"python": {"pyproject": {"enabled": True}}},
    "config": {
        "variables": {
            "region": {"type": "string", "description": "Where mail is kept."},
            "token": {"type": "string", "secret": True, "defaultInfo": {"environment": ["POST_TOKEN"]}},
        },
        "defaults": ["region"],
    },
    "provider": {
        "inputProperties": {
            "region": {"type": "string", "description": "Where mail is kept."},
            "token": {"type": "string", "secret": True, "defaultInfo": {"environment": ["POST_TOKEN"]}},
            "retries": {"type": "integer", "default": 3},
        },
        "requiredInputs": ["region", "token"],
    },
    "types": {
        "post:index/tier:Tier": {
            "type": "string",
            "enum": [{"name": "Small", "value": "s{1}"}, {"value": "large", "description": "a lot"}],
        },
        "post:index/rule:Rule": {
            "type": "object",
            "description": "What happens to a message.",
            "properties": {
                "to": {"type": "string"},
                "keep": {"type": "boolean", "default": True},
                "tier": {"type": "string", "$ref": TIER},
                "otherwise": {"$ref": "#/types/post:index%2Frule:Rule"},
            },
            "required": ["to", "keep"],
        },
        "post:index/status:Status": {
            "type": "object",
            "properties": {"tier": {"$ref": TIER}, "size": {"type": "integer"}, "badge": {"$ref": "pulumi.json#/Asset"}},
            "required": ["tier"],
        },
    },
    "resources": {
        "post:index/mailbox:Mailbox": {
            "description": "A mailbox.",
            "properties": {
                "address": {"type": "string", "willReplaceOnChanges": True},
                "domain": {"type": "string"},
                "quota": {"type": "integer"},
                "tier": {"$ref": TIER},
                "rules": {"type": "array", "items": {"$ref": "#/types/post:index%2Frule:Rule"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "password": {"type": "string", "secret": True},
                "state": {"$ref": TIER, "description": "What it is now."},
                "status": {"$ref": "#/types/post:index%2Fstatus:Status"},
                "number": {"type": "integer"},
                "kind": {"type": "string", "const": "mailbox"},
            },
            "required": ["address", "domain", "quota", "number", "state", "status", "kind"],
            "inputProperties": {
                "address": {"type": "string"},
                "domain": {"type": "string"},
                "quota": {"oneOf": [{"type": "integer"}, {"type": "number"}], "default": 10},
                "tier": {"$ref": TIER, "replaceOnChanges": True},
                "rules": {"type": "array", "items": {"$ref": "#/types/post:index%2Frule:Rule"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "password": {"type": "string"},
                "apiVersion": {"type": "string", "const": "v1"},
            },
            "requiredInputs": ["address", "apiVersion"],
            "stateInputs": {"properties": {"address": {"type": "string"}}},
            "aliases": [{"type": "post:index:Mailbox"}],
        },
        "post:index/office:Office": {
            "isComponent": True,
            "inputProperties": {"city": {"type": "string"}},
            "requiredInputs": ["city"],
            "properties": {"city": {"type": "string"}, "floors": {"type": "integer"}},
            "required": ["city", "floors"],
        },
    },
    "functions": {
        "post:index/getMailbox:getMailbox": {
            "inputs": {
                "type": "object",
                "properties": {"address": {"type": "string"}, "deep": {"type": "boolean"}},
                "required": ["address"],
            },
            "outputs": {
                "type": "object",
                "properties": {
                    "address": {"type": "string"},
                    "size": {"type": "integer"},
                    "tier": {"$ref": TIER},
                    "secretKey": {"type": "string", "secret": True},
                },
                "required": ["address", "size"],
            },
        },
        "post:index/mailbox:Mailbox/open": {
            "inputs": {
                "type": "object",
                "properties": {"__self__": {"$ref": "#/resources/post:index%2Fmailbox:Mailbox"}},
                "required": ["__self__"],
            },
        },
    },
}
TEXT = json.dumps(SCHEMA, indent=1)
MAILBOX = "post:index/mailbox:Mailbox"
GET_MAILBOX = "post:index/getMailbox:getMailbox"
OFFICE = "post:index/office:Office"
