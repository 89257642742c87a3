import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

const told = new pulumi.ResourceHook("told", async (args) => {
    const outputs = args.newOutputs ?? args.oldOutputs ?? {};
    await pulumi.log.info(`${args.name}: ${Object.keys(outputs).sort().join(" ")}`);
});

const patient = new pulumi.ErrorHook("patient", async (args) => {
    await pulumi.log.info(`${args.failedOperation} failed: ${args.errors[0]}`);
    return args.errors.length < 3;
});

const pet = new random.RandomPet("pet", { prefix: "big" }, {
    hooks: { beforeCreate: [told], afterCreate: [told], afterDelete: [told], onError: [patient] },
});

export const name = pet.id;
