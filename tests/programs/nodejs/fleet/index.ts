import * as pulumi from "@pulumi/pulumi";
import { Fleet } from "./fleet";

const fleets = ["north", "south"].map(
    (region) => new Fleet(region, { ships: 2 }, { aliases: [{ name: `old-${region}` }] }),
);

export const ships = pulumi.all(fleets.map((fleet) => fleet.names)).apply((names) => names.flat());
export const regions = fleets.length;
