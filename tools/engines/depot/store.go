package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/statestore"
	"github.com/hashicorp/terraform-plugin-framework/statestore/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// store is the state store depot_store: states are files, and so are the locks on them.
type store struct {
	shelf shelf
}

// shelf is the part of a depot that one configured store uses.
type shelf struct {
	depot depot
	name  string
}

func (s *store) Metadata(_ context.Context, _ statestore.MetadataRequest, resp *statestore.MetadataResponse) {
	resp.TypeName = "depot_store"
}

func (s *store) Schema(_ context.Context, _ statestore.SchemaRequest, resp *statestore.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"shelf": schema.StringAttribute{Required: true},
		"token": schema.StringAttribute{Optional: true},
	}}
}

func (s *store) Initialize(ctx context.Context, req statestore.InitializeRequest, resp *statestore.InitializeResponse) {
	var config struct {
		Shelf types.String `tfsdk:"shelf"`
		Token types.String `tfsdk:"token"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	found, _ := req.ProviderData.(depot)
	resp.StateStoreData = shelf{found, config.Shelf.ValueString()}
}

func (s *store) Configure(_ context.Context, req statestore.ConfigureRequest, _ *statestore.ConfigureResponse) {
	s.shelf, _ = req.StateStoreData.(shelf)
}

func (s *store) GetStates(_ context.Context, _ statestore.GetStatesRequest, resp *statestore.GetStatesResponse) {
	names, err := s.shelf.depot.names("states-" + s.shelf.name)
	if err != nil {
		resp.Diagnostics.AddError("the states cannot be listed", err.Error())
	}
	resp.StateIDs = names
}

func (s *store) path(id string) string {
	return s.shelf.depot.path("states-"+s.shelf.name, id)
}

func (s *store) lock(id string) string {
	return s.shelf.depot.path("locks-"+s.shelf.name, id)
}

func (s *store) Read(_ context.Context, req statestore.ReadRequest, resp *statestore.ReadResponse) {
	data, err := os.ReadFile(s.path(req.StateID))
	if err != nil && !os.IsNotExist(err) {
		resp.Diagnostics.AddError("the state cannot be read", err.Error())
	}
	resp.StateBytes = data
}

func (s *store) Write(_ context.Context, req statestore.WriteRequest, resp *statestore.WriteResponse) {
	if err := s.shelf.depot.write(req.StateBytes, "states-"+s.shelf.name, req.StateID); err != nil {
		resp.Diagnostics.AddError("the state cannot be written", err.Error())
	}
}

func (s *store) DeleteState(_ context.Context, req statestore.DeleteStateRequest, resp *statestore.DeleteStateResponse) {
	if err := os.Remove(s.path(req.StateID)); err != nil {
		resp.Diagnostics.AddError("the state cannot be deleted", err.Error())
	}
}

func (s *store) Lock(_ context.Context, req statestore.LockRequest, resp *statestore.LockResponse) {
	mine := statestore.NewLockInfo(req)
	if data, err := os.ReadFile(s.lock(req.StateID)); err == nil {
		var other statestore.LockInfo
		_ = json.Unmarshal(data, &other)
		resp.Diagnostics.Append(statestore.WorkspaceAlreadyLockedDiagnostic(req, other))
		return
	}
	data, _ := json.Marshal(mine)
	if err := s.shelf.depot.write(data, "locks-"+s.shelf.name, req.StateID); err != nil {
		resp.Diagnostics.AddError("the state cannot be locked", err.Error())
	}
	resp.LockID = mine.ID
}

func (s *store) Unlock(_ context.Context, req statestore.UnlockRequest, resp *statestore.UnlockResponse) {
	var mine statestore.LockInfo
	data, err := os.ReadFile(s.lock(req.StateID))
	if err == nil {
		err = json.Unmarshal(data, &mine)
	}
	if err != nil || mine.ID != req.LockID {
		resp.Diagnostics.AddError("the lock is another's", "It has the id "+mine.ID+", and not "+req.LockID+".")
		return
	}
	if err := os.Remove(s.lock(req.StateID)); err != nil {
		resp.Diagnostics.AddError("the state cannot be unlocked", err.Error())
	}
}
