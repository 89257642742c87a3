import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const account = aws.getCallerIdentityOutput().accountId;
const region = aws.getRegionOutput();

// What is kept.
const table = new aws.dynamodb.Table("orders", {
    billingMode: "PAY_PER_REQUEST",
    hashKey: "id",
    attributes: [{ name: "id", type: "S" }],
    pointInTimeRecovery: { enabled: true },
});

// What waits, and what could not be handled.
const failed = new aws.sqs.Queue("failed", { messageRetentionSeconds: 14 * 24 * 3600 });
const queue = new aws.sqs.Queue("incoming", {
    visibilityTimeoutSeconds: 180,
    redrivePolicy: pulumi.jsonStringify({ deadLetterTargetArn: failed.arn, maxReceiveCount: 3 }),
});
new aws.cloudwatch.MetricAlarm("failed", {
    comparisonOperator: "GreaterThanThreshold",
    evaluationPeriods: 1,
    metricName: "ApproximateNumberOfMessagesVisible",
    namespace: "AWS/SQS",
    period: 60,
    statistic: "Maximum",
    threshold: 0,
    dimensions: { QueueName: failed.name },
});

// Who accepts orders.
const role = new aws.iam.Role("accept", {
    assumeRolePolicy: aws.iam.assumeRolePolicyForPrincipal(aws.iam.Principals.LambdaPrincipal),
});
new aws.iam.RolePolicyAttachment("accept-logs", {
    role,
    policyArn: aws.iam.ManagedPolicy.AWSLambdaBasicExecutionRole,
});
new aws.iam.RolePolicy("accept-queue", {
    role: role.id,
    policy: {
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Action: ["sqs:SendMessage"], Resource: queue.arn }],
    },
});
const accept = new aws.lambda.Function("accept", {
    runtime: aws.lambda.Runtime.NodeJS20dX,
    handler: "index.handler",
    role: role.arn,
    code: new pulumi.asset.AssetArchive({
        "index.js": new pulumi.asset.FileAsset("accept/index.js"),
        "version.json": new pulumi.asset.StringAsset(JSON.stringify({ stack: pulumi.getStack() })),
    }),
    memorySize: config.getNumber("memory") ?? 128,
    environment: { variables: { QUEUE_URL: queue.url } },
});
new aws.cloudwatch.LogGroup("accept", {
    name: pulumi.interpolate`/aws/lambda/${accept.name}`,
    retentionInDays: 14,
});

// Where they come from.
const api = new aws.apigatewayv2.Api("orders", { protocolType: "HTTP" });
const integration = new aws.apigatewayv2.Integration("accept", {
    apiId: api.id,
    integrationType: "AWS_PROXY",
    integrationUri: accept.invokeArn,
    payloadFormatVersion: "2.0",
});
const route = new aws.apigatewayv2.Route("accept", {
    apiId: api.id,
    routeKey: "POST /orders",
    target: pulumi.interpolate`integrations/${integration.id}`,
});
const stage = new aws.apigatewayv2.Stage(
    "live",
    { apiId: api.id, name: "live", autoDeploy: true },
    { dependsOn: [route] },
);
new aws.lambda.Permission("accept", {
    action: "lambda:InvokeFunction",
    function: accept.name,
    principal: "apigateway.amazonaws.com",
    sourceArn: pulumi.interpolate`${api.executionArn}/*/*`,
});

// Who handles them: a function of this program.
const tableName = table.name;
queue.onEvent(
    "handle",
    new aws.lambda.CallbackFunction<aws.sqs.QueueEvent, void>("handle", {
        timeout: 30,
        callback: async (event) => {
            for (const record of event.Records) {
                console.log(`${tableName.get()}: ${record.messageId}`);
            }
        },
    }),
    { batchSize: 5 },
);

export const endpoint = pulumi.interpolate`${stage.invokeUrl}/orders`;
export const queueUrl = queue.url;
export const place = pulumi.interpolate`${account}/${region.region}`;
export const tableArn = table.arn;
