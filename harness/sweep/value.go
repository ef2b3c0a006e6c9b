package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"candor/harness/run"

	"github.com/pelletier/go-toml/v2"
)

// assign sets one key of a configuration.
func assign(cfg *run.Config, key string, v any) error {
	s, isText := v.(string)
	switch key {
	case "confidence", "labels", "host":
		if isText {
			v = strings.Split(s, ",")
		}
	case "parallel":
		if n, ok := v.(int64); ok {
			v = fmt.Sprint(n)
		}
	}
	return convert(map[string]any{key: v}, cfg)
}

// equal compares two values of a key.
func equal(key string, a, b any) bool {
	var one, other run.Config
	return assign(&one, key, a) == nil && assign(&other, key, b) == nil && written(one) == written(other)
}

// written is a configuration as one text.
func written(c run.Config) string {
	b, _ := json.Marshal(c) // plain data
	return string(b)
}

// convert goes through JSON, whose keys are the flags' names.
func convert(v, into any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return errors.New("infinity and NaN cannot be used here") // nothing else of TOML is refused
	}
	err = json.Unmarshal(b, into)
	bad := (*json.UnmarshalTypeError)(nil)
	switch {
	case errors.As(err, &bad) && dated(v):
		return fmt.Errorf("a date or time cannot be used where %s is wanted", kind(bad.Type))
	case errors.As(err, &bad):
		return fmt.Errorf("%s cannot be used where %s is wanted", found(bad.Value), kind(bad.Type))
	case err == nil && dated(v):
		return errors.New("a date or time cannot be used where a text is wanted; a text stands in quotes")
	}
	return err
}

// dated tells a value that is or holds a date or a time, which is no text though
// JSON writes it as one.
func dated(v any) bool {
	switch v := v.(type) {
	case time.Time, toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		return true
	case []any:
		return slices.ContainsFunc(v, dated)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), dated)
	}
	return false
}

// found is a JSON value's kind in words.
func found(value string) string {
	switch what, literal, _ := strings.Cut(value, " "); {
	case literal != "":
		return literal
	case what == "string":
		return "a text"
	case what == "bool":
		return "true or false"
	case what == "array":
		return "a list"
	case what == "object":
		return "a table"
	}
	return "a " + value
}

func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "a text"
}

// example is a value of a key, as TOML has it.
func example(key string) string {
	cfg := run.DefaultConfig()
	cfg.Model, cfg.Abstain = "qwen3.5:4b", new(0.8)
	if o, err := cfg.Options(); err == nil {
		cfg.Sampling = run.Sampling{
			Temperature: &o.Temperature, TopP: &o.TopP, TopK: &o.TopK, MinP: &o.MinP, PresencePenalty: &o.PresencePenalty, FrequencyPenalty: &o.FrequencyPenalty,
			RepeatPenalty: &o.RepeatPenalty, RepeatLastN: &o.RepeatLastN, NumPredict: &o.NumPredict, NumCtx: new(4096), NumBatch: new(512), Think: &o.Think,
		}
	}
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(written(cfg)), &values)
	if v := string(values[key]); v != "null" && v != `""` {
		return v
	}
	return `"…"`
}

// listing is values with commas between.
func listing(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}
