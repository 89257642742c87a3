"""Web servers in a private network: only the load balancer reaches them, and only it is reached from outside."""

import pulumi
import pulumi_digitalocean as digitalocean

REGION = "fra1"
SETUP = """#!/bin/sh
apt-get update && apt-get install -y nginx
echo "served by {name}" > /var/www/html/index.html
"""
servers = pulumi.Config().require_int("servers")

network = digitalocean.Vpc("web", region=REGION, ip_range="10.20.0.0/24")
tag = digitalocean.Tag("web")

fleet = [
    digitalocean.Droplet(
        f"web-{number}",
        image="ubuntu-24-04-x64",
        region=REGION,
        size="s-1vcpu-1gb",
        vpc_uuid=network.id,
        tags=[tag.id],
        user_data=SETUP.format(name=f"web-{number}"),
    )
    for number in range(servers)
]

balancer = digitalocean.LoadBalancer(
    "public",
    region=REGION,
    vpc_uuid=network.id,
    droplet_tag=tag.name,
    forwarding_rules=[
        digitalocean.LoadBalancerForwardingRuleArgs(
            entry_port=80, entry_protocol="http", target_port=80, target_protocol="http"
        )
    ],
    healthcheck=digitalocean.LoadBalancerHealthcheckArgs(port=80, protocol="http", path="/"),
    opts=pulumi.ResourceOptions(depends_on=fleet),
)

digitalocean.Firewall(
    "web",
    tags=[tag.name],
    inbound_rules=[
        digitalocean.FirewallInboundRuleArgs(protocol="tcp", port_range="80", source_load_balancer_uids=[balancer.id]),
        digitalocean.FirewallInboundRuleArgs(protocol="tcp", port_range="22", source_addresses=["10.20.0.0/24"]),
    ],
    outbound_rules=[
        digitalocean.FirewallOutboundRuleArgs(protocol="tcp", port_range="1-65535", destination_addresses=["0.0.0.0/0", "::/0"])
    ],
)

pulumi.export("url", pulumi.Output.concat("http://", balancer.ip, "/"))
pulumi.export("private_ips", [server.ipv4_address_private for server in fleet])
