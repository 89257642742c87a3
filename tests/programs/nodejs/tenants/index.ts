import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

const password = new random.RandomPassword("root", { length: 20, special: false });

const tenants = ["red", "blue"].map((colour) => {
    const cluster = new k8s.Provider(colour, { context: colour, namespace: "default" });
    return new k8s.core.v1.Secret(
        `${colour}-login`,
        { metadata: { name: "login" }, stringData: { password: password.result } },
        { provider: cluster, protect: colour === "blue" && new pulumi.Config().getBoolean("protect") },
    );
});

export const names = pulumi.all(tenants.map((secret) => secret.metadata.name));
export const login = tenants[0].stringData;
