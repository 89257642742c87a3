"""What a test or a file says of single answers, while the schema stays."""

from __future__ import annotations

import json
import re
from typing import Any

import pulumi
import pytest
from aws_like import (
    AMI,
    CERTIFICATE,
    CLUSTER,
    POLICY,
    PULUMI,
    SUBNET,
    SUBNETS,
    TERRAFORM,
    VPC,
    ZONES,
    asked,
    aws,
    created,
    made,
)
from builders import BUCKET

from mockprovider import Double, Function, Property, Secret, Stack, from_schema, from_terraform_schema
from mockprovider.calls import Call, Op
from mockprovider.errors import DefinitionError
from mockprovider.fake.definitions import dump, load

# Functions --------------------------------------------------------------------------------------------------------------


def test_one_answer_changes_and_the_schema_stays():
    """What is said is answered, what is left out comes from the preset's schema as before, and other functions stay."""
    double = aws()
    double.answers(AMI, {"id": "ami-1"})

    answer = asked(double, AMI)
    assert answer["id"] == "ami-1"
    assert set(answer) == set(double.packages["aws"].functions[AMI].outputs)
    assert re.fullmatch(r"\d{4}-.*Z", answer["creationDate"])
    assert "from" not in str(asked(double, SUBNETS))


@pytest.mark.parametrize("name", [AMI, "aws:ec2:getAmi", "aws_ec2_ami"])
def test_functions_have_names_in_both_ecosystems(name):
    """A function may be called by its token, by that without the file, and by its name in Terraform; outputs, too."""
    double = aws()
    double.answers(name, {"image_id": "ami-2"})

    assert asked(double, AMI)["imageId"] == "ami-2"


def test_answers_match_arguments():
    """An answer is for calls with its arguments; the one that was said last, of those that fit, counts."""
    double = aws()
    double.answers(SUBNETS, {"ids": ["s-0"]})
    double.answers(SUBNETS, {"ids": ["s-1"]}, when={"vpc_id": "vpc-1"})
    double.answers(SUBNETS, {"ids": ["s-2"]}, when=lambda arguments: arguments.get("vpcId", "").startswith("big"))

    assert [asked(double, SUBNETS, vpcId=vpc)["ids"] for vpc in ("vpc-1", "big-1", "vpc-9")] == [["s-1"], ["s-2"], ["s-0"]]


def test_answers_come_one_after_the_other():
    """A list is one answer for each call, and the last repeats; each may be a function of the arguments."""
    double = aws()
    double.answers(SUBNETS, [{"ids": []}, lambda arguments: {"ids": [arguments["vpcId"]]}])

    assert [asked(double, SUBNETS, vpcId="v")["ids"] for _ in range(3)] == [[], ["v"], ["v"]]


def test_texts_are_taken_as_they_are():
    """What a test says is no template, so that JSON needs no doubled braces."""
    double = aws()
    double.answers(POLICY, {"json": '{"a": {}}'})

    assert asked(double, POLICY)["json"] == '{"a": {}}'


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            lambda double: double.answers("aws:ec2/getAmii:getAmii", {}),
            "Nobody declared the function .*Did you mean 'aws:ec2/getAmi:getAmi'",
        ),
        (lambda double: double.answers("aws_amy", {}), "Nobody declared the function 'aws_amy'"),
        (lambda double: double.answers(AMI, {"imageIdd": "x"}), r"getAmi has no output 'imageIdd'. Did you mean 'imageId'\?"),
        (lambda double: double.answers(AMI, [{"id": "x"}, {"idd": "x"}]), "has no output 'idd'"),
        (lambda double: double.answers(AMI, []), "a list of no answers says nothing"),
        (lambda double: double.answers(AMI, "ami"), "Give a mapping of outputs to values"),
        (lambda double: double.answers(ZONES, {"names": "a"}), r"names is 'a' \(string\), and is declared as array<string>"),
        (lambda double: double.answers(ZONES, {"names": [1]}), r"names\[0\] is 1 \(number 1\), and is declared as string"),
        (lambda double: double.answers(AMI, {}, when={"owner": "me"}), "has no argument 'owner'. Did you mean 'owners'"),
        (lambda double: double.answers(POLICY, {"statements": [{"sidd": "x"}]}), r"statements\[0\] has no output 'sidd'"),
        (
            lambda double: double.outputs("aws:ec2/vpc:Vpx", {}),
            "Nobody declared the resource type .*Did you mean 'aws:ec2/vpc:Vpc'",
        ),
        (lambda double: double.outputs(VPC, {"arm": "x"}), "has no output 'arm'. Did you mean 'arn'"),
        (lambda double: double.outputs(VPC, {"cidrBlock": "x"}), "'cidrBlock' is no output: the program sets it"),
        (lambda double: double.elements(-1), "Give 0 or more"),
        (lambda double: double.elements(3, ZONES, "zonids"), "has nothing at 'zonids'. Did you mean 'zoneIds'"),
    ],
)
def test_what_is_not_declared_is_refused(said, told):
    """A misspelt function, output, argument or type, and a value of another kind, are refused at once, with the nearest."""
    with pytest.raises(DefinitionError, match=told):
        said(aws())


