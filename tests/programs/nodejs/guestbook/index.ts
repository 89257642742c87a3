import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

const labels = { app: "guestbook" };
const replicas = new pulumi.Config().getNumber("replicas") ?? 1;

const namespace = new k8s.core.v1.Namespace("shop");
const settings = new k8s.core.v1.ConfigMap("settings", {
    metadata: { namespace: namespace.metadata.name },
    data: { greeting: "hello" },
});
const deployment = new k8s.apps.v1.Deployment("guestbook", {
    metadata: { namespace: namespace.metadata.name },
    spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
            metadata: { labels },
            spec: {
                containers: [
                    {
                        name: "web",
                        image: "nginx:1.27",
                        ports: [{ containerPort: 80 }],
                        envFrom: [{ configMapRef: { name: settings.metadata.name } }],
                    },
                ],
            },
        },
    },
});
const service = new k8s.core.v1.Service(
    "guestbook",
    { metadata: { namespace: namespace.metadata.name, labels }, spec: { selector: labels, ports: [{ port: 80 }] } },
    { dependsOn: [deployment] },
);

export const ports = service.spec.ports.apply((all) => all.map((port) => port.port));
export const wanted = deployment.spec.replicas;
