import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

const network = new pulumi.StackReference("acme/network/dev");
const vpc = network.requireOutput("vpc");
const key = network.getOutput("key");

const name = new random.RandomPet("name", { prefix: vpc as pulumi.Output<string> });

export const placed = pulumi.interpolate`${name.id} in ${vpc}`;
export const unlocked = key;