def test_an_answer_that_a_function_gets_wrong_is_ours():
    """What a Python function answers is checked as well, when it is asked."""
    double = aws()
    double.answers(AMI, lambda _: {"idd": "x"})

    with pytest.raises(DefinitionError, match="has no output 'idd'"):
        asked(double, AMI)


def test_only_the_fake_can_be_told():
    """A real or recorded provider answers by itself."""
    double = Double(provider=lambda call: None)
    for said in (lambda: double.answers("a:b:c", {}), lambda: double.outputs("a:b:C", {}), lambda: double.elements(2)):
        with pytest.raises(DefinitionError, match="Only the fake can be told what to answer"):
            said()


def test_a_defined_function_keeps_the_published_arguments():
    """A function that is defined anew without arguments has those of the schema, and what it leaves out is made up."""
    double = aws()
    double.define(Function(POLICY, returns={"json": "of {policyId}"}))

    assert asked(double, POLICY, policyId="p", statements=[{"sid": "s"}])["json"] == "of p"
    assert asked(double, POLICY, policyId="p", statements=[{"sid": "s"}])["statements"] == [{"sid": "s"}]
    double.define(Function(POLICY, {"a": Property(str)}, {"json": "{a}"}))
    assert asked(double, POLICY, a="x") == {"json": "x"}


# Undeclared -------------------------------------------------------------------------------------------------------------


def test_an_undeclared_function_echoes():
    """A permissive double answers the arguments with an id, always the same, and the journal says that it is an echo."""
    double = Double(name="cloud")
    one, again, other = (asked(double, "cloud:index:getZone", region=region) for region in ("n", "n", "s"))

    assert one == again == {"id": one["id"], "region": "n"}
    assert other["id"] != one["id"]
    assert "an echo of its arguments: nobody declared cloud:index:getZone" in str(double.journal.entries(op="invoke")[0])


def test_equal_arguments_give_equal_answers_in_any_order():
    """The members of maps have no order on the wire, at any depth, and the answer does not depend on the one they came in."""
    one, other = {"name": "zone", "values": ["n"]}, {"values": ["n"], "name": "zone"}
    double = Double(name="cloud")
    ids = {asked(double, "cloud:index:getZone", filters=[{"by": order}])["id"] for order in (one, other)}

    assert len(ids) == 1


def test_what_is_looked_up_by_other_arguments_is_another_thing():
    """What the fake makes up for a function goes by the arguments: equal ones give the same address, others another."""
    text = {"type": "string"}
    asks = {"name": text, "filters": {"type": "array", "items": {"type": "object", "additionalProperties": text}}}
    function = {"inputs": {"properties": asks}, "outputs": {"properties": {"ipAddress": text, "id": text}}}
    double = Double(from_schema({"name": "aws", "functions": {"aws:index:getIp": function}}))
    one = asked(double, "aws:index:getIp", name="a", filters=[{"by": "b", "to": "c"}])

    assert asked(double, "aws:index:getIp", name="a", filters=[{"to": "c", "by": "b"}]) == one
    assert asked(double, "aws:index:getIp", name="z")["ipAddress"] != one["ipAddress"]
    assert asked(double, "aws:index:getIp", name="a")["id"] != one["id"]


def test_an_undeclared_function_can_be_told():
    """Where nothing is declared, any function may be told what to answer."""
    double = Double(name="cloud")
    double.answers("cloud:index:getZone", {"names": ["a"]})

    assert asked(double, "cloud:index:getZone") == {"names": ["a"]}


@pytest.mark.parametrize(("strict", "token"), [(True, "aws:index/getFoo:getFoo"), (False, "aws:ec2/getAim:getAim")])
def test_a_strict_double_and_a_misspelt_function_are_refused(strict, token):
    """Nothing echoes where only declared functions are there, nor what can only be a misspelling."""
    double = Double(from_schema(PULUMI), strict=strict)
    reply = double(Call(op=Op.INVOKE, session=double.open(package="aws"), type=token, inputs={}))

    assert "Nobody declared the function" in reply.failures[0].reason


