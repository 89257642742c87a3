// Pets with a password: what a first program in Go looks like.
package main

import (
	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		length := config.New(ctx, "").GetInt("length")
		pet, err := random.NewRandomPet(ctx, "pet", &random.RandomPetArgs{Length: pulumi.Int(length)})
		if err != nil {
			return err
		}
		password, err := random.NewRandomPassword(ctx, "password", &random.RandomPasswordArgs{
			Length:  pulumi.Int(16),
			Keepers: pulumi.StringMap{"pet": pet.ID().ToStringOutput()},
		})
		if err != nil {
			return err
		}
		ctx.Export("pet", pet.ID())
		ctx.Export("password", password.Result)
		return nil
	})
}
