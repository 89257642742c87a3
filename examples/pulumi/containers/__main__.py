"""A web application and its cache, as containers on one host."""

import pulumi
import pulumi_docker as docker
import pulumi_random as random
from service import Service

network = docker.Network("shop", driver="bridge")
password = random.RandomPassword("cache", length=24, special=False)
cache = Service("cache", "redis:7", network, environment={"REDIS_PASSWORD": password.result})
shop = Service(
    "shop",
    "ghcr.io/acme/shop:1.4.2",
    network,
    port=8080,
    environment={"CACHE_URL": pulumi.Output.concat("redis://:", password.result, "@", cache.host, ":6379")},
)

pulumi.export("url", "http://localhost:8080/")
pulumi.export("container", shop.container.id)