# Outputs ----------------------------------------------------------------------------------------------------------------


def test_outputs_of_a_type_and_of_one_resource():
    """What is said of one resource counts before what is said of all; what the program sets stays; the rest is made up."""
    double = aws()
    double.outputs(SUBNET, {"ownerId": "me", "availabilityZone": "z-1"})
    double.outputs(SUBNET, {"owner_id": "you", "id": "subnet-x"}, name="web")

    plain, web = made(double, SUBNET, "db", vpcId="v", availabilityZone="mine"), made(double, SUBNET, "web", vpcId="v")
    assert (plain.value["ownerId"], plain.value["availabilityZone"]) == ("me", "mine")
    assert (web.value["ownerId"], web.value["availabilityZone"], web.id) == ("you", "z-1", "subnet-x")
    assert plain.value["arn"].startswith("arn:aws:ec2:")
    assert made(double, SUBNET, "web", vpcId="v").id.startswith("subnet-x-"), "an id is one object's"


def test_outputs_of_inputs():
    """A function is given the inputs, and may be for those alone that have some."""
    double = aws()
    double.outputs(VPC, lambda inputs: {"arn": f"arn:{inputs['cidrBlock']}"})
    double.outputs(VPC, {"arn": "arn:big"}, when={"cidr_block": "10.0.0.0/8"})

    assert [made(double, VPC, cidrBlock=cidr).value["arn"] for cidr in ("a", "10.0.0.0/8")] == ["arn:a", "arn:big"]


def test_partial_objects_are_completed():
    """Of an object that is said in part, the rest is made up, and so is that of each element of a list."""
    double = aws()
    double.outputs(CERTIFICATE, {"domainValidationOptions": [{"domainName": "a.org"}, {}]})
    first, second = made(double, CERTIFICATE, domainName="a.org").value["domainValidationOptions"]

    assert set(first) == set(second) == {"domainName", "resourceRecordName", "resourceRecordType"}
    assert first["domainName"] == "a.org" != second["domainName"]


def test_outputs_under_the_embedded_engine():
    """Outputs that are said live through updates, change with the next update when they are said anew, and no sooner."""
    double = aws()
    double.outputs(VPC, {"arn": "arn:1"})

    def program(cidr: str) -> Any:
        return lambda: pulumi.CustomResource(VPC, "main", {"cidrBlock": cidr, "arn": None})

    stack = Stack(double)
    stack.up(program("a"))
    assert stack.up(program("a")).summary == {}
    double.outputs(VPC, {"arn": "arn:2"})
    assert stack.up(program("a")).summary == {}
    stack.up(program("b"))
    assert double.cloud.objects(VPC)[0]["arn"] == "arn:2"


def test_what_the_provider_adds_inside():
    """An object that the program sets has what only its output declares, such as the network that a cluster is in."""
    cluster = made(aws(), CLUSTER, vpcConfig={"subnetIds": ["s"]}).value

    assert cluster["vpcConfig"]["subnetIds"] == ["s"]
    assert cluster["vpcConfig"]["vpcId"].startswith("vpc-")
    assert cluster["vpcConfig"]["clusterSecurityGroupId"].startswith("sg-")


def test_what_a_bridge_says_that_a_provider_adds():
    """A bridged schema has one type for both directions, and says beside it what always comes out: that is filled in."""
    access = {
        "type": "object",
        "properties": {"natIp": {"type": "string"}, "tier": {"type": "string"}, "network": {"type": "string"}},
        "required": ["network"],
        "language": {"nodejs": {"requiredOutputs": ["natIp", "network", "unknown"]}},
    }
    spec = {"access": {"type": "array", "items": {"$ref": "#/types/gcp:compute/access:access"}}}
    resource = {"inputProperties": spec, "properties": spec}
    schema = {"name": "gcp", "types": {"gcp:compute/access:access": access}, "resources": {"gcp:index:Host": resource}}
    double = Double(from_schema(schema))
    reply = double(Call(op=Op.CREATE, session=double.open(), type="gcp:index:Host", inputs={"access": [{"network": "n"}, {}]}))

    (first, _) = reply.value["access"]
    assert (set(first), first["network"]) == ({"network", "natIp"}, "n")
    assert re.fullmatch(r"10(\.\d+){3}", first["natIp"])


