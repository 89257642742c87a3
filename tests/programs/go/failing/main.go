// Fails after it has made something.
package main

import (
	"errors"

	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		if _, err := random.NewRandomPet(ctx, "pet", nil); err != nil {
			return err
		}
		return errors.New("failed on purpose")
	})
}
