import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

export interface FleetArgs {
    ships: number;
}

export class Fleet extends pulumi.ComponentResource {
    readonly names: pulumi.Output<string[]>;

    constructor(name: string, args: FleetArgs, opts?: pulumi.ComponentResourceOptions) {
        super("acme:index:Fleet", name, {}, opts);
        const flag = new random.RandomId(`${name}-flag`, { byteLength: 4 }, { parent: this, aliases: [{ parent: pulumi.rootStackResource }] });
        const ships = Array.from(
            { length: args.ships },
            (_, at) =>
                new random.RandomPet(`${name}-ship-${at}`, { separator: "_" }, { parent: this, dependsOn: flag, ignoreChanges: ["length"] }),
        );
        this.names = pulumi.output(ships.map((ship) => ship.id));
        this.registerOutputs({ names: this.names });
    }
}
