package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// stamp is the action depot_stamp: it stamps a text on the box of an id, and tells of each stamp.
type stamp struct {
	depot depot
}

type stampModel struct {
	Box   types.String `tfsdk:"box"`
	Text  types.String `tfsdk:"text"`
	Times types.Int64  `tfsdk:"times"`
}

func (s *stamp) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "depot_stamp"
}

func (s *stamp) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"box":   schema.StringAttribute{Required: true},
		"text":  schema.StringAttribute{Required: true},
		"times": schema.Int64Attribute{Optional: true},
	}}
}

func (s *stamp) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	s.depot, _ = req.ProviderData.(depot)
}

func (s *stamp) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var config stampModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.Text.ValueString() == "smudge" {
		resp.Diagnostics.AddWarning("a smudge", "Nobody will be able to read this stamp.")
	}
}

func (s *stamp) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config stampModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	id, times := config.Box.ValueString(), max(1, config.Times.ValueInt64())
	one, err := s.depot.box(id)
	if err != nil {
		resp.Diagnostics.AddError("no such box", fmt.Sprintf("There is no box %s to stamp.", id))
		return
	}
	for number := int64(1); number <= times; number++ {
		mark := newID()
		if err := s.depot.write([]byte(config.Text.ValueString()), "stamps", id, mark); err != nil {
			resp.Diagnostics.AddError("the box cannot be stamped", err.Error())
			return
		}
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf("stamp %d of %d on %s: %s", number, times, one.Name, mark)})
	}
}
