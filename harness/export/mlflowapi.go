package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// call asks the server's REST API.
func (m MLflow) call(ctx context.Context, method, path string, body, into any) error {
	var b []byte
	if body != nil {
		var err error
		if b, err = json.Marshal(body); err != nil {
			return err
		}
	}
	return m.send(ctx, method, "/api/2.0/mlflow/"+path, "application/json", b, into)
}

// ServerError is what the tracking server refused.
type ServerError struct {
	Status        int
	Code, Message string
}

// Error says what it was and, where that is known, what to do.
func (e *ServerError) Error() string {
	s := fmt.Sprintf("the MLflow server says %d %s", e.Status, cmp.Or(e.Message, e.Code))
	if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
		s += "; set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
	}
	return s
}

func (m MLflow) send(ctx context.Context, method, path, kind string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(m.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return errors.New("--url is no address; it should be like http://127.0.0.1:5000")
	}
	req.Header.Set("Content-Type", kind)
	if m.Token != "" {
		req.Header.Set("Authorization", "Bearer "+m.Token)
	} else if m.Username != "" {
		req.SetBasicAuth(m.Username, m.Password)
	}
	resp, err := cmp.Or(m.Client, http.DefaultClient).Do(req)
	if err != nil {
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err // names the URL, with its password
		}
		return fmt.Errorf("no MLflow server answers at %s: %w; start one with mlflow server, or name it with --url", withoutSecrets(m.URL), err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		told := struct {
			Code    string `json:"error_code"`
			Message string
		}{}
		_ = json.Unmarshal(b, &told) // else it is not MLflow that answers
		return &ServerError{resp.StatusCode, told.Code, cmp.Or(told.Message, http.StatusText(resp.StatusCode))}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s does not answer as an MLflow server does: %w", withoutSecrets(m.URL), err)
	}
	return nil
}
