"""The website: what is uploaded and how, and what a change of a page does."""

import shutil

import pytest

BUCKET = "digitalocean:index/spacesBucket:SpacesBucket"
FILE = "digitalocean:index/spacesBucketObject:SpacesBucketObject"


@pytest.fixture
def site(provider, pulumi_stack, sdk, infra):
    """The stack of the website, with the provider's real types."""
    provider.define(sdk("pulumi_digitalocean"))
    return pulumi_stack


def test_each_page_is_public_and_has_its_type(site, provider, infra):
    """The bucket itself is private; each file is readable and has the type that browsers need."""
    up = site.up(infra)
    assert up.outputs["url"] == "https://www.example.com/index.html"
    assert up.state[BUCKET, "site"].inputs["acl"] == "private"
    pages = {page["key"]: (page["contentType"], page["acl"]) for page in provider.cloud.objects(FILE)}
    assert pages == {"index.html": ("text/html", "public-read"), "style/main.css": ("text/css", "public-read")}


def test_the_domain_leads_to_the_cdn(site, provider, infra):
    """The CDN serves the bucket, and the record ends with the dot that makes it absolute."""
    up = site.up(infra)
    [record] = provider.cloud.objects("digitalocean:index/dnsRecord:DnsRecord")
    assert record["value"] == up.outputs["endpoint"] + "."
    provider.journal.assert_calls(f"create {BUCKET}", "create digitalocean:index/cdn:Cdn")


def test_a_new_page_is_one_more_file(site, infra, tmp_path):
    """Nothing but the new page is touched."""
    copy = shutil.copytree(infra, tmp_path / "site")
    site.up(copy)
    (copy / "www" / "about.html").write_text("<!doctype html><title>About</title>", encoding="utf-8")
    assert site.up(copy).summary == {"create": 1}
