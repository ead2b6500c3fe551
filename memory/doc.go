// Package memory keeps what an agent knows while it runs, and names what it
// asks of memory that outlives the run.
//
// Within a run, a [Log] holds the tasks and the finished steps as the model
// reads them again. It only grows at its end, so that the prompt made from it
// keeps its beginning and providers can serve that beginning from their cache.
// When it grows too long, [Log.Compact] lets a model fold its middle into a
// summary, and [Fit] trims a prompt that is over a limit, least important parts
// first.
//
// Beyond a run, [Store] is the one interface that an agent needs. The package
// memory/longterm implements it.
//
// The package never sees a secret: everything it is given has passed the
// agent's redactor.
package memory