HOST = "cloud:index:Host"


def host(answered: list[str], rules: Any) -> Any:
    """The rules that a host has which was created with these, of a type that says what always comes out."""
    text = {"type": "string"}
    rule = {"type": "object", "properties": {"key": text, "natIp": text, "next": {"$ref": "#/types/cloud:index:rule"}}}
    rule["language"] = {"nodejs": {"requiredOutputs": answered}}
    rules_of = {"rules": {"type": "array", "items": {"$ref": "#/types/cloud:index:rule"}}}
    types = {"cloud:index:rule": rule}
    resource = {"inputProperties": rules_of, "properties": rules_of}
    double = Double(from_schema({"name": "cloud", "types": types, "resources": {HOST: resource}}))
    reply = double(Call(op=Op.CREATE, session=double.open(), type=HOST, inputs={"rules": rules}))
    return reply.value["rules"]


def test_secrets_stay_secret_beside_what_the_provider_adds():
    """A secret inside of an object that the provider completes is answered as one, and so is an object that is a secret."""
    [inside], whole = host(["natIp"], [{"key": Secret("k")}]), host(["natIp"], Secret([{"key": "k"}]))

    assert inside["key"] == Secret("k")
    assert re.fullmatch(r"10(\.\d+){3}", inside["natIp"])
    assert isinstance(whole, Secret)
    assert set(whole.value[0]) == {"key", "natIp"}


@pytest.mark.parametrize(("certain", "answered"), [(("key", "natIp"), {"key"}), (("natIp",), {"key", "natIp"})])
def test_a_type_that_calls_all_certain_says_nothing(certain, answered):
    """Where an output's type has all that it may have for certain, the provider adds nothing to what a program gives."""
    properties = {"key": {"type": "string"}, "natIp": {"type": "string"}}
    types = {
        "cloud:index:given": {"type": "object", "properties": properties},
        "cloud:index:rule": {"type": "object", "properties": properties, "required": list(certain)},
    }
    given, shown = ({"rule": {"$ref": f"#/types/{name}"}} for name in types)
    resources = {HOST: {"inputProperties": given, "properties": shown, "required": ["rule"]}}
    double = Double(from_schema({"name": "cloud", "types": types, "resources": resources}))
    reply = double(Call(op=Op.CREATE, session=double.open(), type=HOST, inputs={"rule": {"key": "k"}}))

    assert reply.value["rule"].keys() == answered


def test_ids_tell_their_kind():
    """Amazon's ids begin with what they are of, whichever ecosystem's schema it is."""
    double = Double(from_terraform_schema(TERRAFORM))

    assert re.fullmatch("vpc-[0-9a-f]{8}", made(aws(), VPC, cidrBlock="c").id)
    assert re.fullmatch("subnet-[0-9a-f]{8}", made(double, "aws:index:Subnet", vpcId="v").id)
    assert re.fullmatch("[0-9a-f]{8}", made(aws(), CLUSTER, vpcConfig={}).id)


# Elements ---------------------------------------------------------------------------------------------------------------


def test_lists_have_one_element():
    """A computed list of a resource or a function has one element, whole, unless somebody says another number."""
    double = aws()
    certificate = made(double, CERTIFICATE, domainName="a.org").value

    assert [set(option) for option in certificate["domainValidationOptions"]] == [
        {"domainName", "resourceRecordName", "resourceRecordType"}
    ]
    double.presets = False
    assert len(asked(double, SUBNETS)["ids"]) == 1
    assert made(double, SUBNET, vpcId="v").value["securityGroups"] == []


def test_as_many_elements_as_said():
    """A number is said of everything, of a type, or of one list in it: the most particular counts."""
    double = aws()
    double.elements(3)
    double.elements(2, CERTIFICATE)
    double.elements(0, SUBNETS, "ids")
    double.elements(4, SUBNET, "security_groups")

    assert len(made(double, CERTIFICATE, domainName="a.org").value["domainValidationOptions"]) == 2
    assert asked(double, SUBNETS)["ids"] == []
    assert len(made(double, SUBNET, vpcId="v").value["securityGroups"]) == 4
    double.elements(5, ZONES)
    double.presets = False
    assert len(asked(double, ZONES)["names"]) == 5


