"""What presets work out of what a program says: documents, statuses and outputs."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pulumi
import pytest
from aws_like import (
    POLICY,
    asked,
    aws,
)

from mockprovider import Double, Stack, from_schema
from mockprovider.calls import Call, Op
from mockprovider.errors import ProgramError
from mockprovider.fake.inventing.makers import azure_template_outputs, cloudformation_outputs


def test_a_policy_document_is_the_one_that_the_program_describes():
    """The preset of policy documents works out the JSON of the statements, as IAM has it."""
    statements = [
        {"sid": "Read", "actions": ["s3:GetObject"], "resources": ["b", "a"]},
        {"effect": "Deny", "actions": ["s3:*"], "resources": ["*"]},
    ]
    answer = asked(aws(), POLICY, statements=statements, policyId="p")

    assert (
        json.loads(answer["json"])
        == json.loads(answer["minifiedJson"])
        == {
            "Version": "2012-10-17",
            "Id": "p",
            "Statement": [
                {"Sid": "Read", "Effect": "Allow", "Action": "s3:GetObject", "Resource": ["a", "b"]},
                {"Effect": "Deny", "Action": "s3:*", "Resource": "*"},
            ],
        }
    )


def test_statements_take_the_places_of_those_with_their_sids():
    """Of sources, the program's own statements and overrides the last one of a Sid counts, where the first one stood."""

    def written(**actions: str) -> str:
        return json.dumps({"Statement": [{"Sid": sid, "Action": action} for sid, action in actions.items()]})

    own = [{"sid": "B", "actions": ["own"]}, {"actions": ["nameless"]}, {"actions": ["other"]}]
    documents = {"sourcePolicyDocuments": [written(A="first", B="first")], "overridePolicyDocuments": [written(A="last")]}
    answer = asked(Double(name="aws"), POLICY, statements=own, **documents)

    assert [one["Action"] for one in json.loads(answer["json"])["Statement"]] == ["last", "own", "nameless", "other"]


def test_kubernetes_fills_in_names_and_statuses():
    """A Kubernetes object has a name made of the resource's, a namespace and a status, and keeps what the program says."""
    metadata = {"properties": {name: {"type": "string"} for name in ("name", "namespace", "uid", "deletionTimestamp")}}
    status = {"properties": {"phase": {"type": "string"}, "podIP": {"type": "string"}}}
    ref = {name: {"$ref": f"#/types/kubernetes:core/v1:{name}"} for name in ("Meta", "Status")}
    pod = {
        "inputProperties": {"metadata": ref["Meta"]},
        "properties": {"metadata": ref["Meta"], "status": ref["Status"]},
        "required": ["metadata", "status"],
    }
    types = {
        "kubernetes:core/v1:Meta": {"type": "object", **metadata},
        "kubernetes:core/v1:Status": {"type": "object", **status},
    }
    double = Double(from_schema({"name": "kubernetes", "types": types, "resources": {"kubernetes:core/v1:Pod": pod}}))
    urn = "urn:pulumi:dev::shop::kubernetes:core/v1:Pod::web"

    def create(**inputs: Any) -> Any:
        call = Call(op=Op.CREATE, session=double.open(), type="kubernetes:core/v1:Pod", name="web", urn=urn, inputs=inputs)
        return double(call).value

    bare, named = create(), create(metadata={"name": "mine"})
    assert re.fullmatch("web-[0-9a-f]{8}", bare["metadata"]["name"])
    assert bare["metadata"]["namespace"] == named["metadata"]["namespace"] == "default"
    assert "deletionTimestamp" not in bare["metadata"]
    assert named["metadata"]["name"] == "mine"
    assert (bare["status"]["phase"], bare["status"]["podIP"]) == ("Running", "10.244.0.10")


