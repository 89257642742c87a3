// The provider "depot": a small real provider with a list resource, an action and a state store, which no provider that can be
// built from the Go module proxy has yet. All that it keeps is in the files of one folder, so that its processes share them.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/statestore"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// depot is the folder with everything that there is: boxes, stamps, states and locks.
type depot struct {
	folder string
}

// box is what the folder keeps of a resource.
type box struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Content string `json:"content"`
	Key     string `json:"key"`
}

func (d depot) path(parts ...string) string {
	return filepath.Join(append([]string{d.folder}, parts...)...)
}

func (d depot) write(data []byte, parts ...string) error {
	path := d.path(parts...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

func (d depot) names(part string) ([]string, error) {
	entries, err := os.ReadDir(d.path(part))
	if os.IsNotExist(err) {
		return nil, nil
	}
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

func (d depot) box(id string) (box, error) {
	var found box
	data, err := os.ReadFile(d.path("boxes", id))
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	return found, err
}

func (d depot) boxes(prefix string) ([]box, error) {
	ids, err := d.names("boxes")
	found := []box{}
	for _, id := range ids {
		one, failed := d.box(id)
		if failed != nil {
			return nil, failed
		}
		if strings.HasPrefix(one.Name, prefix) {
			found = append(found, one)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].Name < found[j].Name })
	return found, err
}

func newID() string {
	id := make([]byte, 8)
	_, _ = rand.Read(id)
	return hex.EncodeToString(id)
}

type depotProvider struct{}

func (p *depotProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "depot"
	resp.Version = "1.0.0"
}

func (p *depotProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"folder": schema.StringAttribute{Required: true},
	}}
}

func (p *depotProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config struct {
		Folder types.String `tfsdk:"folder"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	found := depot{config.Folder.ValueString()}
	resp.ResourceData, resp.ListResourceData, resp.ActionData, resp.StateStoreData = found, found, found, found
}

func (p *depotProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &boxResource{} }}
}

func (p *depotProvider) DataSources(context.Context) []func() datasource.DataSource {
	return nil
}

func (p *depotProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{func() list.ListResource { return &boxes{} }}
}

func (p *depotProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return &stamp{} }}
}

func (p *depotProvider) StateStores(context.Context) []func() statestore.StateStore {
	return []func() statestore.StateStore{func() statestore.StateStore { return &store{} }}
}

func main() {
	options := providerserver.ServeOpts{Address: "registry.terraform.io/mockprovider/depot", ProtocolVersion: 6}
	if err := providerserver.Serve(context.Background(), func() provider.Provider { return &depotProvider{} }, options); err != nil {
		log.Fatal(err)
	}
}
