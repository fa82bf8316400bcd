package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// most is the maximum size of a download.
const most = 14 << 20

// archives checks all checksums, and of each archive its size, its content and
// that its program is built for its system.
func archives(dist string) error {
	if err := sums(dist); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dist, "*"))
	if err != nil {
		return err
	}
	seen := 0
	for _, file := range files {
		name := filepath.Base(file)
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() && info.Size() > most {
			return fmt.Errorf("%s has %d bytes; %d are allowed", name, info.Size(), most)
		}
		content := map[string][]byte{}
		switch {
		case strings.HasSuffix(name, ".tar.gz"):
			err = untar(file, content)
		case strings.HasSuffix(name, ".zip"):
			err = unzip(file, content)
		default:
			continue
		}
		if err == nil {
			err = complete(name, content)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		seen++
		fmt.Printf("   %s %.1f MB\n", name, float64(info.Size())/1e6)
	}
	if seen != 7 {
		return fmt.Errorf("%d archives; want one for each of seven platforms", seen)
	}
	return nil
}

func sums(dist string) error {
	text, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			return err
		}
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
			return fmt.Errorf("%s has another sum than checksums.txt says", name)
		}
	}
	return nil
}

func complete(name string, content map[string][]byte) error {
	program := "pith"
	if strings.HasSuffix(name, ".zip") {
		program = "pith.exe"
	}
	for _, want := range []string{
		program, "LICENSE", "README.md", "THIRD_PARTY_LICENSES", "man/pith.1", "man/pith-ls.1",
		"completions/pith.bash", "completions/_pith", "completions/pith.fish", "completions/pith.ps1",
	} {
		if len(content[want]) == 0 {
			return fmt.Errorf("%s is missing", want)
		}
	}
	binary := bytes.NewReader(content[program])
	var err error
	switch {
	case strings.Contains(name, "windows"):
		_, err = pe.NewFile(binary)
	case strings.Contains(name, "darwin"):
		_, err = macho.NewFile(binary)
	default:
		_, err = elf.NewFile(binary)
	}
	return err
}

func untar(file string, content map[string][]byte) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if content[h.Name], err = io.ReadAll(r); err != nil {
			return err
		}
	}
}

func unzip(file string, content map[string][]byte) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return err
		}
		content[f.Name], err = io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}
