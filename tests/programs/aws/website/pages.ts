import * as fs from "fs";
import * as path from "path";

import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

const contentTypes: Record<string, string> = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
};

/** The files below a folder, as paths from there. */
function* filesOf(folder: string, inside = ""): Generator<string> {
    for (const entry of fs.readdirSync(path.join(folder, inside), { withFileTypes: true })) {
        const name = path.posix.join(inside, entry.name);
        if (entry.isDirectory()) {
            yield* filesOf(folder, name);
        } else {
            yield name;
        }
    }
}

export interface PagesArgs {
    bucket: pulumi.Input<aws.s3.Bucket>;
    folder: string;
}

/** All files of a folder, as objects in a bucket. */
export class Pages extends pulumi.ComponentResource {
    public readonly keys: pulumi.Output<string[]>;

    constructor(name: string, args: PagesArgs, opts?: pulumi.ComponentResourceOptions) {
        super("website:index:Pages", name, {}, opts);
        const bucket = pulumi.output(args.bucket).apply((found) => found.id);
        const objects = [...filesOf(args.folder)].map(
            (file) =>
                new aws.s3.BucketObjectv2(
                    `${name}/${file}`,
                    {
                        bucket,
                        key: file,
                        source: new pulumi.asset.FileAsset(path.join(args.folder, file)),
                        contentType: contentTypes[path.extname(file)] ?? "application/octet-stream",
                        cacheControl: file.endsWith(".html") ? "no-cache" : "max-age=86400",
                    },
                    { parent: this },
                ),
        );
        this.keys = pulumi.all(objects.map((object) => object.key));
        this.registerOutputs({ keys: this.keys });
    }
}
