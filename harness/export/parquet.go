package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

// Parquet is the table of a run's traces with its types: text is a UTF8 string,
// an integer INT64, a real DOUBLE, a boolean BOOLEAN; what may be null is
// optional. Pages are compressed by Snappy, which every reader has.
type Parquet struct {
	Out string // "": beside the run
}

// Keys of the file's metadata.
const (
	keyRun     = "candor.run_id"
	keyVersion = "candor.version" // of the program that made the run
)

// rowGroup is how many rows stand together, so that readers can work on parts.
const rowGroup = 16384

// Export writes the file.
func (p Parquet) Export(ctx context.Context, r *Run) (string, error) {
	name := r.beside(p.Out, ".parquet")
	return name, r.writeFile(name, lookParquet, func(w io.Writer) error { return p.write(ctx, w, r) })
}

func (p Parquet) write(ctx context.Context, w io.Writer, r *Run) error {
	columns := r.Columns()
	out := parquet.NewWriter(w, schema(columns),
		parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.CreatedBy("candor", cmp.Or(r.Manifest.Candor, "unknown"), ""),
		parquet.KeyValueMetadata(keyRun, r.ID),
		parquet.KeyValueMetadata(keyVersion, r.Manifest.Candor))
	row := make(parquet.Row, len(columns))
	for i := range r.Traces {
		if err := ctx.Err(); err != nil {
			return err
		}
		for k, c := range columns {
			v, level := parquet.ValueOf(c.value(&r.Traces[i])), 0
			if c.Nullable && !v.IsNull() {
				level = 1
			}
			row[k] = v.Level(0, level, k)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}

func schema(columns []Column) *parquet.Schema {
	kinds := map[Kind]parquet.Node{
		Text:    parquet.String(),
		Integer: parquet.Int(64),
		Real:    parquet.Leaf(parquet.DoubleType),
		Boolean: parquet.Leaf(parquet.BooleanType),
	}
	table := ordered{Group: parquet.Group{}}
	for _, c := range columns {
		node := kinds[c.Kind]
		if c.Nullable {
			node = parquet.Optional(node)
		}
		table.Group[c.Name] = node
		table.names = append(table.names, c.Name)
	}
	return parquet.NewSchema("trace", table)
}

// ordered is a group that keeps the order of its columns; the library's own
// sorts them by name.
type ordered struct {
	parquet.Group
	names []string
}

// Fields are the columns in order.
func (o ordered) Fields() []parquet.Field {
	by := map[string]parquet.Field{}
	for _, f := range o.Group.Fields() {
		by[f.Name()] = f
	}
	out := make([]parquet.Field, len(o.names))
	for i, name := range o.names {
		out[i] = by[name]
	}
	return out
}

// lookParquet reads whose export a file is.
func lookParquet(f *os.File) (held, error) {
	info, err := f.Stat()
	if err != nil {
		return held{}, err
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return held{}, err
	}
	id, ok := file.Lookup(keyRun)
	if !ok {
		return held{}, errors.New("it does not say of which run it is")
	}
	return held{run: id, traces: int(file.NumRows())}, nil
}
