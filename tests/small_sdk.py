"""A small Python SDK in the manner of Pulumi's generators: of 2021 (``OLD``), and of today (``NEW``)."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

PLUGIN = '{"resource": true, "name": "cloud", "version": "2.3.4"}'
MODULE_HEAD = """
import pulumi
import pulumi.runtime
from typing import Any, Mapping, Optional, Sequence, Union, overload
from .. import _utilities
from . import outputs
from ._enums import *
from ._inputs import *
"""

NEW_BUCKET = '''
@pulumi.input_type
class BucketArgs:
    def __init__(__self__, *, display_name, rules=None):
        pass

    @_builtins.property
    @pulumi.getter(name="displayName")
    def display_name(self) -> pulumi.Input[_builtins.str]:
        """
        How it is shown.
        """
        return pulumi.get(self, "display_name")

    @display_name.setter
    def display_name(self, value):
        pulumi.set(self, "display_name", value)

    @_builtins.property
    @pulumi.getter
    def rules(self) -> pulumi.Input[Optional[Sequence[pulumi.Input[Union['BucketRuleArgs', 'BucketRuleArgsDict']]]]]:
        return pulumi.get(self, "rules")

    @_builtins.property
    @pulumi.getter
    def size(self) -> pulumi.Input[Optional[_builtins.int]]:
        return pulumi.get(self, "size")

    @_builtins.property
    @pulumi.getter
    def token(self) -> pulumi.Input[Optional[_builtins.str]]:
        return pulumi.get(self, "token")

    @_builtins.property
    @pulumi.getter
    def source(self) -> pulumi.Input[Optional[Union[pulumi.Asset, pulumi.Archive]]]:
        return pulumi.get(self, "source")

    @_builtins.property
    @pulumi.getter(name="apiVersion")
    def api_version(self) -> pulumi.Input[Optional[Literal['v1']]]:
        return pulumi.get(self, "api_version")


class Bucket(pulumi.CustomResource):
    def _internal_init(__self__, resource_name, opts=None, display_name=None, token=None, __props__=None):
        if opts.id is None:
            __props__ = BucketArgs.__new__(BucketArgs)
            __props__.__dict__["display_name"] = display_name
            __props__.__dict__["token"] = None if token is None else pulumi.Output.secret(token)
        alias_opts = pulumi.ResourceOptions(aliases=[pulumi.Alias(type_="cloud:old/bucket:Bucket")])
        opts = pulumi.ResourceOptions.merge(opts, alias_opts)
        secret_opts = pulumi.ResourceOptions(additional_secret_outputs=["key", "token"])
        opts = pulumi.ResourceOptions.merge(opts, secret_opts)
        replace_on_changes = pulumi.ResourceOptions(replace_on_changes=["displayName", "rules[*].days"])
        opts = pulumi.ResourceOptions.merge(opts, replace_on_changes)
        super(Bucket, __self__).__init__(
            'cloud:storage/bucket:Bucket',
            resource_name,
            __props__,
            opts)

    @_builtins.property
    @pulumi.getter
    def arn(self) -> pulumi.Output[_builtins.str]:
        return pulumi.get(self, "arn")

    @_builtins.property
    @pulumi.getter(name="displayName")
    def display_name(self) -> pulumi.Output[_builtins.str]:
        return pulumi.get(self, "display_name")

    @_builtins.property
    @pulumi.getter
    def key(self) -> pulumi.Output[Optional[_builtins.str]]:
        return pulumi.get(self, "key")

    @_builtins.property
    @pulumi.getter
    def rules(self) -> pulumi.Output[Optional[Sequence['outputs.BucketRule']]]:
        return pulumi.get(self, "rules")

    @_builtins.property
    @pulumi.getter
    def size(self) -> pulumi.Output[_builtins.int]:
        return pulumi.get(self, "size")

    def sign(__self__, *, hours: pulumi.Input[_builtins.float]) -> pulumi.Output['Bucket.SignResult']:
        __args__ = dict()
        __args__['__self__'] = __self__
        __args__['hours'] = hours
        return pulumi.runtime.call('cloud:storage/bucket:Bucket/sign', __args__, res=__self__, typ=Bucket.SignResult)

    @pulumi.output_type
    class SignResult:
        @_builtins.property
        @pulumi.getter(name="signedUrl")
        def signed_url(self) -> _builtins.str:
            return pulumi.get(self, "signed_url")
'''
NEW_FUNCTION = """
@pulumi.output_type
class GetZoneResult:
    @_builtins.property
    @pulumi.getter(name="zoneIds")
    def zone_ids(self) -> Sequence[_builtins.str]:
        return pulumi.get(self, "zone_ids")


