package selective

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"candor/harness/openenv"
	"candor/imageproc"
)

// form says how an observation holds the image.
type form string

const (
	formBoth form = "both"
	formData form = "data" // a data URI, as chat requests take it for the URL of an image
	formURL  form = "url"
	formNone form = "none"
)

func parseForm(name string) (form, error) {
	switch f := form(name); f {
	case formBoth, formData, formURL, formNone:
		return f, nil
	}
	return "", fmt.Errorf(`image %.200q is not one of "both", "data", "url" and "none"`, name)
}

// observation is what a player sees. When nothing is asked any more, what
// would be about a claim is empty.
type observation struct {
	Claim        string          `json:"claim"`
	Instructions string          `json:"instructions"`
	Prompt       string          `json:"prompt"`
	Rule         string          `json:"rule"`
	Payoff       openenv.Float   `json:"payoff"`
	Threshold    openenv.Float   `json:"threshold"`
	Image        *string         `json:"image"`
	ImageURL     *string         `json:"image_url"`
	ImageWidth   int             `json:"image_width"`
	ImageHeight  int             `json:"image_height"`
	Split        string          `json:"split"`
	ClaimNumber  int             `json:"claim_number"`
	Claims       int             `json:"claims"`
	Metadata     json.RawMessage `json:"metadata"`
}

// observe shows the claim that is asked now. Of the answer before it the
// observation says nothing until the episode is over: images have as many true
// claims as false ones, so that who knew the labels of the others could tell
// the last. The picture is nil where none is wanted or nothing is asked.
func (e *Environment) observe(last *record, picture *imageproc.Prepared) (json.RawMessage, error) {
	seen := observation{
		Rule: e.tasks.payment.Rule.Name(), Payoff: openenv.Float(e.tasks.payment.Abstain),
		Threshold: openenv.Float(e.tasks.payment.Threshold()),
		Claims:    e.claims(), Metadata: json.RawMessage("{}"),
	}
	if e.done() {
		var err error
		if seen.Metadata, err = e.told(last); err != nil {
			return nil, err
		}
		return openenv.Marshal(seen)
	}
	asked := e.claim()
	system, user, err := e.tasks.prompt.Render(e.tasks.payment, asked.Text)
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", asked.ID, err)
	}
	seen.Claim, seen.Split, seen.ClaimNumber = asked.Text, asked.Split, e.at+1
	// A prompt may have all its words in the user's message.
	seen.Instructions, seen.Prompt = system, user
	if system == "" {
		seen.Instructions = user
	}
	if picture != nil {
		seen.ImageWidth, seen.ImageHeight = picture.Width, picture.Height
	}
	if e.form == formBoth || e.form == formData {
		uri := dataURI(picture)
		seen.Image = &uri
	}
	if e.form == formBoth || e.form == formURL {
		url := e.tasks.url + picturePath(picture)
		seen.ImageURL = &url
	}
	return openenv.Marshal(seen)
}

func dataURI(p *imageproc.Prepared) string {
	return "data:" + mediaType(p) + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// mediaType is image/jpeg and so on: the names of the formats are those of the
// types.
func mediaType(p *imageproc.Prepared) string { return "image/" + p.Format }
