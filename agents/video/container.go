package video

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Sniff names the container that the first bytes of a file (4 KiB are enough)
// begin: mp4, mov or webm; "" for anything else.
func Sniff(head []byte) string {
	if bytes.HasPrefix(head, []byte{0x1A, 0x45, 0xDF, 0xA3}) {
		if bytes.Contains(head[:min(len(head), 64)], []byte("webm")) {
			return "webm"
		}
		return ""
	}
	if len(head) < 12 {
		return ""
	}
	switch string(head[4:8]) {
	case "ftyp":
		if string(head[8:12]) == "qt  " {
			return "mov"
		}
		return "mp4"
	case "moov", "mdat", "wide", "free", "skip", "pnot":
		return "mov" // QuickTime before ftyp existed
	}
	return ""
}

// ReadHead reads what Sniff needs.
func ReadHead(r io.Reader) ([]byte, error) {
	head := make([]byte, 4096)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

func sniffFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open video: %w", err)
	}
	defer f.Close()
	head, err := ReadHead(f)
	if err != nil {
		return "", fmt.Errorf("read video: %w", err)
	}
	if len(head) == 0 {
		return "", notVideo("the file is empty")
	}
	c := Sniff(head)
	if c == "" {
		return "", notVideo("the file is not an mp4, mov or webm video")
	}
	return c, nil
}
