"""A small npm SDK in the manner of Pulumi's generators: of 2021 (``OLD``), and of today (``NEW``)."""

from __future__ import annotations

MANIFEST = """{
    "name": "@pulumi/cloud",
    "version": "2.3.4",
    "pulumi": {"resource": true, "name": "cloud", "version": "2.3.4"}
}
"""
BUCKET_JS = """
class Bucket extends pulumi.CustomResource {
    static get(name, id, state, opts) {
        return new Bucket(name, state, { ...opts, id: id });
    }
    /** @internal */
    static __pulumiType = 'cloud:storage/bucket:Bucket';
    constructor(name, argsOrState, opts) {
        let resourceInputs = {};
        opts = opts || {};
        if (!opts.id) {
            const args = argsOrState;
            resourceInputs["displayName"] = args?.displayName;
            resourceInputs["token"] = args?.token ? pulumi.secret(args.token) : undefined;
            resourceInputs["apiVersion"] = "v1";
            resourceInputs["key"] = undefined /*out*/;
        }
        opts = pulumi.mergeOptions(utilities.resourceOptsDefaults(), opts);
        const secretOpts = { additionalSecretOutputs: ["key", "token"] };
        opts = pulumi.mergeOptions(opts, secretOpts);
        const replaceOnChanges = { replaceOnChanges: ["displayName", "rules[*].days"] };
        opts = pulumi.mergeOptions(opts, replaceOnChanges);
        super(Bucket.__pulumiType, name, resourceInputs, opts);
    }
    sign(args) {
        return pulumi.runtime.call("cloud:storage/bucket:Bucket/sign", {
            "__self__": this,
            "hours": args.hours,
        }, this);
    }
    count() {
        const result = pulumi.runtime.call("cloud:storage/bucket:Bucket/count", {
            "__self__": this,
        }, this);
        return result.apply(r => r.result);
    }
}
exports.Bucket = Bucket;
"""
BUCKET = """
import * as pulumi from "@pulumi/pulumi";
import * as inputs from "../types/input";
import * as outputs from "../types/output";
import * as enums from "../types/enums";
import { PolicyDocument, Name } from "../documents";
import { Vault } from "./index";
/**
 * A place for files: `export interface Nothing {`.
 */
export declare class Bucket extends pulumi.CustomResource {
    static get(name: string, id: pulumi.Input<pulumi.ID>, state?: BucketState, opts?: pulumi.CustomResourceOptions): Bucket;
    static isInstance(obj: any): obj is Bucket;
    readonly arn: pulumi.Output<string>;
    readonly displayName: pulumi.Output<string>;
    readonly key: pulumi.Output<string | undefined>;
    readonly rules: pulumi.Output<outputs.storage.BucketRule[] | undefined>;
    readonly size: pulumi.Output<number>;
    constructor(name: string, args: BucketArgs, opts?: pulumi.CustomResourceOptions);
    sign(args: Bucket.SignArgs): pulumi.Output<Bucket.SignResult>;
    count(): pulumi.Output<number>;
}
export interface BucketState {
    arn?: pulumi.Input<string | undefined>;
}
export interface BucketArgs {
    apiVersion?: pulumi.Input<"v1" | undefined>;
    /**
     * How it is shown.
     */
    displayName: pulumi.Input<string>;
    labels?: pulumi.Input<{
        [key: string]: pulumi.Input<string>;
    } | undefined>;
    owner?: pulumi.Input<Name | undefined>;
    policy?: pulumi.Input<string | PolicyDocument | undefined>;
    rules?: pulumi.Input<pulumi.Input<inputs.storage.BucketRule>[] | undefined>;
    size?: pulumi.Input<number | undefined>;
    source?: pulumi.Input<pulumi.asset.Asset | pulumi.asset.Archive | undefined>;
    token?: pulumi.Input<string | undefined>;
    vault?: pulumi.Input<string | Vault | undefined>;
}
export declare namespace Bucket {
    interface SignArgs {
        hours: pulumi.Input<number>;
    }
    interface SignResult {
        readonly signedUrl: string;
    }
}
"""
ZONE_JS = """
function getZone(args, opts) {
    opts = pulumi.mergeOptions(utilities.resourceOptsDefaults(), opts || {});
    return pulumi.runtime.invoke("cloud:storage/getZone:getZone", {
        "filters": args.filters,
        "regionName": args.regionName,
    }, opts);
}
exports.getZone = getZone;
function getZoneOutput(args, opts) {
    opts = pulumi.mergeOptions(utilities.resourceOptsDefaults(), opts || {});
    return pulumi.runtime.invokeOutput("cloud:storage/getZone:getZone", {
        "filters": args.filters,
    }, opts);
}
exports.getZoneOutput = getZoneOutput;
"""
ZONE = """
import * as pulumi from "@pulumi/pulumi";
import * as inputs from "../types/input";
export declare function getZone(args: GetZoneArgs, opts?: pulumi.InvokeOptions): Promise<GetZoneResult>;
export interface GetZoneArgs {
    filters?: inputs.storage.GetZoneFilter[];
    regionName: string;
}
export interface GetZoneResult {
    readonly zoneIds: string[];
}
export declare function getZoneOutput(args: GetZoneOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetZoneResult>;
"""
JOIN_JS = """
function join(left, right, opts) {
    opts = pulumi.mergeOptions(utilities.resourceOptsDefaults(), opts || {});
    return pulumi.runtime.invokeSingle("cloud:index:join", {
        "left": left,
        "right": right,
    }, opts);
}
"""
JOIN = """
import * as pulumi from "@pulumi/pulumi";
export declare function join(left: string, right?: string, opts?: pulumi.InvokeOptions): Promise<string>;
"""
INPUT = """
import * as pulumi from "@pulumi/pulumi";
import * as inputs from "../types/input";
import * as enums from "../types/enums";
export declare namespace meta {
    namespace v1 {
        interface ObjectMeta {
            "$labels"?: pulumi.Input<{
                [key: string]: pulumi.Input<string>;
            } | undefined>;
        }
    }
}
export declare namespace storage {
    interface BucketRule {
        /**
         * How many; `}` and `;` mean nothing here.
         */
        days: pulumi.Input<number>;
        inner?: pulumi.Input<inputs.storage.BucketRule | undefined>;
        meta?: pulumi.Input<inputs.meta.v1.ObjectMeta | undefined>;
        storageClass?: pulumi.Input<enums.storage.StorageClass | undefined>;
    }
    interface GetZoneFilter {
        name: string;
    }
}
"""
OUTPUT = """
export declare namespace storage {
    interface BucketRule {
        days: number;
    }
}
"""
ENUMS = """
import * as storage from "./storage";
export { storage, };
"""
STORAGE_CLASS = """
export declare const StorageClass: {
    /**
     * Cheap.
     */
    readonly Cold: "cold";
    readonly Hot: "hot";
};
export type StorageClass = (typeof StorageClass)[keyof typeof StorageClass];
"""
DOCUMENTS = """
import { Input, Output } from "@pulumi/pulumi";
export interface PolicyDocument {
    Statement: Input<string>[] | Output<() => string>;
}
export type Name = string;
"""
PROVIDER_JS = """
class Provider extends pulumi.ProviderResource {
    /** @internal */
    static __pulumiType = 'cloud';
    constructor(name, args, opts) {
        let resourceInputs = {};
        {
            resourceInputs["accessKey"] = args?.accessKey ? pulumi.secret(args.accessKey) : undefined;
        }
        super(Provider.__pulumiType, name, resourceInputs, opts);
    }
}
"""
PROVIDER = """
import * as pulumi from "@pulumi/pulumi";
export declare class Provider extends pulumi.ProviderResource {
    constructor(name: string, args?: ProviderArgs, opts?: pulumi.ResourceOptions);
}
export interface ProviderArgs {
    accessKey?: pulumi.Input<string | undefined>;
}
"""
SITE_JS = """
class Site extends pulumi.ComponentResource {
    /** @internal */
    static __pulumiType = 'cloud:index:Site';
    constructor(name, args, opts) {
        super(Site.__pulumiType, name, resourceInputs, opts, true /*remote*/);
    }
}
"""
LOCAL_JS = """
class Local extends pulumi.ComponentResource {
    constructor(name) {
        super('cloud:index:Local', name);
    }
}
"""
SITE = """
import * as pulumi from "@pulumi/pulumi";
export declare class Site extends pulumi.ComponentResource {
    readonly url: pulumi.Output<string>;
    constructor(name: string, args: SiteArgs, opts?: pulumi.ComponentResourceOptions);
}
export interface SiteArgs {
    domain: pulumi.Input<string>;
}
"""
VAULT = """
export type Vault = import("./vault").Vault;
export declare const Vault: typeof import("./vault").Vault;
"""
NEW = {
    "package.json": MANIFEST,
    "index.js": "throw new Error('this SDK was run');",
    "index.d.ts": "",
    "provider.js": PROVIDER_JS,
    "provider.d.ts": PROVIDER,
    "site.js": SITE_JS,
    "site.d.ts": SITE,
    "local.js": LOCAL_JS,
    "join.js": JOIN_JS,
    "join.d.ts": JOIN,
    "documents.js": "",
    "documents.d.ts": DOCUMENTS,
    "storage/index.js": "",
    "storage/index.d.ts": VAULT,
    "storage/bucket.js": BUCKET_JS,
    "storage/bucket.d.ts": BUCKET,
    "storage/getZone.js": ZONE_JS,
    "storage/getZone.d.ts": ZONE,
    "types/input.d.ts": INPUT,
    "types/output.d.ts": OUTPUT,
    "types/index.d.ts": 'import * as input from "./input";\nimport * as output from "./output";\nexport { input, output, };\n',
    "types/enums/index.d.ts": ENUMS,
    "types/enums/storage/index.d.ts": STORAGE_CLASS,
    "node_modules/other/a.js": BUCKET_JS,
}
"""The files of the SDK of today."""