class AwaitableGetZoneResult(GetZoneResult):
    pass


def get_zone(filters: Optional[Sequence[Union['GetZoneFilterArgs', 'GetZoneFilterArgsDict', 'outputs.GetZoneFilterResult']]] = None,
             region_name: Optional[_builtins.str] = None,
             opts: Optional[pulumi.InvokeOptions] = None) -> AwaitableGetZoneResult:
    __args__ = dict()
    __args__['filters'] = filters
    __args__['regionName'] = region_name
    __ret__ = pulumi.runtime.invoke('cloud:storage/getZone:getZone', __args__, opts=opts, typ=GetZoneResult).value
    return AwaitableGetZoneResult(zone_ids=pulumi.get(__ret__, 'zone_ids'))
def get_zone_output(filters: pulumi.Input[Optional[Optional[Sequence[Union['GetZoneFilterArgs', 'GetZoneFilterArgsDict']]]]] = None,
                    region_name: Optional[pulumi.Input[_builtins.str]] = None,
                    opts: Optional[pulumi.InvokeOptions] = None) -> pulumi.Output[GetZoneResult]:
    __args__ = dict()
    __args__['filters'] = filters
    __args__['regionName'] = region_name
    __ret__ = pulumi.runtime.invoke_output('cloud:storage/getZone:getZone', __args__, opts=opts, typ=GetZoneResult)
    return __ret__
"""
NEW_INPUTS = """
import pulumi
from typing import Optional
from ._enums import *

class BucketRuleArgsDict(TypedDict):
    days: pulumi.Input[_builtins.int]

@pulumi.input_type
class BucketRuleArgs:
    @_builtins.property
    @pulumi.getter
    def days(self) -> pulumi.Input[_builtins.int]:
        return pulumi.get(self, "days")

    @_builtins.property
    @pulumi.getter(name="storageClass")
    def storage_class(self) -> pulumi.Input[Optional[Union[_builtins.str, 'StorageClass']]]:
        return pulumi.get(self, "storage_class")

    @_builtins.property
    @pulumi.getter
    def inner(self) -> pulumi.Input[Optional['BucketRuleArgs']]:
        return pulumi.get(self, "inner")

    @_builtins.property
    @pulumi.getter
    def meta(self) -> pulumi.Input[Optional['_meta.v1.ObjectMetaArgs']]:
        return pulumi.get(self, "meta")

@pulumi.input_type
class GetZoneFilterArgs:
    @_builtins.property
    @pulumi.getter
    def name(self) -> _builtins.str:
        return pulumi.get(self, "name")
"""
OUTPUTS = """
import pulumi

@pulumi.output_type
class BucketRule(dict):
    @_builtins.property
    @pulumi.getter
    def days(self) -> _builtins.int:
        return pulumi.get(self, "days")
"""
ENUMS = """
import pulumi
from enum import Enum

@pulumi.type_token("cloud:storage:StorageClass")
class StorageClass(_builtins.str, Enum):
    COLD = "cold"
    HOT = "hot"
"""
META = """
import pulumi

@pulumi.input_type
class ObjectMetaArgs:
    @_builtins.property
    @pulumi.getter
    def labels(self) -> pulumi.Input[Optional[Mapping[str, pulumi.Input[_builtins.str]]]]:
        return pulumi.get(self, "labels")
