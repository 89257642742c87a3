import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

const how = new pulumi.Config().require("how");
const pet = new random.RandomPet("pet");

if (how === "throw") {
    throw new Error("thrown on purpose");
}
if (how === "reject") {
    pet.id.apply(() => {
        throw new pulumi.RunError("refused on purpose");
    });
}
if (how === "apply") {
    pet.id.apply((id) => {
        throw new Error("thrown on the way");
    });
}
if (how === "answer") {
    void pulumi.runtime.invoke("cloud:index:getZone", { name: "nowhere" });
}
if (how === "exit") {
    process.exit(3);
}
if (how === "forever") {
    setInterval(() => undefined, 1000);
}