def test_the_texts_of_a_kubernetes_secret_are_its_data():
    """What a program says in ``stringData`` is in ``data``, in base64, after an update as well; other secrets stay."""
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    members = {"data": texts, "stringData": texts, "type": {"type": "string"}}
    secret = {"inputProperties": members, "properties": members, "required": ["data", "type"]}
    double = Double(from_schema({"name": "kubernetes", "resources": {"kubernetes:core/v1:Secret": secret}}))

    def program(**inputs: Any) -> Any:
        return lambda: pulumi.CustomResource("kubernetes:core/v1:Secret", "login", inputs)

    stack = Stack(double)
    stack.up(program(stringData={"password": "t0p"}))
    [stored] = double.cloud.objects()
    assert (stored["data"], stored["type"]) == ({"password": "dDBw"}, "Opaque")
    assert stack.up(program(stringData={"password": "t0p"})).summary == {}
    stack.up(program(stringData={"password": "other"}))
    assert double.cloud.objects()[0]["data"] == {"password": "b3RoZXI="}
    stack.up(program(data={"password": "dDBw"}))
    assert double.cloud.objects()[0]["data"] == {"password": "dDBw"}
    stack.up(program(data={"password": "dDBw"}, stringData={"user": "me"}))
    assert double.cloud.objects()[0]["data"] == {"password": "dDBw", "user": "bWU="}
    assert stack.refresh().summary == {}
    assert stack.up(program(data={"password": "dDBw"}, stringData={"user": "me"})).summary == {}
    stack.up(program(data={"password": "dDBw"}))
    assert double.cloud.objects()[0]["data"] == {"password": "dDBw"}


def test_of_a_key_in_both_the_text_of_a_kubernetes_secret_counts():
    """As in the API, ``stringData`` wins over ``data``, at creation and in updates, and nothing is to be done after it."""
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    members = {"data": texts, "stringData": texts}
    secret = {"inputProperties": members, "properties": members, "required": ["data"]}
    double = Double(from_schema({"name": "kubernetes", "resources": {"kubernetes:core/v1:Secret": secret}}))
    stack = Stack(double)
    for text, encoded in (("other", "b3RoZXI="), ("t0p", "dDBw")):
        given = {"data": {"password": "b2xk", "user": "bWU="}, "stringData": {"password": text}}

        def program(given: Any = given) -> None:
            pulumi.CustomResource("kubernetes:core/v1:Secret", "login", given)

        stack.preview(program)
        stack.up(program)
        assert double.cloud.objects()[0]["data"] == {"password": encoded, "user": "bWU="}
        assert stack.up(program).summary == stack.refresh().summary == {}


def test_what_a_preset_answers_can_be_read():
    """A program gets the subnet whose id a function told it, in later runs, too; an id that nobody told is none."""
    text = {"type": "string"}
    schema = {
        "name": "aws",
        "functions": {"aws:ec2/getSubnets:getSubnets": {"outputs": {"properties": {"ids": {"type": "array", "items": text}}}}},
        "resources": {"aws:ec2/subnet:Subnet": {"inputProperties": {"vpcId": text}, "properties": {"arn": text}}},
    }

    def program(id_: str = "") -> Any:
        def read() -> None:
            ids = pulumi.runtime.invoke("aws:ec2/getSubnets:getSubnets", {}).value["ids"]
            options = pulumi.ResourceOptions(id=id_ or ids[1])
            pulumi.export("arn", pulumi.CustomResource("aws:ec2/subnet:Subnet", "one", {"arn": None}, options).arn)

        return read

    double = Double(from_schema(schema))
    stack = Stack(double)
    assert stack.up(program()).outputs["arn"].startswith("arn:aws:ec2:")
    assert stack.up(program()).summary == stack.refresh().summary == {}
    with pytest.raises(ProgramError, match="'subnet-1' does not exist"):
        Stack(double).up(program("subnet-1"))
    assert double.cloud.objects() == []


def test_a_preset_also_says_what_a_program_may_set_and_left_out():
    """A Helm release without a name has one, also where the SDK does not say that it always has; a name of its own stays."""
    name = {"name": {"type": "string"}}
    release = {"inputProperties": name, "properties": name}
    double = Double(from_schema({"name": "kubernetes", "resources": {"kubernetes:helm.sh/v3:Release": release}}))

    def program():
        given = {"web": {}, "db": {"name": "postgres"}}
        for title, inputs in given.items():
            resource = pulumi.CustomResource("kubernetes:helm.sh/v3:Release", title, {"name": None, **inputs})
            pulumi.export(title, resource.name)

    stack = Stack(double)
    outputs = stack.up(program).outputs
    assert re.fullmatch("web-[0-9a-f]{8}", outputs["web"])
    assert outputs["db"] == "postgres"
    assert stack.up(program).summary == stack.refresh().summary == {}


