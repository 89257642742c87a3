package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// boxResource is depot_box.
type boxResource struct {
	depot depot
}

type boxModel struct {
	ID      types.String `tfsdk:"id"`
	Name    types.String `tfsdk:"name"`
	Content types.String `tfsdk:"content"`
	Key     types.String `tfsdk:"key"`
}

type boxIdentity struct {
	ID types.String `tfsdk:"id"`
}

func model(one box) boxModel {
	return boxModel{
		types.StringValue(one.ID), types.StringValue(one.Name), types.StringValue(one.Content), types.StringValue(one.Key),
	}
}

func (r *boxResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "depot_box"
}

func (r *boxResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	kept := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id":      schema.StringAttribute{Computed: true, PlanModifiers: kept},
		"name":    schema.StringAttribute{Required: true},
		"content": schema.StringAttribute{Required: true},
		"key":     schema.StringAttribute{Required: true, Sensitive: true},
	}}
}

func (r *boxResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (r *boxResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.depot, _ = req.ProviderData.(depot)
}

func (r *boxResource) keep(one boxModel, diagnostics *diag.Diagnostics) {
	kept := box{one.ID.ValueString(), one.Name.ValueString(), one.Content.ValueString(), one.Key.ValueString()}
	data, _ := json.Marshal(kept)
	if err := r.depot.write(data, "boxes", kept.ID); err != nil {
		diagnostics.AddError("the box cannot be kept", err.Error())
	}
}

func (r *boxResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var one boxModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &one)...)
	one.ID = types.StringValue(newID())
	r.keep(one, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, one)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, boxIdentity{one.ID})...)
}

func (r *boxResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var one boxModel
	resp.Diagnostics.Append(req.State.Get(ctx, &one)...)
	found, err := r.depot.box(one.ID.ValueString())
	if os.IsNotExist(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		resp.Diagnostics.AddError("the box cannot be read", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model(found))...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, boxIdentity{one.ID})...)
}

func (r *boxResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var one boxModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &one)...)
	r.keep(one, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, one)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, boxIdentity{one.ID})...)
}

func (r *boxResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var one boxModel
	resp.Diagnostics.Append(req.State.Get(ctx, &one)...)
	if err := os.Remove(r.depot.path("boxes", one.ID.ValueString())); err != nil && !os.IsNotExist(err) {
		resp.Diagnostics.AddError("the box cannot be removed", err.Error())
	}
}

func (r *boxResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

// boxes is the list resource of depot_box: the boxes whose names begin with a prefix, in the order of their names.
type boxes struct {
	depot depot
}

func (l *boxes) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "depot_box"
}

func (l *boxes) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = listschema.Schema{Attributes: map[string]listschema.Attribute{
		"prefix": listschema.StringAttribute{Optional: true},
	}}
}

func (l *boxes) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	l.depot, _ = req.ProviderData.(depot)
}

func (l *boxes) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config struct {
		Prefix types.String `tfsdk:"prefix"`
	}
	diagnostics := req.Config.Get(ctx, &config)
	found, err := l.depot.boxes(config.Prefix.ValueString())
	if err != nil {
		diagnostics.AddError("the boxes cannot be listed", err.Error())
	}
	if len(found) == 0 {
		diagnostics.AddError("no such boxes", fmt.Sprintf("No box begins with %q.", config.Prefix.ValueString()))
	}
	if diagnostics.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diagnostics)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for number, one := range found {
			if req.Limit > 0 && int64(number) >= req.Limit {
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = one.Name
			result.Diagnostics.Append(result.Identity.Set(ctx, boxIdentity{types.StringValue(one.ID)})...)
			if req.IncludeResource {
				result.Diagnostics.Append(result.Resource.Set(ctx, model(one))...)
			}
			if !push(result) {
				return
			}
		}
	}
}
