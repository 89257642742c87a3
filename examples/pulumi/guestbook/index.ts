import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Service } from "./service";

const config = new pulumi.Config();
const namespace = new k8s.core.v1.Namespace("guestbook").metadata.name;

const leader = new Service("redis-leader", { image: "redis:7", port: 6379, memory: "256Mi", namespace });
const replica = new Service("redis-replica", {
    image: "pulumi/guestbook-redis-replica",
    port: 6379,
    replicas: 2,
    env: { GET_HOSTS_FROM: "env", LEADER: leader.address },
    namespace,
});
const frontend = new Service("frontend", {
    image: "pulumi/guestbook-php-redis",
    port: 80,
    replicas: config.requireNumber("replicas"),
    public: config.requireBoolean("public"),
    namespace,
});

export const address = frontend.address;
export const redis = [leader.address, replica.address];