def _aged(path: str, text: str) -> str:
    """The same code as a generator of 2021 wrote it."""
    for module, name in (("input", "inputs"), ("output", "outputs"), ("enums", "enums")):
        text = text.replace(
            f'import * as {name} from "../types/{module}";', f'import {{ {module} as {name} }} from "../types";'
        )
    if path == "types/index.d.ts":
        text += 'import * as enums from "./enums";\n'
    for word in ("string", "number", "Name", '"v1"', "inputs.storage.BucketRule", "inputs.meta.v1.ObjectMeta"):
        text = text.replace(f"pulumi.Input<{word} | undefined>", f"pulumi.Input<{word}>")
    for name, token in (("Bucket", "cloud:storage/bucket:Bucket"), ("Site", "cloud:index:Site"), ("Provider", "cloud")):
        line = f"    /** @internal */\n    static __pulumiType = '{token}';\n"
        if line in text:
            text = text.replace(line, "") + f"exports.{name} = {name};\n/** @internal */\n{name}.__pulumiType = '{token}';\n"
    return text.replace("?.", " ? args.")


OLD = {path: _aged(path, text) for path, text in NEW.items()} | {
    "package.json": '{"name": "@pulumi/cloud", "version": "v2.3.4"}',
}
"""The files of the SDK of 2021, which told engines nothing of a plugin."""
