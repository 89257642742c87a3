import * as digitalocean from "@pulumi/digitalocean";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const [repository, tag] = config.require("image").split(":");
const [registry, image] = repository.split("/");
const instances = config.getNumber("instances") ?? 1;
const domain = config.get("domain");
const region = digitalocean.Region.FRA1;
const inProduction = pulumi.getStack() === "prod";

const database = new digitalocean.DatabaseCluster(
    "data",
    { engine: "pg", version: "16", size: digitalocean.DatabaseSlug.DB_1VPCU2GB, region, nodeCount: inProduction ? 2 : 1 },
    { protect: inProduction },
);
const files = new digitalocean.SpacesBucket("files", { region, acl: "private", versioning: { enabled: true } });

const app = new digitalocean.App("web", {
    spec: {
        name: pulumi.interpolate`web-${pulumi.getStack()}`,
        region: "fra",
        domainNames: domain ? [{ name: domain, type: "PRIMARY" }] : [],
        services: [
            {
                name: "web",
                image: { registryType: "DOCKER_HUB", registry, repository: image, tag },
                httpPort: 8080,
                instanceCount: instances,
                instanceSizeSlug: "basic-xxs",
                healthCheck: { httpPath: "/health" },
                envs: [
                    { key: "DATABASE_URL", value: database.uri, type: "SECRET", scope: "RUN_TIME" },
                    { key: "FILES", value: files.bucketDomainName },
                ],
            },
        ],
    },
});
new digitalocean.DatabaseFirewall("only-the-app", {
    clusterId: database.id,
    rules: [{ type: "app", value: app.id }],
});

export const url = app.liveUrl;
export const bucket = files.name;
