// A component of one's own, with children in a loop, options and a file.
package main

import (
	"fmt"

	"github.com/pulumi/pulumi-random/sdk/v4/go/random"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Rack holds servers.
type Rack struct {
	pulumi.ResourceState

	Names pulumi.StringArrayOutput `pulumi:"names"`
}

// NewRack makes a rack of count servers.
func NewRack(ctx *pulumi.Context, name string, count int, opts ...pulumi.ResourceOption) (*Rack, error) {
	rack := &Rack{}
	if err := ctx.RegisterComponentResource("acme:index:Rack", name, rack, opts...); err != nil {
		return nil, err
	}
	var names pulumi.StringArray
	for at := 0; at < count; at++ {
		server, err := random.NewRandomPet(ctx, fmt.Sprintf("%s-%d", name, at), &random.RandomPetArgs{},
			pulumi.Parent(rack), pulumi.IgnoreChanges([]string{"separator"}))
		if err != nil {
			return nil, err
		}
		names = append(names, server.ID().ToStringOutput())
	}
	rack.Names = names.ToStringArrayOutput()
	return rack, ctx.RegisterResourceOutputs(rack, pulumi.Map{"names": rack.Names})
}

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		rack, err := NewRack(ctx, "rack", 3)
		if err != nil {
			return err
		}
		port, err := random.NewRandomInteger(ctx, "port", &random.RandomIntegerArgs{
			Min: pulumi.Int(8000), Max: pulumi.Int(9000),
		}, pulumi.DependsOn([]pulumi.Resource{rack}))
		if err != nil {
			return err
		}
		ctx.Export("names", rack.Names)
		ctx.Export("address", pulumi.Sprintf("host:%d", port.Result))
		ctx.Export("preview", pulumi.Bool(ctx.DryRun()))
		return nil
	})
}