def test_a_bucket_of_google_has_an_address_of_its_own():
    """The ``url`` of a bucket is made of its name: the program's, or the one that the provider gave it."""
    name = {"name": {"type": "string"}}
    bucket = {"inputProperties": name, "properties": {**name, "url": {"type": "string"}}, "required": ["name", "url"]}
    double = Double(from_schema({"name": "gcp", "resources": {"gcp:storage/bucket:Bucket": bucket}}))

    def program():
        pulumi.CustomResource("gcp:storage/bucket:Bucket", "logs", {"url": None})
        pulumi.CustomResource("gcp:storage/bucket:Bucket", "site", {"name": "my-site", "url": None})

    Stack(double).up(program)
    named = {stored["name"]: stored["url"] for stored in double.cloud.objects()}
    assert named.pop("my-site") == "gs://my-site"
    [(generated, url)] = named.items()
    assert generated.startswith("logs-")
    assert url == f"gs://{generated}"


def test_a_preset_says_nothing_of_what_is_not_known_yet():
    """The address of an account whose name is not known in a preview is unknown there, and known once it is made."""
    text = {"type": "string"}
    account = {"inputProperties": {"accountId": text}, "properties": {"accountId": text, "email": text}, "required": ["email"]}
    double = Double(from_schema({"name": "gcp", "resources": {"gcp:serviceaccount/account:Account": account}}))

    def program():
        first = pulumi.CustomResource("gcp:serviceaccount/account:Account", "first", {"accountId": "one", "email": None})
        inputs = {"accountId": first.id.apply(lambda id_: f"of-{id_}"), "email": None}
        pulumi.CustomResource("gcp:serviceaccount/account:Account", "second", inputs)

    stack = Stack(double)
    assert stack.preview(program).summary == {"create": 2}
    stack.up(program)
    emails = {stored["email"] for stored in double.cloud.objects()}
    assert emails == {f"{stored['accountId']}@mock-project.iam.gserviceaccount.com" for stored in double.cloud.objects()}


def test_what_goes_by_its_name_has_it_as_its_id():
    """The id of a bucket is its name, where a program names it; a second one of that name is another object all the same."""
    text = {"type": "string"}
    bucket = {"inputProperties": {"bucket": text}, "properties": {"bucket": text}}
    double = Double(from_schema({"name": "aws", "resources": {"aws:s3/bucket:Bucket": bucket}}))

    def program():
        for name in ("logs", "copy"):
            pulumi.CustomResource("aws:s3/bucket:Bucket", name, {"bucket": "reports"})
        pulumi.CustomResource("aws:s3/bucket:Bucket", "other", {})

    Stack(double).up(program)
    ids = [stored.id for stored in double.cloud.objects()]
    assert ids.count("reports") == 1
    assert len(set(ids)) == 3
    assert sum(id_.startswith("reports") for id_ in ids) == 2


def test_deployments_of_azure_answer_the_outputs_of_their_templates():
    """A deployment has each output that its template says: values as they stand, and of expressions the type."""
    token, text = "azure:core/resourceGroupTemplateDeployment:ResourceGroupTemplateDeployment", {"type": "string"}
    properties = {"templateContent": text, "outputContent": text}
    deployment = {"inputProperties": {"templateContent": text}, "properties": properties, "required": ["outputContent"]}
    outputs = {
        "accountName": {"type": "string", "value": "[parameters('name')]"},
        "replicas": {"type": "int", "value": "[parameters('count')]"},
        "sku": {"type": "string", "value": "Standard"},
    }

    def content(template: str) -> Any:
        with Double(from_schema({"name": "azure", "resources": {token: deployment}})) as double:
            inputs = {"templateContent": template, "outputContent": None}
            Stack(double).up(lambda: pulumi.CustomResource(token, "site", inputs) and None)
            return json.loads(double.cloud.objects()[0]["outputContent"])

    values = {name: output["value"] for name, output in content(json.dumps({"outputs": outputs})).items()}
    assert values == {"accountName": "accountname", "replicas": 1, "sku": "Standard"}
    assert content("{}") == {}
    assert azure_template_outputs({"templateContent": "no JSON"}) == {}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/aws/service/ecs/optimized-ami/amazon-linux-2/recommended", r"\{.*\"image_id\": \"ami-\w+\".*\}"),
        ("/aws/service/ecs/optimized-ami/amazon-linux-2/recommended/image_id", r"ami-\w+"),
        ("/aws/service/ami-amazon-linux-latest/al2023-ami-minimal", r"ami-\w+"),
        ("/shop/ami", r"(?!ami).*"),
    ],
)
def test_public_parameters_of_aws_name_images(name, expected):
    """A parameter of AWS's own is a document or an id, as its name says; a user's parameter is any text."""
    token, text = "aws:ssm/getParameter:getParameter", {"type": "string"}
    function = {"inputs": {"properties": {"name": text}}, "outputs": {"properties": {"name": text, "value": text}}}
    answer = asked(Double(from_schema({"name": "aws", "functions": {token: function}})), token, name=name)

    assert answer["name"] == name
    assert re.fullmatch(expected, answer["value"])


