package video

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sozai/agents/effect"
	"sozai/domain"
)

// WorkerAnalyser names the worker, WorkerRuleset what is asked of it and how its
// answer is read.
const (
	WorkerAnalyser = "worker"
	WorkerRuleset  = 1
)

// WorkerLimit is how long one analysis may take, pauses and repeats included.
const WorkerLimit = 180 * time.Second

// linkLife is how long a link to our media is good: the longest that the worker
// may use it, and a margin for clocks.
const linkLife = 10 * time.Minute

// WorkerConfig says where the worker is. Zero fields take the defaults in
// brackets.
type WorkerConfig struct {
	URL    string // address without the path
	Key    string // sent as a bearer token; never logged
	Ledger effect.Ledger
	// SignURL gives the worker a while to read one of our media files [only videos
	// with an address of their own can be analysed].
	SignURL  func(hash string, ttl time.Duration) (string, error)
	Price    domain.Money  // of an analysis [0]
	Language string        // of the report ["zh"]
	Limit    time.Duration // of one analysis [WorkerLimit]
	Backoff  time.Duration // before the second try, then doubled [1 s]
}

// Worker is the video-analysis worker: a pure function of a video. What it says
// is quoted data. An analysis is kept by the ledger under the file's hash, and
// asked for under the same key until it is there, so the worker makes and charges
// it once, whoever asks how often.
type Worker struct {
	conf   WorkerConfig
	client *http.Client
}

// NewWorker checks the configuration; nothing is asked yet.
func NewWorker(c WorkerConfig) (*Worker, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, domain.Errorf(domain.Invalid, "the address of the video worker is not a web address without credentials")
	}
	if c.Key == "" {
		return nil, domain.Errorf(domain.Invalid, "the video worker has no key")
	}
	c.URL = strings.TrimRight(c.URL, "/")
	if c.Language == "" {
		c.Language = "zh"
	}
	if c.Limit == 0 {
		c.Limit = WorkerLimit
	}
	if c.Backoff == 0 {
		c.Backoff = time.Second
	}
	return &Worker{conf: c, client: &http.Client{
		// A redirect could carry the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true,
		},
	}}, nil
}

// Name implements Analyser.
func (w *Worker) Name() string { return WorkerAnalyser }

// remembered is what the ledger keeps of an analysis: the answer as it came, as
// evidence, and what it cost.
type remembered struct {
	Cost domain.Money    `json:"cost"`
	Body json.RawMessage `json:"body"`
}

// Analyse implements Analyser. The sections are the worker's alone; Merge puts
// them on top of what was measured. Cost is what the analysis cost, even if that
// was long ago.
func (w *Worker) Analyse(ctx context.Context, ref Ref) (Analysis, error) {
	if ref.Hash == "" {
		return Analysis{}, domain.Errorf(domain.Invalid, "a video without a hash cannot be analysed by the worker")
	}
	key := fmt.Sprintf("analyze/%s/%d/%s", WorkerAnalyser, WorkerRuleset, ref.Hash)
	kept, err := w.once(ctx, key, w.conf.Price, ref, func(ctx context.Context) (json.RawMessage, error) {
		link, err := w.link(ref)
		if err != nil {
			return nil, err
		}
		body, err := w.ask(ctx, "/process", key, processOrder{
			VideoURL: link, ObjectID: ref.Hash, Want: []string{"report", "digest", "highlight"}, Language: w.conf.Language,
		})
		if err == nil {
			_, err = readAnalysis(body)
		}
		return body, err
	})
	if err != nil {
		return Analysis{}, err
	}
	a, err := readAnalysis(kept.Body)
	a.Cost = kept.Cost
	return a, err
}

// Ask puts a question about a video to the worker. The same question about the
// same file is asked once; its answer is quoted data.
func (w *Worker) Ask(ctx context.Context, ref Ref, question string) (string, error) {
	question = quote(question, maxQuestion)
	if ref.Hash == "" || question == "" {
		return "", domain.Errorf(domain.Invalid, "a question needs a video and words")
	}
	sum := sha256.Sum256([]byte(w.conf.Language + "\x00" + question))
	key := fmt.Sprintf("query/%s/%s/%s", WorkerAnalyser, ref.Hash, hex.EncodeToString(sum[:16]))
	kept, err := w.once(ctx, key, 0, ref, func(ctx context.Context) (json.RawMessage, error) {
		link, err := w.link(ref)
		if err != nil {
			return nil, err
		}
		body, err := w.ask(ctx, "/api/query", key, queryOrder{VideoURL: link, Question: question})
		if err == nil {
			_, err = readReply(body)
		}
		return body, err
	})
	if err != nil {
		return "", err
	}
	return readReply(kept.Body)
}

// FrameRequest asks for pictures at Times or, without any, every so many seconds.
type FrameRequest struct {
	Times []float64
	Every float64
	Max   int // 0 = MaxFrames
}

// Frame is a picture of a video. URL leads to the web, for a while.
type Frame struct {
	Seconds float64
	URL     string
	Width   int
	Height  int
}

// Frames has the worker take pictures out of a video, in the order of their
// times. Asking again takes them again.
func (w *Worker) Frames(ctx context.Context, ref Ref, r FrameRequest) ([]Frame, error) {
	order, err := r.order()
	if err != nil {
		return nil, err
	}
	if order.VideoURL, err = w.link(ref); err != nil {
		return nil, err
	}
	body, err := w.ask(ctx, "/extract-frames", "", order)
	if err != nil {
		return nil, err
	}
	return readFrames(body, order.Max)
}

// link is where the worker finds the video.
func (w *Worker) link(ref Ref) (string, error) {
	switch {
	case ref.URL != "":
		return ref.URL, nil
	case w.conf.SignURL == nil:
		return "", domain.Errorf(domain.Unavailable,
			"没有配置外部可访问的地址，视频分析服务读不到视频 · no public address is configured, so the video worker cannot read the video")
	}
	link, err := w.conf.SignURL(ref.Hash, linkLife)
	if domain.CodeOf(err) == domain.Unavailable {
		return "", domain.Errorf(domain.Unavailable,
			"本服务没有外部可访问的地址，视频分析服务读不到视频 · this server has no address that the video worker could reach")
	}
	if err != nil {
		return "", fmt.Errorf("address for the video worker: %w", err)
	}
	return link, nil
}

// once makes a call through the ledger. It is not marked as paid although it is:
// under its key it may be asked for again, which is neither made nor charged twice.
func (w *Worker) once(ctx context.Context, key string, price domain.Money, ref Ref, do func(ctx context.Context) (json.RawMessage, error)) (remembered, error) {
	done, _, err := w.conf.Ledger.Once(ctx, effect.Call{
		Key: key, Kind: "analyze", Product: ref.Product, Agent: ref.Agent, Run: ref.Run, Attempt: ref.Attempt,
	}, func(ctx context.Context) (effect.Done, error) {
		body, err := do(ctx)
		if err != nil {
			return effect.Done{}, err
		}
		answer, err := json.Marshal(remembered{Cost: price, Body: body})
		return effect.Done{Answer: answer, Cost: price}, err
	})
	var kept remembered
	if err != nil {
		return kept, err
	}
	if err := json.Unmarshal(done.Answer, &kept); err != nil {
		return kept, fmt.Errorf("read remembered analysis: %w", err)
	}
	return kept, nil
}
