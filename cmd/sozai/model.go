package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"sozai/agents"
	"sozai/agents/anthropic"
	"sozai/agents/rehearsal"
)

// rehearsalPace is how long the rehearsal model waits between two pieces of
// text, so that an answer can be watched, stopped and resumed like a real one.
const rehearsalPace = 15 * time.Millisecond

// newModel is the provider's model if a key is set, the rehearsal model if not.
func newModel(c modelConfig) (agents.Model, error) {
	if c.Key == "" {
		return rehearsal.New(rehearsalPace), nil
	}
	config, err := c.anthropic()
	if err != nil {
		return nil, err
	}
	return anthropic.New(config)
}

// anthropic is the provider's model as configured.
func (c modelConfig) anthropic() (anthropic.Config, error) {
	prices := anthropic.DefaultPrices()
	if c.Prices != "" {
		price, err := parsePrice(c.Prices)
		if err != nil {
			return anthropic.Config{}, err
		}
		prices = map[string]anthropic.Price{c.Model: price}
	}
	return anthropic.Config{Key: string(c.Key), BaseURL: c.BaseURL, Model: c.Model, Prices: prices, YuanPerUSD: c.Exchange}, nil
}

func parsePrice(text string) (anthropic.Price, error) {
	var numbers []float64
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || n < 0 {
			return anthropic.Price{}, fmt.Errorf("--model-prices %q: want four numbers, USD per million tokens", text)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) != 4 {
		return anthropic.Price{}, fmt.Errorf("--model-prices %q: want four numbers: input, cache write, cache read, output", text)
	}
	return anthropic.Price{Input: numbers[0], CacheWrite: numbers[1], CacheRead: numbers[2], Output: numbers[3]}, nil
}
