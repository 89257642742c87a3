import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

export interface ServiceArgs {
    image: string;
    port: number;
    replicas?: number;
    public?: boolean;
    memory?: string;
    env?: Record<string, pulumi.Input<string>>;
    namespace: pulumi.Input<string>;
}

/** A deployment, and the service in front of it. */
export class Service extends pulumi.ComponentResource {
    readonly deployment: k8s.apps.v1.Deployment;
    readonly service: k8s.core.v1.Service;
    readonly address: pulumi.Output<string>;

    constructor(name: string, args: ServiceArgs, opts?: pulumi.ComponentResourceOptions) {
        super("acme:index:Service", name, {}, opts);
        const labels = { app: name };
        const container = {
            name,
            image: args.image,
            ports: [{ containerPort: args.port }],
            resources: { requests: { cpu: "100m", memory: args.memory ?? "100Mi" } },
            env: pulumi.output(args.env ?? {}).apply((env) => Object.entries(env).map(([key, value]) => ({ name: key, value }))),
        };
        this.deployment = new k8s.apps.v1.Deployment(
            name,
            {
                metadata: { labels, namespace: args.namespace },
                spec: {
                    replicas: args.replicas ?? 1,
                    selector: { matchLabels: labels },
                    template: { metadata: { labels }, spec: { containers: [container] } },
                },
            },
            { parent: this },
        );
        this.service = new k8s.core.v1.Service(
            name,
            {
                metadata: { name, labels, namespace: args.namespace },
                spec: { ports: [{ port: args.port }], selector: labels, type: args.public ? "LoadBalancer" : "ClusterIP" },
            },
            { parent: this, dependsOn: this.deployment },
        );
        this.address = args.public
            ? this.service.status.loadBalancer.ingress[0].ip
            : pulumi.interpolate`${this.service.metadata.name}.${this.service.metadata.namespace}`;
        this.registerOutputs({ address: this.address });
    }
}
