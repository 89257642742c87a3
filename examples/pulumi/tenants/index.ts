import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

interface Tenant {
    name: string;
    users: number;
}

const config = new pulumi.Config();
const platform = new pulumi.StackReference(config.require("platform"));
const host = platform.requireOutput("host");

const tenants = config.requireObject<Tenant[]>("tenants").map(({ name, users }) => {
    const slug = new random.RandomPet(name, { length: 2, prefix: name }, { deleteBeforeReplace: true });
    const accounts = Array.from({ length: users }, (_, index) => ({
        login: pulumi.interpolate`${slug.id}-${index}`,
        password: new random.RandomPassword(
            `${name}-${index}`,
            { length: 20, special: true, overrideSpecial: "_-", keepers: { tenant: slug.id } },
            { parent: slug },
        ).result,
    }));
    return { name, url: pulumi.interpolate`https://${slug.id}.${host}/`, accounts };
});

export const urls = Object.fromEntries(tenants.map((tenant) => [tenant.name, tenant.url]));
export const logins = tenants.flatMap((tenant) => tenant.accounts.map((account) => account.login));
export const passwords = pulumi.secret(tenants.flatMap((tenant) => tenant.accounts.map((account) => account.password)));
