package team_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// BenchmarkCrowd measures commands of one member of a large team, all of whom let
// everybody read: sessions of 1,000 entries, ten of each person. Run one size:
//
//	go test -run '^$' -bench 'Crowd/sessions=1000$' -benchtime 100x -timeout 2h ./cmd/pith/internal/cli/team
func BenchmarkCrowd(b *testing.B) {
	for _, sessions := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			server := pgtest.Start(b, "fsync=off", "shared_buffers=512MB", "max_wal_size=4GB", "autovacuum=off", "max_connections=50")
			fillCrowd(b, server, sessions)
			d := crowdDesk(b, server.AsUser(server.DSN(), "p0"))
			for _, tt := range []struct {
				name string
				args func(t *crowdTalker) []string
			}{
				{"ls", func(*crowdTalker) []string { return []string{"ls", "--limit", "30"} }},
				{"rare word", func(t *crowdTalker) []string { return []string{"search", t.among(crowdWords/2, crowdWords)} }},
				{"usual word", func(t *crowdTalker) []string { return []string{"search", t.word()} }},
				{"common word", func(t *crowdTalker) []string { return []string{"search", t.among(0, 20)} }},
				{"two words", func(t *crowdTalker) []string { return []string{"search", t.word(), t.among(0, 5000)} }},
				{"phrase", func(t *crowdTalker) []string { return []string{"search", `"` + t.word() + " " + t.among(0, 200) + `"`} }},
				{"usage", func(*crowdTalker) []string { return []string{"usage"} }},
			} {
				b.Run(tt.name, func(b *testing.B) {
					t := newCrowdTalker(7)
					var times []time.Duration
					for b.Loop() {
						start := time.Now()
						var told strings.Builder
						if code := cli.Run(b.Context(), d.world(io.Discard, &told), tt.args(t)); code > 1 {
							b.Fatalf("%v = %d: %s", tt.args(t), code, told.String())
						}
						times = append(times, time.Since(start))
					}
					slices.Sort(times)
					b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
					if files, _ := filepath.Glob(filepath.Join(d.home, "cache", "pith", "team", "*", "sessions", "*", "*")); len(files) > 0 { // the pattern is valid
						b.Fatalf("mirrored %d sessions", len(files))
					}
				})
			}
		})
	}
}

func crowdDesk(b *testing.B, dsn string) *desk {
	home := b.TempDir()
	return &desk{home: home, cwd: home, env: map[string]string{"HOME": home, "PITH_STORE": dsn, "PITH_MACHINE": "m", "XDG_CACHE_HOME": filepath.Join(home, "cache")}}
}

const crowdWords = 200_000

// A crowdTalker makes words whose frequencies follow Zipf's law.
type crowdTalker struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newCrowdTalker(seed int) *crowdTalker {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	return &crowdTalker{r, rand.NewZipf(r, 1.05, 2, crowdWords-1)}
}

func (t *crowdTalker) word() string { return fmt.Sprintf("w%dx", t.zipf.Uint64()) }

func (t *crowdTalker) among(from, to uint64) string {
	return fmt.Sprintf("w%dx", from+t.random.Uint64N(to-from))
}

func (t *crowdTalker) session(n int) (id, text string) {
	id = fmt.Sprintf("0199a1b2-c3d4-7e5f-8a9b-%012x", n)
	now := time.Unix(1_770_000_000+int64(n)*600, 0).UTC()
	var s strings.Builder
	fmt.Fprintf(&s, `{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"/w/%d"}`+"\n", id, now.Format(time.RFC3339), n%100)
	for i := range 1000 {
		fmt.Fprintf(&s, `{"type":"message","id":"%08x","parentId":null,"timestamp":"%s","message":{"role":"user","content":"`, i, now.Add(time.Duration(i)*time.Second).Format(time.RFC3339))
		for range 30 {
			s.WriteString(t.word() + " ")
		}
		s.WriteString("\"}}\n")
	}
	return id, s.String()
}

// fillCrowd pushes sessions, as the people who have them.
func fillCrowd(b *testing.B, server *pgtest.Server, sessions int) {
	b.Helper()
	start := time.Now()
	admin, err := pgteam.Init(b.Context(), server.DSN(), "", pgstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer admin.Close()
	people := make(chan int)
	var wg sync.WaitGroup
	dir := b.TempDir()
	for range runtime.NumCPU() {
		wg.Go(func() {
			for p := range people {
				if err := pushCrowd(b, server, dir, p); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for p := range sessions / 10 {
		pgtest.Exec(b, server.Superuser(), fmt.Sprintf("CREATE ROLE p%d LOGIN", p))
		people <- p
	}
	close(people)
	wg.Wait()
	pgtest.Exec(b, server.Superuser(), "VACUUM ANALYZE")
	b.Logf("%d entries pushed in %v", sessions*1000, time.Since(start))
}

func pushCrowd(b *testing.B, server *pgtest.Server, dir string, p int) error {
	s, err := pgteam.Connect(b.Context(), server.AsUser(server.DSN(), fmt.Sprintf("p%d", p)), pgstore.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Give(b.Context(), pgteam.Grant{Grantee: pgteam.Everybody}); err != nil {
		return err
	}
	team, err := replica.New(s, replica.Options{Person: s.Person(), Machine: "m"})
	if err != nil {
		return err
	}
	for n := range 10 {
		id, text := newCrowdTalker(p*10 + n).session(p*10 + n)
		path := filepath.Join(dir, id+".jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		if _, err := team.Push(b.Context(), path, replica.PushOptions{}); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
