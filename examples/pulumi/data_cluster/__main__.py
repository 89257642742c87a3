"""A Kubernetes cluster of the newest version, and a database that only this cluster may reach."""

import json

import pulumi
import pulumi_digitalocean as digitalocean

REGION = "fra1"
versions = digitalocean.get_kubernetes_versions(version_prefix="1.")
network = digitalocean.Vpc("data", region=REGION)

cluster = digitalocean.KubernetesCluster(
    "data",
    region=REGION,
    version=versions.latest_version,
    vpc_uuid=network.id,
    auto_upgrade=True,
    node_pool=digitalocean.KubernetesClusterNodePoolArgs(
        name="default", size="s-2vcpu-4gb", auto_scale=True, min_nodes=2, max_nodes=5
    ),
)
jobs = digitalocean.KubernetesNodePool(
    "jobs",
    cluster_id=cluster.id,
    size="c-4",
    node_count=1,
    labels={"pool": "jobs"},
    taints=[digitalocean.KubernetesNodePoolTaintArgs(key="jobs", value="only", effect="NoSchedule")],
)

database = digitalocean.DatabaseCluster(
    "data",
    engine="pg",
    version="16",
    size="db-s-1vcpu-2gb",
    region=REGION,
    node_count=1,
    private_network_uuid=network.id,
    opts=pulumi.ResourceOptions(protect=pulumi.get_stack() == "prod"),
)
user = digitalocean.DatabaseUser("app", cluster_id=database.id, name="app")
schema = digitalocean.DatabaseDb("app", cluster_id=database.id, name="app")
digitalocean.DatabaseFirewall(
    "only-the-cluster",
    cluster_id=database.id,
    rules=[digitalocean.DatabaseFirewallRuleArgs(type="k8s", value=cluster.id)],
)

pulumi.export("kubeconfig", cluster.kube_configs[0].raw_config)
pulumi.export(
    "settings",
    pulumi.Output.all(database.private_host, database.port, user.name, user.password, schema.name).apply(
        lambda parts: json.dumps(dict(zip(("host", "port", "user", "password", "database"), parts, strict=True)))
    ),
)
