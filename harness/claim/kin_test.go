package claim

import (
	"path/filepath"
	"strings"
	"testing"
)

// Sets of POPE's kin, each a small file in its published form, and the claims
// that it makes.
func TestKin(t *testing.T) {
	for _, row := range []struct {
		name  string
		files map[string]string
		want  []Claim
	}{
		{"POPE over SEEM's objects: an array, indented", map[string]string{"gqa_pope_seem_popular.json": `[
    {
        "question_id": 1,
        "image": "2405722.jpg",
        "text": "Is there a bird in the image?",
        "label": "yes"
    },
    {
        "question_id": 2,
        "image": "2405722.jpg",
        "text": "Is there a grass in the image?",
        "label": "no"
    }
]`}, []Claim{
			{"popular/1", "popular", "1", "2405722", "Is there a bird in the image?", "There is a bird in the image.", "bird", Supported},
			{"popular/2", "popular", "2", "2405722", "Is there a grass in the image?", "There is a grass in the image.", "grass", Refuted},
		}},
		{"DASH-B: images by data set and object; names recur", map[string]string{
			"dash_benchmark_neg.json": `{
    "coco": {
        "backpack": [
            "2327067188.png"
        ]
    },
    "imagenet": {"ambulance": []}
}`,
			"dash_benchmark_pos.json": `{"coco": {"bed": ["88.jpg"], "backpack": ["88.jpg"]}}`,
		}, []Claim{
			dash("neg", "coco", "backpack", "2327067188.png", Refuted), dash("pos", "coco", "backpack", "88.jpg", Supported), dash("pos", "coco", "bed", "88.jpg", Supported),
		}},
		{"DASH-B's rows of the Hub, as JSON Lines", map[string]string{
			"test.jsonl": `{"question_id": "0", "image": "neg_0.png", "question": "Can you see a backpack in this image? Please answer only with yes or no.", "answer": "no", "object": "backpack", "img_id": "2327067188.png"}`,
		}, []Claim{{"test/0", "test", "0", "neg_0", "Can you see a backpack in this image? Please answer only with yes or no.", "There is a backpack in this image.", "backpack", Refuted}}},
		{"RePOPE: rows are missing, the last line has no end", map[string]string{
			"coco_repope_random.json": strings.TrimSpace(popeRow("5", "COCO_val2014_000000310196.jpg", "skis", "no") + popeRow("7", "COCO_val2014_000000310196.jpg", "dog", "yes")),
		}, []Claim{
			{"random/5", "random", "5", "COCO_val2014_000000310196", "Is there a skis in the image?", "There is a skis in the image.", "skis", Refuted},
			{"random/7", "random", "7", "COCO_val2014_000000310196", "Is there a dog in the image?", "There is a dog in the image.", "dog", Supported},
		}},
	} {
		set, err := Load(write(t, row.files), "")
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		got := byID(set.Claims)
		for i, want := range byID(row.want) {
			if len(got) != len(row.want) || got[i] != want {
				t.Errorf("%s:\n%+v; want\n%+v", row.name, got, row.want)
				break
			}
		}
	}
}

func dash(folder, set, object, image string, label Label) Claim {
	id := folder + "/" + set + "/" + object + "/" + image
	return Claim{
		"dash_benchmark/" + id, "dash_benchmark", id, Stem(id), "Can you see a " + object + " in this image? Please answer only with yes or no.",
		"There is a " + object + " in this image.", object, label,
	}
}

// A listing whose name tells no label, and objects that are no listing.
func TestListingsRefuse(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"dash.json", `{"coco": {"dog": ["1.jpg"]}}`, "its name must end in pos or neg"},
		{"x_pos.json", "{\n\"data\": [1]\n}", "line 1: one JSON object over several lines: each row must be a line of its own"},
		{"x_pos.json", "{\n\"coco\": {\"dog\": [\"1.jpg\"]}\n", "line 1: not JSON"},
		{"x_pos.json", "{\n\"coco\": {\"dog\": [\"1.jpg\", 2]}}", "one JSON object over several lines"},
		{"x_pos.json", "{\n\"coco\": {\"dog\": []}}", "the file holds no rows"},
		{"x_pos.json", "{\n\"coco\": {\"dog\": [\"1.jpg\", \"1.jpg\"]}}", "coco, dog, image 2: question_id pos/coco/dog/1.jpg of split x is already at"},
		{"x_pos.json", "{\n\"coco\": {\"dog\": [\"../../../../1.jpg\"]}}", "is outside the images folder"},
	} {
		file := filepath.Join(write(t, map[string]string{row.name: row.text}), row.name)
		if _, err := LoadPOPE([]string{file}, ""); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %q", row.text, err, row.want)
		}
	}
}
