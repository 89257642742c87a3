import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

import { Pages } from "./pages";

const config = new pulumi.Config();
const domain = config.require("domain");
const tags = { project: pulumi.getProject(), stack: pulumi.getStack() };

const bucket = new aws.s3.Bucket("content", { forceDestroy: true, tags });
new aws.s3.BucketVersioning("content", {
    bucket: bucket.id,
    versioningConfiguration: { status: "Enabled" },
});
const closed = new aws.s3.BucketPublicAccessBlock("content", {
    bucket: bucket.id,
    blockPublicAcls: true,
    blockPublicPolicy: true,
    ignorePublicAcls: true,
    restrictPublicBuckets: true,
});
const pages = new Pages("pages", { bucket, folder: config.require("folder") }, { dependsOn: closed });

// CloudFront takes certificates from this region only.
const virginia = new aws.Provider("virginia", { region: "us-east-1", defaultTags: { tags } });
const zone = aws.route53.getZoneOutput({ name: domain.split(".").slice(1).join(".") });
const certificate = new aws.acm.Certificate(
    "certificate",
    { domainName: domain, validationMethod: "DNS" },
    { provider: virginia },
);
const proof = certificate.domainValidationOptions[0];
const record = new aws.route53.Record("proof", {
    zoneId: zone.zoneId,
    name: proof.resourceRecordName,
    type: proof.resourceRecordType,
    records: [proof.resourceRecordValue],
    ttl: 300,
});
const validated = new aws.acm.CertificateValidation(
    "certificate",
    { certificateArn: certificate.arn, validationRecordFqdns: [record.fqdn] },
    { provider: virginia },
);

const access = new aws.cloudfront.OriginAccessControl("access", {
    originAccessControlOriginType: "s3",
    signingBehavior: "always",
    signingProtocol: "sigv4",
});
const distribution = new aws.cloudfront.Distribution("cdn", {
    enabled: true,
    aliases: [domain],
    defaultRootObject: "index.html",
    priceClass: "PriceClass_100",
    origins: [
        {
            originId: bucket.arn,
            domainName: bucket.bucketRegionalDomainName,
            originAccessControlId: access.id,
        },
    ],
    defaultCacheBehavior: {
        targetOriginId: bucket.arn,
        viewerProtocolPolicy: "redirect-to-https",
        allowedMethods: ["GET", "HEAD", "OPTIONS"],
        cachedMethods: ["GET", "HEAD"],
        compress: true,
        forwardedValues: { queryString: false, cookies: { forward: "none" } },
    },
    customErrorResponses: [{ errorCode: 403, responseCode: 404, responsePagePath: "/404.html" }],
    restrictions: { geoRestriction: { restrictionType: "none" } },
    viewerCertificate: {
        acmCertificateArn: validated.certificateArn,
        sslSupportMethod: "sni-only",
        minimumProtocolVersion: "TLSv1.2_2021",
    },
    tags,
});

const reading = aws.iam.getPolicyDocumentOutput({
    statements: [
        {
            actions: ["s3:GetObject"],
            resources: [pulumi.interpolate`${bucket.arn}/*`],
            principals: [{ type: "Service", identifiers: ["cloudfront.amazonaws.com"] }],
            conditions: [{ test: "StringEquals", variable: "AWS:SourceArn", values: [distribution.arn] }],
        },
    ],
});
new aws.s3.BucketPolicy("content", { bucket: bucket.id, policy: reading.json }, { dependsOn: closed });

for (const type of ["A", "AAAA"]) {
    new aws.route53.Record(`alias-${type}`, {
        zoneId: zone.zoneId,
        name: domain,
        type,
        aliases: [
            { name: distribution.domainName, zoneId: distribution.hostedZoneId, evaluateTargetHealth: false },
        ],
    });
}

export const url = `https://${domain}`;
export const keys = pages.keys;
export const bucketName = bucket.bucket;
export const cdn = distribution.domainName;
export const policy = reading.json;
