import * as path from "path";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

const count = new pulumi.Config().requireNumber("count");
for (let at = 0; at < count; at++) {
    new random.RandomBytes(`bytes-${at}`, { length: 4 + at });
}

export const folder = path.basename(process.cwd());
export const dry = pulumi.runtime.isDryRun();