"""
PROVIDER = """
import pulumi
from . import _utilities

@pulumi.input_type
class ProviderArgs:
    @_builtins.property
    @pulumi.getter(name="accessKey")
    def access_key(self) -> pulumi.Input[Optional[_builtins.str]]:
        return pulumi.get(self, "access_key")


class Provider(pulumi.ProviderResource):
    def _internal_init(__self__, resource_name, opts=None, access_key=None, __props__=None):
        __props__ = ProviderArgs.__new__(ProviderArgs)
        __props__.__dict__["access_key"] = None if access_key is None else pulumi.Output.secret(access_key)
        super(Provider, __self__).__init__(
            'cloud',
            resource_name,
            __props__,
            opts)
"""
COMPONENT = """
import pulumi
from . import _utilities

@pulumi.input_type
class SiteArgs:
    @_builtins.property
    @pulumi.getter
    def domain(self) -> pulumi.Input[_builtins.str]:
        return pulumi.get(self, "domain")


class Site(pulumi.ComponentResource):
    def _internal_init(__self__, resource_name, opts=None, domain=None, __props__=None):
        __props__ = SiteArgs.__new__(SiteArgs)
        super(Site, __self__).__init__(
            'cloud:index:Site',
            resource_name,
            __props__,
            opts,
            remote=True)

    @_builtins.property
    @pulumi.getter
    def url(self) -> pulumi.Output[_builtins.str]:
        return pulumi.get(self, "url")


class Local(pulumi.ComponentResource):
    def __init__(__self__, name):
        super(Local, __self__).__init__('cloud:index:Local', name)
"""
NEW = {
    "pulumi-plugin.json": PLUGIN,
    "__init__.py": "raise RuntimeError('this SDK was imported')",
    "_utilities.py": "",
    "provider.py": PROVIDER,
    "site.py": COMPONENT,
    "storage/__init__.py": "",
    "storage/bucket.py": MODULE_HEAD + NEW_BUCKET,
    "storage/get_zone.py": MODULE_HEAD + NEW_FUNCTION,
    "storage/_inputs.py": "from ... import pulumi_cloud\nfrom .. import meta as _meta\n" + NEW_INPUTS,
    "storage/outputs.py": OUTPUTS,
    "storage/_enums.py": ENUMS,
    "meta/v1/_inputs.py": META,
}
"""The files of the SDK of today."""


def _aged(text: str) -> str:
    """The same code as a generator of 2021 wrote it."""
    text = text.replace("_builtins.", "").replace("class BucketRuleArgsDict(TypedDict):\n    days: pulumi.Input[int]\n", "")
    for name in ("BucketRule", "GetZoneFilter"):
        text = text.replace(f"Union['{name}Args', '{name}ArgsDict']", f"'{name}Args'")
    text = text.replace(
        "Union['GetZoneFilterArgs', 'GetZoneFilterArgsDict', 'outputs.GetZoneFilterResult']",
        "pulumi.InputType['GetZoneFilterArgs']",
    )
    # An optional input was the outer word.
    for inner in ("int", "str", "Literal['v1']", "'BucketRuleArgs'", "Sequence[pulumi.Input['BucketRuleArgs']]"):
        text = text.replace(f"pulumi.Input[Optional[{inner}]]", f"Optional[pulumi.Input[{inner}]]")
    return text.replace(
        "pulumi.Input[Optional[Optional[Sequence['GetZoneFilterArgs']]]]",
        "Optional[pulumi.Input[Optional[Sequence['GetZoneFilterArgs']]]]",
    )


OLD = {path: _aged(text) for path, text in NEW.items()} | {"pulumi-plugin.json": ""}
OLD["__init__.py"] = 'raise RuntimeError()\n_utilities.register(resource_modules="""[{"pkg": "cloud"}]""")'
del OLD["pulumi-plugin.json"]
"""The files of the SDK of 2021, which told engines nothing of a plugin."""


def write_sdk(folder: Path, files: Mapping[str, str]) -> Path:
    """The SDK as a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder
