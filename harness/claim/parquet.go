package claim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"candor/harness/parquet"
)

// isParquet tells by its name what a file is.
func isParquet(name string) bool { return strings.EqualFold(filepath.Ext(name), ".parquet") }

// series is what a file's name ends in that is one of several.
var series = regexp.MustCompile(`-\d{5}-of-\d{5}$`)

// parquetSplit is the split of a file whose rows name none.
func parquetSplit(name string) string {
	split := splitOf(name)
	return series.ReplaceAllString(split, "")
}

// parquet reads a file's claims, and where its images are. No image is read,
// unless nothing but its bytes tells which it is.
func (ld *loader) parquet(ctx context.Context, name, split string) error {
	f, err := parquet.Open(name) // stays open: images are read when they are asked for
	if err != nil {
		return fmt.Errorf("data file: %w", err)
	}
	t, err := newTable(name, f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, errors.Join(err, f.Close()))
	}
	ld.tables = append(ld.tables, t)
	sources, err := t.sources(ctx)
	if err != nil {
		return err
	}
	t.named = sources != nil
	before := ld.ofSplit[split]
	for r, err := range f.Rows(ctx, t.columns...) {
		if err != nil {
			return err
		}
		where := fmt.Sprintf("row %d (row group %d)", r.Number+1, r.Group+1)
		values, err := t.values(r.Values)
		if err == nil && sources != nil {
			values["image_source"] = asJSON(sources[r.Number])
		}
		if err == nil {
			err = ld.add(name, split, row{where, values}, before+int(r.Number)+1)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, where, err)
		}
		source := ld.claims[len(ld.claims)-1].ImageSource
		ld.places[source] = append(ld.places[source], place{len(ld.tables) - 1, r.Number})
		t.images = append(t.images, source)
	}
	if f.NumRows() == 0 {
		return fmt.Errorf("%s: the file holds no rows", name)
	}
	ld.ofSplit[split] += int(f.NumRows())
	return nil
}

// parquetTable is a Parquet file and which of its columns are what.
type parquetTable struct {
	name    string
	file    *parquet.File
	columns []string            // whose values a row has
	labels  map[string][]string // column of whole numbers → what they stand for
	bytes   string              // column with the images, "" for none
	path    string              // column with their files' names, "" for none
	named   bool                // its images are named by what they are: no column does
	images  []string            // image source of each row
}

func newTable(name string, f *parquet.File) (*parquetTable, error) {
	t := &parquetTable{name: name, file: f}
	if err := t.checkColumns(); err != nil {
		return nil, err
	}
	for _, c := range f.Columns() {
		scalar := c.Kind == parquet.Text || c.Kind == parquet.Int || c.Kind == parquet.Bool
		if scalar && !strings.Contains(c.Name, ".") {
			t.columns = append(t.columns, c.Name)
		}
	}
	for _, name := range []string{"image.bytes", "image"} {
		if c, ok := f.Column(name); ok && c.Kind == parquet.Bytes {
			t.bytes = name
		}
	}
	if c, ok := f.Column("image.path"); ok && c.Kind == parquet.Text {
		t.path = c.Name
	}
	t.labels = labelNames(f.Metadata("huggingface"))
	return t, nil
}

// labelNames are the names of the numbers in columns of labels, as the library
// datasets records them.
func labelNames(metadata string) map[string][]string {
	var m struct {
		Info struct {
			Features map[string]json.RawMessage `json:"features"`
		} `json:"info"`
	}
	names := make(map[string][]string)
	if json.Unmarshal([]byte(metadata), &m) != nil {
		return names
	}
	for column, raw := range m.Info.Features {
		var feature struct {
			Names []string `json:"names"`
			Type  string   `json:"_type"`
		}
		if json.Unmarshal(raw, &feature) == nil && feature.Type == "ClassLabel" {
			names[column] = feature.Names
		}
	}
	return names
}

// values are a row's, as those of JSON.
func (t *parquetTable) values(row []any) (map[string]json.RawMessage, error) {
	values := make(map[string]json.RawMessage, len(row)+1)
	for i, v := range row {
		column := t.columns[i]
		switch v := v.(type) {
		case nil:
			values[column] = json.RawMessage("null")
		case string:
			if !utf8.ValidString(v) {
				return nil, fmt.Errorf("%s: not UTF-8 text", column)
			}
			values[column] = asJSON(v)
		case bool:
			values[column] = json.RawMessage(strconv.FormatBool(v))
		case int64:
			values[column] = json.RawMessage(strconv.FormatInt(v, 10))
			if names := t.labels[column]; v >= 0 && v < int64(len(names)) {
				values[column] = asJSON(names[v])
			}
		}
	}
	return values, nil
}

func asJSON(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string can always be written
	return b
}

// sources names the images of a table that has no column for that: by the hash
// of their bytes, and those without bytes by their path. Such paths need not
// differ where images do. Where there is such a column it is nil.
func (t *parquetTable) sources(ctx context.Context) ([]string, error) {
	for _, name := range t.columns {
		if name == "image_source" || name == "image" || name == "file_name" {
			return nil, nil
		}
	}
	names := make([]string, 0, min(t.file.NumRows(), 1<<16))
	if t.bytes != "" {
		for sum, err := range t.file.Hashes(ctx, t.bytes) {
			if err != nil {
				return nil, err
			}
			name := ""
			if sum != nil && *sum != parquet.Hash(sha256.Sum256(nil)) {
				name = "sha256-" + hex.EncodeToString(sum[:16])
			}
			names = append(names, name)
		}
	}
	if t.path == "" {
		return names, nil
	}
	for r, err := range t.file.Rows(ctx, t.path) {
		if err != nil {
			return nil, err
		}
		path, _ := r.Values[0].(string)
		switch at := int(r.Number); {
		case at >= len(names):
			names = append(names, path)
		case names[at] == "":
			names[at] = path
		}
	}
	return names, nil
}
