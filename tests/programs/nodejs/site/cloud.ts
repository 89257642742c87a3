import * as pulumi from "@pulumi/pulumi";

export interface BucketArgs {
    acl?: pulumi.Input<string>;
    file?: pulumi.Input<pulumi.asset.Asset | pulumi.asset.Archive>;
    source?: pulumi.Input<string>;
}

export class Bucket extends pulumi.CustomResource {
    readonly acl!: pulumi.Output<string>;
    readonly arn!: pulumi.Output<string>;

    constructor(name: string, args: BucketArgs = {}, opts?: pulumi.CustomResourceOptions) {
        super("cloud:index:Bucket", name, { acl: args.acl, file: args.file, source: args.source, arn: undefined }, opts);
    }

    static get(name: string, id: pulumi.Input<pulumi.ID>): Bucket {
        return new Bucket(name, {}, { id });
    }
}

export function getZone(region: string): Promise<{ zone: string }> {
    return pulumi.runtime.invoke("cloud:index:getZone", { region });
}

export function getZoneOutput(region: pulumi.Input<string>): pulumi.Output<string> {
    return pulumi.output(region).apply((value) => getZone(value)).apply((answer) => answer.zone);
}
