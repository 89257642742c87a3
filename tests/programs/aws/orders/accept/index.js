const { SendMessageCommand, SQSClient } = require("@aws-sdk/client-sqs");

const client = new SQSClient({});

exports.handler = async (event) => {
    await client.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: event.body }));
    return { statusCode: 202, body: JSON.stringify({ accepted: true }) };
};