def test_types_declared_by_hand_stay():
    """A number for everything is one for what schemas declare; a type that a user declares by hand is named."""
    hand = type(BUCKET)(BUCKET.token, {"zones": Property(list[str], computed=True)})
    double = Double(hand)
    double.elements(3)
    assert created(double, BUCKET.token, "a", {}).value["zones"] == []
    double.elements(3, BUCKET.token)
    assert len(created(double, BUCKET.token, "b", {}).value["zones"]) == 3


# Files ------------------------------------------------------------------------------------------------------------------

FILE = {
    "mockprovider": 1,
    "packages": {
        "aws": {
            "answers": [
                {"function": SUBNETS, "answer": [{"ids": ["{vpcId}-a"]}, {"ids": []}]},
                {"function": ["aws_ec2_ami"], "when": {"mostRecent": True}, "answer": {"id": "ami-{region}"}},
            ],
            "outputs": [{"type": VPC, "name": "main", "outputs": {"arn": "arn:{cidrBlock}"}}],
            "elements": {"*": 2, f"{CERTIFICATE}.domainValidationOptions": 4},
        }
    },
}


@pytest.mark.parametrize("first", ["schema", "file"])
def test_a_file_says_the_same(first):
    """A types file that only says answers joins the schema, in whichever order they come; its texts are templates."""
    definitions = [from_schema(PULUMI), *load(FILE)]
    double = Double(*(definitions if first == "schema" else reversed(definitions)))

    assert json.loads(double.packages["aws"].schema) == PULUMI
    assert [asked(double, SUBNETS, vpcId="v")["ids"] for _ in range(2)] == [["v-a"], []]
    assert asked(double, AMI, mostRecent=True)["id"] == "ami-us-east-1"
    assert made(double, VPC, "main", cidrBlock="c").value["arn"] == "arn:c"
    assert made(double, VPC, "other", cidrBlock="c").value["arn"] != "arn:c"
    assert len(made(double, CERTIFICATE, domainName="a").value["domainValidationOptions"]) == 4


def test_files_are_written_and_read():
    """What a file says survives the way there and back."""
    assert dump(load(dump(load(FILE)))) == dump(load(FILE))


def test_a_file_that_is_wrong_is_refused():
    """What a file says is checked when it meets the schema, and templates when it is read."""
    said = {"function": SUBNETS, "answer": {"idss": []}}
    with pytest.raises(DefinitionError, match=r"has no output 'idss'\. Did you mean 'ids'"):
        Double(from_schema(PULUMI), *load({"mockprovider": 1, "packages": {"aws": {"answers": [said]}}}))
    broken = {"function": SUBNETS, "answer": {"ids": ["{"]}}
    with pytest.raises(DefinitionError, match=r"answers\[0\]: '{' is not a template"):
        load({"mockprovider": 1, "packages": {"aws": {"answers": [broken]}}}, "types.json")


def test_python_cannot_be_written():
    """What is said in Python stays there."""
    [package] = load(FILE)
    package.said.answers[0].answer = lambda arguments: {}
    with pytest.raises(DefinitionError, match="is a Python function, which data cannot hold"):
        dump([package])


def test_terraform_schemas_have_the_same():
    """A Terraform schema's data source has the names of its attributes, and the preset knows it."""
    double = Double(from_terraform_schema(TERRAFORM))
    double.answers("aws_subnets", {"ids": ["a", "b"]})

    assert asked(double, "aws:index:getSubnets")["ids"] == ["a", "b"]
    assert asked(double, "aws:index:getAvailabilityZones")["zoneIds"] == ["use1-az1", "use1-az2", "use1-az3"]


SAID = {"mockprovider": 1}
ANSWER = {"function": AMI, "answer": [{"id": "ami-1"}, {"id": "ami-2"}]}

# Doubles ----------------------------------------------------------------------------------------------------------------


def test_doubles_that_share_a_schema_are_independent():
    """What one double is told by a file, or defines, says nothing to another one of the same package."""
    package, [said] = from_schema(PULUMI), load(json.dumps({**SAID, "packages": {"aws": {"answers": [ANSWER]}}}))
    with Double(package) as double:
        before = asked(double, AMI)
    with Double(package, said) as double:
        told = [asked(double, AMI)["id"] for _ in range(2)]
        double.define(Function(ZONES, returns={"names": ["told"]}))
        assert asked(double, ZONES)["names"] == ["told"]
    with Double(package, said) as double:
        again = [asked(double, AMI)["id"] for _ in range(2)]
    with Double(package) as double:
        assert asked(double, AMI) == before
        assert asked(double, ZONES)["names"] != ["told"]
    assert told == again == ["ami-1", "ami-2"]
