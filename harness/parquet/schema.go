package parquet

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// Kind is what a column holds.
type Kind int

// Kinds of columns.
const (
	Other  Kind = iota // dates, decimals and what else is not read
	Text               // string
	Bytes              // []byte
	Int                // int64
	Float              // float64
	Bool               // bool
	Nested             // values inside a list, which are not read
)

// String names a kind for messages.
func (k Kind) String() string {
	return [...]string{"of a kind that is not read", "text", "bytes", "whole numbers", "numbers", "truth values", "a list"}[k]
}

// Column is a column of values: a leaf of the schema.
type Column struct {
	Name string // its path with dots, "image.bytes"
	Kind Kind

	index    int
	physical format.Type
	levels   int // definition level of a value that is there
}

func (c *Column) levelBits() int { return bits.Len(uint(c.levels)) }

// flatten lists the leaves of a schema, which stands as a list depth first.
func flatten(schema []format.SchemaElement) ([]Column, error) {
	f := flattener{rest: schema}
	if len(schema) == 0 {
		return nil, fmt.Errorf("%w: no schema", errMetadata)
	}
	f.rest = schema[1:]
	if err := f.children(schema[0].NumChildren.V, nil, 0, false); err != nil {
		return nil, err
	}
	if len(f.rest) > 0 {
		return nil, fmt.Errorf("%w: the schema has more columns than it says", errMetadata)
	}
	return f.leaves, nil
}

type flattener struct {
	rest   []format.SchemaElement
	leaves []Column
}

func (f *flattener) children(n int32, path []string, levels int, nested bool) error {
	if len(path) > maxNesting || n < 0 {
		return fmt.Errorf("%w: the schema", errMetadata)
	}
	for range n {
		if len(f.rest) == 0 {
			return fmt.Errorf("%w: the schema has fewer columns than it says", errMetadata)
		}
		e := &f.rest[0]
		f.rest = f.rest[1:]
		name, at, inList := append(path[:len(path):len(path)], e.Name), levels, nested
		switch e.RepetitionType.V {
		case format.Optional:
			at++
		case format.Repeated:
			at++
			inList = true
		}
		if e.Type.Valid {
			f.leaf(e, name, at, inList)
			continue
		}
		if err := f.children(e.NumChildren.V, name, at, inList); err != nil {
			return err
		}
	}
	return nil
}

func (f *flattener) leaf(e *format.SchemaElement, path []string, levels int, nested bool) {
	c := Column{
		Name: strings.Join(path, "."), Kind: kindOf(e), index: len(f.leaves),
		physical: e.Type.V, levels: levels,
	}
	if nested {
		c.Kind = Nested
	}
	f.leaves = append(f.leaves, c)
}

func kindOf(e *format.SchemaElement) Kind {
	plain := e.LogicalType.Value == nil && !e.ConvertedType.Valid
	switch e.Type.V {
	case format.ByteArray:
		switch e.LogicalType.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return Text
		}
		switch e.ConvertedType.V {
		case deprecated.UTF8, deprecated.Enum, deprecated.Json:
			if e.ConvertedType.Valid {
				return Text
			}
		}
		if plain {
			return Bytes
		}
	case format.Int32, format.Int64:
		if _, ok := e.LogicalType.Value.(*format.IntType); ok || plain || isIntConverted(e) {
			return Int
		}
	case format.Float, format.Double:
		return Float
	case format.Boolean:
		return Bool
	}
	return Other
}

func isIntConverted(e *format.SchemaElement) bool {
	return e.LogicalType.Value == nil && e.ConvertedType.Valid &&
		e.ConvertedType.V >= deprecated.Uint8 && e.ConvertedType.V <= deprecated.Int64
}
