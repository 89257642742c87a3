import * as pulumi from "@pulumi/pulumi";
import { Bucket, getZone, getZoneOutput } from "./cloud";

export = async () => {
    const { zone } = await getZone("eu");
    const page = new Bucket("page", { acl: "public", file: new pulumi.asset.FileAsset("./www/index.html") });
    const all = new Bucket("all", { file: new pulumi.asset.FileArchive("./www"), source: page.arn }, { deleteBeforeReplace: true });
    const text = new Bucket("text", { file: new pulumi.asset.StringAsset("text") }, { retainOnDelete: false });
    const again = Bucket.get("again", page.id);
    pulumi.log.info(`the zone is ${zone}`);
    return { zone, late: getZoneOutput(all.acl), arn: page.arn, same: again.arn, text: text.acl };
};
