import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

export interface NetworkArgs {
    cidrBlock: string;
    zones: string[];
    /** Private subnets reach the internet through one gateway in all zones, or one in each. */
    gateways?: "single" | "each";
    tags?: Record<string, string>;
}

/** A network with a public and a private subnet in each of its zones. */
export class Network extends pulumi.ComponentResource {
    public readonly vpc: aws.ec2.Vpc;
    public readonly publicSubnetIds: pulumi.Output<string[]>;
    public readonly privateSubnetIds: pulumi.Output<string[]>;

    constructor(name: string, args: NetworkArgs, opts?: pulumi.ComponentResourceOptions) {
        super("network:index:Network", name, {}, opts);
        const own = { parent: this };
        const tags = (part: string) => ({ ...args.tags, Name: `${name}-${part}` });

        this.vpc = new aws.ec2.Vpc(
            name,
            { cidrBlock: args.cidrBlock, enableDnsHostnames: true, enableDnsSupport: true, tags: tags("vpc") },
            own,
        );
        const vpcId = this.vpc.id;
        const gateway = new aws.ec2.InternetGateway(name, { vpcId, tags: tags("gateway") }, own);
        const open = new aws.ec2.RouteTable(
            `${name}-public`,
            { vpcId, routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: gateway.id }], tags: tags("public") },
            own,
        );

        const [first, second] = args.cidrBlock.split(".");
        const publicIds: pulumi.Output<string>[] = [];
        const privateIds: pulumi.Output<string>[] = [];
        let outward: aws.ec2.NatGateway | undefined;
        args.zones.forEach((availabilityZone, index) => {
            const within = `${name}-${index}`;
            const subnet = new aws.ec2.Subnet(
                `${within}-public`,
                {
                    vpcId,
                    availabilityZone,
                    cidrBlock: `${first}.${second}.${index}.0/24`,
                    mapPublicIpOnLaunch: true,
                    tags: tags(`public-${availabilityZone}`),
                },
                own,
            );
            new aws.ec2.RouteTableAssociation(`${within}-public`, { subnetId: subnet.id, routeTableId: open.id }, own);

            if (outward === undefined || args.gateways === "each") {
                const address = new aws.ec2.Eip(within, { domain: "vpc" }, { parent: this, dependsOn: [gateway] });
                outward = new aws.ec2.NatGateway(
                    within,
                    { allocationId: address.allocationId, subnetId: subnet.id, tags: tags(`nat-${index}`) },
                    own,
                );
            }
            const hidden = new aws.ec2.Subnet(
                `${within}-private`,
                {
                    vpcId,
                    availabilityZone,
                    cidrBlock: `${first}.${second}.${100 + index}.0/24`,
                    tags: tags(`private-${availabilityZone}`),
                },
                own,
            );
            const routes = new aws.ec2.RouteTable(`${within}-private`, { vpcId }, own);
            new aws.ec2.Route(
                `${within}-private`,
                { routeTableId: routes.id, destinationCidrBlock: "0.0.0.0/0", natGatewayId: outward.id },
                own,
            );
            new aws.ec2.RouteTableAssociation(
                `${within}-private`,
                { subnetId: hidden.id, routeTableId: routes.id },
                own,
            );
            publicIds.push(subnet.id);
            privateIds.push(hidden.id);
        });
        this.publicSubnetIds = pulumi.all(publicIds);
        this.privateSubnetIds = pulumi.all(privateIds);
        this.registerOutputs({
            vpcId,
            publicSubnetIds: this.publicSubnetIds,
            privateSubnetIds: this.privateSubnetIds,
        });
    }
}
