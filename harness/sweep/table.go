package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"candor/harness/compare"
	"candor/harness/regular"
	"candor/harness/rescore"
	"candor/harness/run"
	"candor/scoring"
)

// Table is a sweep's joint table, sweep.json. The same answers give the same
// bytes.
type Table struct {
	Sweep    string     `json:"sweep"`   // the file's name, without extension
	Axes     []Axis     `json:"axes"`    // in the order of a cell's name, none: one cell
	RankBy   RankBy     `json:"rank_by"` // of every group's ranking
	Cells    []Measured `json:"cells"`   // in the order of asking
	Groups   []Group    `json:"groups"`  // of cells that were asked the same tasks
	Rescored []Rescored `json:"rescore"` // empty unless asked for
	Errors   int        `json:"errors"`  // tasks, in all cells
}

// Axis is what cells differ in, with its values as the file lists them. A
// cell's value on it is Cell.Values[Axis.Name]: a text, number or truth value,
// of the axis confidence a text or a list of texts.
type Axis struct {
	Name   string `json:"axis"`
	Values []any  `json:"values"`
}

// RankBy is the metric that cells are ranked by, by its name in
// scoring.FigureNames.
type RankBy struct {
	Metric        string `json:"metric"`
	LowerIsBetter bool   `json:"lower_is_better"`
	LeansUpwards  bool   `json:"leans_upwards"` // it has spreads and no intervals
}

// Measured is a cell and its own figures, under its own rule and payoff. Any
// metric is Summary.Figure(name), its 95 % interval Summary.CI[name] or, of one
// that leans upwards, its spread Summary.Spread[name].
type Measured struct {
	Cell
	Dir     string          `json:"dir"` // a run, below the sweep's directory
	Summary scoring.Summary `json:"summary"`
}

// Group is the cells that can be compared, since they were asked the same
// tasks, all paid alike: by the baseline's rule and payoff.
type Group struct {
	Cells    []string `json:"cells"`    // names, the baseline first
	Baseline string   `json:"baseline"` // the sweep's, or its counterpart among other tasks, or the first cell
	Ranking  []Place  `json:"ranking"`  // the best first
	// Comparison is every other cell against the baseline: for each metric
	// Against[i].Own[metric] holds the paired difference, its interval, the
	// interval that holds for all cells at once, and p adjusted for all. Null for
	// a group of one cell.
	Comparison *compare.Result   `json:"comparison"`
	Rule       string            `json:"rule"`
	Abstain    float64           `json:"abstain_reward"`
	AsIf       map[string]string `json:"as_if"` // of cells asked under another payment, by name
}

// Place is a cell's place in a ranking.
type Place struct {
	Cell   string            `json:"cell"`
	Rank   int               `json:"rank"`  // from 1; equal values share one
	Value  *float64          `json:"value"` // of the metric; null where undefined, and last
	CI     *scoring.Interval `json:"ci"`
	Spread *scoring.Interval `json:"spread"` // instead, of a metric that leans upwards
	// Best is the share of the bootstrap's replicates, the same images for all
	// cells, in which no cell is better; several at the top share it.
	Best *float64 `json:"p_best"`
}

// Rescored is a cell's stored answers under another payment.
type Rescored struct {
	Cell string `json:"cell"`
	*rescore.Result
}

// Load reads the table of the sweep in dir.
func Load(dir string) (*Table, error) {
	name := filepath.Join(dir, ResultFile)
	b, err := regular.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t := &Table{}
	if err := json.Unmarshal(b, t); err != nil {
		return nil, &run.DamagedError{Name: name, Err: err}
	}
	for _, r := range t.Rescored {
		own := t.Cell(r.Cell)
		if own == nil || r.Result == nil {
			return nil, &run.DamagedError{Name: name, Err: fmt.Errorf("cell %q was rescored, which is not among the cells", r.Cell)}
		}
		r.Hypothetical = r.Rule != own.Summary.Rule || r.AbstainReward != own.Summary.AbstainReward
	}
	for _, g := range t.Groups {
		for _, name := range slices.Concat(g.Cells, slices.Sorted(maps.Keys(g.AsIf))) {
			if t.Cell(name) == nil {
				return nil, &run.DamagedError{Name: filepath.Join(dir, ResultFile), Err: fmt.Errorf("a group has cell %q, which is not among the cells", name)}
			}
		}
	}
	return t, nil
}

// Cell is the cell of that name, nil if there is none.
func (t *Table) Cell(name string) *Measured {
	i := slices.IndexFunc(t.Cells, func(c Measured) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Cells[i]
}
