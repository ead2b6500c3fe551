// Package registry turns Go functions into actions that a language model can
// choose from, and runs the ones it chose.
//
// An action is a [Spec] and a func:
//
//	type SaveParams struct {
//		Title string `json:"title" jsonschema_description:"Title of the page"`
//		Likes int    `json:"likes" jsonschema:"minimum=0,default=0"`
//	}
//
//	r := registry.New()
//	r.MustAdd(registry.Spec{Name: "save", Description: "Save a page to the list."},
//		func(ctx context.Context, p SaveParams, db *sql.DB) (string, error) { ... })
//
// [Registry.Add] reads the func's signature: the params struct becomes the
// schema that the model sees, every other parameter is injected by type from
// [Deps] when the action runs. Whatever is wrong is an error at registration.
//
// [Registry.Compile] gives the [Model] for a page: the union of the actions that
// are available there, rendered in the provider's dialect by [Model.Schema] or
// in words by [Model.Prompt]. [Model.Decode] reads what the model answered into
// a [Call], checked against the schema of that one action, and [Call.Run] runs
// it: dependencies, secrets, deadline, panics, result.
//
// The package knows neither a browser nor a model provider.
package registry
