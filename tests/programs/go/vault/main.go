// Keys with a provider of their own, a secret setting, and what is made of them in an Apply.
package main

import (
	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		cfg := config.New(ctx, "")
		own, err := random.NewProvider(ctx, "own", &random.ProviderArgs{})
		if err != nil {
			return err
		}
		salt, err := random.NewRandomString(ctx, "salt", &random.RandomStringArgs{
			Length:  pulumi.Int(8),
			Special: pulumi.Bool(false),
			Keepers: pulumi.StringMap{"token": cfg.RequireSecret("token")},
		}, pulumi.Provider(own), pulumi.AdditionalSecretOutputs([]string{"result"}))
		if err != nil {
			return err
		}
		_, err = random.NewRandomUuid(ctx, "key", &random.RandomUuidArgs{
			Keepers: pulumi.StringMap{"salt": salt.ID().ToStringOutput()},
		}, pulumi.Aliases([]pulumi.Alias{{Name: pulumi.String("old-key")}}), pulumi.DependsOn([]pulumi.Resource{salt}))
		if err != nil {
			return err
		}
		ctx.Export("place", pulumi.Sprintf("vault-%s", ctx.Stack()))
		ctx.Export("sealed", pulumi.All(cfg.RequireSecret("token"), salt.Length).ApplyT(func(all []any) map[string]any {
			return map[string]any{"token": all[0], "length": all[1]}
		}))
		return nil
	})
}
