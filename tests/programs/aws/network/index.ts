import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

import { Network } from "./network";

const startUp = (greeting: string) => `#!/bin/sh
dnf install --assumeyes nginx
echo '${greeting}' > /usr/share/nginx/html/index.html
systemctl enable --now nginx
`;

export = async () => {
    const config = new pulumi.Config();
    const wanted = config.requireNumber("zones");
    const zones = await aws.getAvailabilityZones({ state: "available" });
    const image = await aws.ec2.getAmi({
        owners: ["amazon"],
        mostRecent: true,
        filters: [
            { name: "name", values: ["al2023-ami-2023.*-x86_64"] },
            { name: "virtualization-type", values: ["hvm"] },
        ],
    });

    const network = new Network("main", {
        cidrBlock: config.require("cidr"),
        zones: zones.names.slice(0, wanted),
        gateways: config.getBoolean("gatewayInEachZone") ? "each" : "single",
        tags: { team: "platform" },
    });

    const web = new aws.ec2.SecurityGroup("web", {
        vpcId: network.vpc.id,
        description: "The web, and nothing else",
        ingress: [80, 443].map((port) => ({
            protocol: "tcp",
            fromPort: port,
            toPort: port,
            cidrBlocks: ["0.0.0.0/0"],
        })),
        egress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
    });

    const role = new aws.iam.Role("web", {
        assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal({ Service: "ec2.amazonaws.com" }),
    });
    new aws.iam.RolePolicyAttachment("web-sessions", {
        role: role.name,
        policyArn: aws.iam.ManagedPolicy.AmazonSSMManagedInstanceCore,
    });
    const profile = new aws.iam.InstanceProfile("web", { role: role.name });

    const server = new aws.ec2.Instance(
        "web",
        {
            ami: image.id,
            instanceType: config.get("instanceType") ?? aws.ec2.InstanceType.T3_Micro,
            subnetId: network.publicSubnetIds[0],
            vpcSecurityGroupIds: [web.id],
            iamInstanceProfile: profile.name,
            userData: startUp(config.get("greeting") ?? "hello"),
            metadataOptions: { httpTokens: "required" },
            rootBlockDevice: { volumeType: "gp3", volumeSize: 20, encrypted: true },
            tags: { Name: "web" },
        },
        { ignoreChanges: ["ami"], deleteBeforeReplace: true },
    );

    const password = config.getSecret("databasePassword");
    let database: pulumi.Output<string> | undefined;
    if (password) {
        const subnets = new aws.rds.SubnetGroup("orders", { subnetIds: network.privateSubnetIds });
        const private_ = new aws.ec2.SecurityGroup("database", { vpcId: network.vpc.id });
        new aws.vpc.SecurityGroupIngressRule("database", {
            securityGroupId: private_.id,
            referencedSecurityGroupId: web.id,
            ipProtocol: "tcp",
            fromPort: 5432,
            toPort: 5432,
        });
        const instance = new aws.rds.Instance(
            "orders",
            {
                engine: "postgres",
                engineVersion: "17",
                instanceClass: "db.t4g.micro",
                allocatedStorage: 20,
                dbName: "orders",
                username: "orders",
                password,
                dbSubnetGroupName: subnets.name,
                vpcSecurityGroupIds: [private_.id],
                skipFinalSnapshot: true,
            },
            { customTimeouts: { create: "40m" } },
        );
        database = pulumi.interpolate`postgres://orders:${password}@${instance.endpoint}/orders`;
    }

    return {
        vpcId: network.vpc.id,
        publicSubnetIds: network.publicSubnetIds,
        privateSubnetIds: network.privateSubnetIds,
        address: server.publicIp,
        image: image.id,
        database,
    };
};