STACK, WORKERS = "aws:cloudformation/stack:Stack", "aws:autoscaling/group:Group"
TEMPLATE = """
Outputs:
  Group: {Value: !Ref Workers}
  Zone: {Value: north}
  Nothing: {}
Resources: {}
"""


def test_stacks_of_cloudformation_answer_the_outputs_of_their_templates():
    """A stack has each output of its template, and what such an output names can be read and destroyed with the stack."""
    text = {"type": "string"}
    outputs = {"type": "object", "additionalProperties": text}
    stack = {"inputProperties": {"templateBody": text}, "properties": {"templateBody": text, "outputs": outputs}}
    stack["required"] = ["outputs"]
    group = {"inputProperties": {}, "properties": {"arn": text}, "required": ["arn"]}
    schema = {"name": "aws", "meta": {"moduleFormat": "(.*)(?:/[^/]*)"}, "resources": {STACK: stack, WORKERS: group}}

    class Template(pulumi.CustomResource):
        outputs: pulumi.Output[dict[str, str]]

    def program():
        made_by = Template(STACK, "stack", {"templateBody": TEMPLATE, "outputs": None})
        own = pulumi.ResourceOptions(id=made_by.outputs["Group"])
        pulumi.CustomResource(WORKERS, "workers", {"arn": None}, own)

    with Double(from_schema(schema)) as double:
        stack_run = Stack(double)
        stack_run.up(program)
        (only,) = double.cloud.objects()
        assert only["outputs"] == {"Group": "group", "Zone": "north", "Nothing": "nothing"}
        assert not stack_run.refresh().summary
        stack_run.destroy()


@pytest.mark.parametrize(("of", "is_there"), [("shop-1-database", True), ("other", False)])
def test_what_a_chart_makes_can_be_read(of, is_there):
    """What is called after a Helm release, in its namespace, is there for programs that read it; anything else is not."""
    text, map_ = {"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}
    release, service = "kubernetes:helm.sh/v3:Release", "kubernetes:core/v1:Service"
    resources = {
        release: {"inputProperties": {"name": text}, "properties": {"name": text, "status": map_}},
        service: {"inputProperties": {}, "properties": {"kind": text}, "required": ["kind"]},
    }
    double = Double(from_schema({"name": "kubernetes", "resources": resources}))
    double.cloud.create(release, "shop-1", {"name": "shop-1", "status": {"name": "shop-1", "namespace": "default"}})
    reply = double(
        Call(op=Op.READ, session=double.open(), type=service, name="db", id=f"default/{of}", prior={}, prior_inputs={})
    )

    assert bool(reply.id) is is_there


@pytest.mark.parametrize("body", [None, "", "a: [", "- 1", "Outputs: 3", "Outputs: {}"])
def test_templates_without_outputs_say_nothing(body):
    """A template that is none, or has no outputs, leaves a stack's outputs as they are."""
    assert cloudformation_outputs({"templateBody": body}) == {}


def test_templates_say_nothing_where_nobody_reads_yaml(monkeypatch):
    """Terraform's users need not have Pulumi's SDK, which brings the library: a stack's outputs stay as they are."""
    monkeypatch.setitem(sys.modules, "yaml", None)

    assert cloudformation_outputs({"templateBody": "Outputs:\n  Url:\n    Value: x\n"}) == {}
