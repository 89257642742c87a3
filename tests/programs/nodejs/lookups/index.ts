import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

interface Limits {
    min: number;
    max: number;
}

class Bucket extends pulumi.CustomResource {
    readonly acl!: pulumi.Output<string>;

    constructor(name: string, args: { acl?: pulumi.Input<string> }, opts?: pulumi.CustomResourceOptions) {
        super("cloud:index:Bucket", name, { acl: args.acl }, opts);
    }
}

const config = new pulumi.Config();
const hosts = config.requireObject<string[]>("hosts");
const { min, max } = config.requireObject<Limits>("limits");

const existing = new Bucket("existing", {}, { id: "b-1" });
const adopted = new Bucket("adopted", { acl: "public" }, { import: "b-1", retainOnDelete: false });
const size = new random.RandomInteger("size", { min, max }, { dependsOn: adopted, replaceOnChanges: ["min"] });
const label = new random.RandomString(
    "label",
    { length: 4, keepers: { size: size.result.apply(String) } },
    { customTimeouts: { create: "1m" }, dependsOn: pulumi.output([size]) },
);

export const acl = existing.acl;
export const urls = Object.fromEntries(hosts.map((host) => [host, pulumi.interpolate`https://${host}.example.com`]));
export const missing = config.get("missing") ?? null;
export const length = label.length;
