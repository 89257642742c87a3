import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

const stamp = (mark: string): pulumi.ResourceTransform => (args) => {
    if (args.type !== "random:index/randomPet:RandomPet") {
        return undefined;
    }
    const prefix = pulumi.output(args.props.prefix).apply((before) => `${before}-${mark}`);
    return { props: { ...args.props, prefix }, opts: pulumi.mergeOptions(args.opts, { ignoreChanges: ["keepers"] }) };
};

pulumi.runtime.registerResourceTransform(stamp("stack"));

class Team extends pulumi.ComponentResource {
    readonly captain: pulumi.Output<string>;

    constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
        super("acme:index:Team", name, {}, opts);
        const pet = new random.RandomPet(`${name}-captain`, { prefix: "pet" }, { parent: this, transforms: [stamp("own")] });
        this.captain = pet.prefix.apply((prefix) => prefix ?? "");
        this.registerOutputs({ captain: this.captain });
    }
}

export const captain = new Team("team", { transforms: [stamp("team")] }).captain;
