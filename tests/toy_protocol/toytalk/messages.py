"""The toy's messages and its service, as protobuf descriptors."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, struct_pb2  # noqa: F401 - brings Struct into the pool

FIELD = descriptor_pb2.FieldDescriptorProto
RPCS = ("Setup", "Check", "Make", "Look", "Drop")


def _described() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(
        name="toytalk.proto", package="toytalk", syntax="proto3", dependency=["google/protobuf/struct.proto"]
    )
    for name, texts, bags in (("Ask", ("kind", "name", "key"), ("bag",)), ("Tell", ("key",), ("bag",))):
        message = file.message_type.add(name=name)
        for number, text in enumerate(texts, 1):
            message.field.add(name=text, number=number, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
        for number, bag in enumerate(bags, 10):
            message.field.add(
                name=bag,
                number=number,
                type=FIELD.TYPE_MESSAGE,
                type_name=".google.protobuf.Struct",
                label=FIELD.LABEL_OPTIONAL,
            )
    file.message_type[1].field.add(name="complaints", number=20, type=FIELD.TYPE_STRING, label=FIELD.LABEL_REPEATED)
    service = file.service.add(name="Provider")
    for rpc in RPCS:
        service.method.add(name=rpc, input_type=".toytalk.Ask", output_type=".toytalk.Tell")
    return file


POOL = descriptor_pool.Default()
POOL.AddSerializedFile(_described().SerializeToString())
SERVICE = POOL.FindServiceByName("toytalk.Provider")
classes = message_factory.GetMessageClass
Ask = classes(POOL.FindMessageTypeByName("toytalk.Ask"))
Tell = classes(POOL.FindMessageTypeByName("toytalk.Tell"))
