import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

const config = new pulumi.Config();
const prefix = config.require("prefix");
const token = config.requireSecret("token");

const pet = new random.RandomPet("pet", {
    prefix,
    length: config.getNumber("length") ?? 2,
    keepers: { env: pulumi.getStack() },
});
const password = new random.RandomPassword("password", { length: 16, keepers: { pet: pet.id } });

export const name = pet.id;
export const greeting = pulumi.interpolate`hello, ${pet.id}`;
export const secret = pulumi.all([token, password.result]).apply(([a, b]) => `${a}/${b}`);
export const where = { project: pulumi.getProject(), stack: pulumi.getStack(), organization: pulumi.getOrganization() };
console.log("declared");
