package claim

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Copy writes a set to a new folder, for people to look at and other programs
// to read: claims.jsonl, whose rows Load reads again, images/ with each image
// once, under its own name, and a file like claims.jsonl for each label set,
// less the claims that it leaves out. A folder that is there already is an
// error that leaves it as it is.
func (s *Set) Copy(ctx context.Context, folder string) error {
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	pictures := filepath.Join(folder, "images")
	if err := os.Mkdir(pictures, 0o777); err != nil {
		return err
	}
	known := make(map[string]bool)
	for _, c := range s.Claims {
		if known[c.ImageSource] {
			continue
		}
		known[c.ImageSource] = true
		data, name, err := s.Images.Open(ctx, c.ImageSource)
		if err != nil {
			return fmt.Errorf("image %s: %w", c.ImageSource, err)
		}
		if err := os.WriteFile(filepath.Join(pictures, filepath.Base(name)), data, 0o666); err != nil {
			return err
		}
	}
	own := LabelSet{Name: "claims", Labels: make(map[string]Label, len(s.Claims))}
	for _, c := range s.Claims {
		own.Labels[c.ID] = c.Label
	}
	for _, l := range append([]LabelSet{own}, s.LabelSets...) {
		if err := s.copyClaims(l, filepath.Join(folder, l.Name+".jsonl")); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) copyClaims(l LabelSet, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, c := range s.Claims {
		label, kept := l.Of(c)
		if !kept {
			continue
		}
		row := struct {
			ID    string `json:"question_id"`
			Split string `json:"split"`
			Image string `json:"image"`
			Claim string `json:"claim"`
			Label Label  `json:"label"`
		}{c.QuestionID, c.Split, c.ImageSource, c.Text, label}
		line, err := json.Marshal(row)
		if err != nil {
			return err
		}
		w.Write(append(line, '\n')) // Flush tells what went wrong
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
