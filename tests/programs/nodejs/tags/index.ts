import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
    type.startsWith("random:") ? { props: { ...props, keepers: { owner: "team-a", ...props.keepers } }, opts } : undefined,
);

const uuid = new random.RandomUuid("id");
const port = new random.RandomInteger("port", { min: 8000, max: 9000, keepers: { uuid: uuid.result } });
const order = new random.RandomShuffle("order", { inputs: ["a", "b", "c"], resultCount: 2 });
const label = new random.RandomString("label", { length: 8, special: false }, { additionalSecretOutputs: ["result"] });

export const owners = pulumi.all([uuid.keepers, port.keepers]).apply((all) => all.map((keepers) => keepers?.owner));
export const address = pulumi.interpolate`host:${port.result}`;
export const count = order.results.apply((results) => results?.length ?? 0);
export const hidden = label.result;
