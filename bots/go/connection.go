package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "starter/contreev1"
)

// Keeps a bot connected: hello, batches, heartbeats, and dialling again after a loss.

const (
	protocolVersion = 1
	patience        = 30 * time.Second // for a server that was never there
	resumePatience  = 10 * time.Minute // for one that was
	firstSilence    = 10 * time.Second // for the welcome; after that the server's heartbeat counts
	shortestPause   = 100 * time.Millisecond
	longestPause    = 5 * time.Second
	farewell        = time.Second
)

// A decider is what an author writes.
type decider func(view *pb.SeatView, decision *pb.Decision) *pb.Action

// bot is what stays the same over all streams.
type bot struct {
	settings
	version string
	thinker *thinker

	mutex   sync.Mutex
	session *session // the stream that is up
}

// session is one stream and the seats it has.
type session struct {
	stream  grpc.BidiStreamingClient[pb.PlayRequest, pb.PlayResponse]
	sending sync.Mutex
	seats   sync.Map // seat_ref -> name of the seat, which outlives the stream

	mutex    sync.Mutex
	thinking int  // batches that are not answered yet
	leaving  bool // the server is about to stop
	welcomed bool
}

// ending tells why a stream ended. With hopeless set, dialling again cannot help.
type ending struct {
	welcomed, leaving, hopeless, crowded bool
	reason                               string
}

// Run plays until the process is told to stop, and returns its exit code: 0 after SIGTERM or SIGINT,
// 1 when there is no way to go on.
func Run(name, version string, decide decider) int {
	settings, err := settingsFromEnvironment(name)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
	player := &bot{settings: settings, version: version, thinker: newThinker(settings.name, decide)}
	stop, done := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer done()
	failed := make(chan error, 1)
	go func() { failed <- player.stayConnected() }()
	select {
	case err := <-failed:
		fmt.Fprintf(os.Stderr, "%s: %v\n", player.name, err)
		return 1
	case <-stop.Done():
		player.leave()
		return 0
	}
}

func (b *bot) stayConnected() error {
	lastSeen, limit, pause, at := time.Now(), patience, shortestPause, 0
	for {
		server, dialled := b.servers[at], time.Now()
		end := b.playStream(server)
		if end.hopeless {
			return errors.New(end.reason)
		}
		if !end.welcomed || end.leaving { // one that merely broke is dialled where it was
			at = (at + 1) % len(b.servers)
		}
		if end.welcomed {
			fmt.Printf("%s: connection lost (%s), dialling again\n", b.name, end.reason)
			lastSeen, limit = time.Now(), resumePatience
			if time.Since(dialled) > longestPause {
				pause = shortestPause
			}
		} else if time.Since(lastSeen) > limit {
			return fmt.Errorf("cannot reach %s for %.0f seconds (%s)",
				strings.Join(b.servers, ","), limit.Seconds(), end.reason)
		}
		if end.crowded {
			pause = longestPause
		}
		// By chance, so that bots do not all come back at once.
		time.Sleep(time.Duration(float64(pause) * (0.5 + mathrand.Float64()/2)))
		pause = min(2*pause, longestPause)
	}
}

// playStream plays one stream from hello to its end, which never means the end of a match.
func (b *bot) playStream(server string) ending {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	connection, err := dial(server)
	if err != nil {
		return ending{reason: err.Error(), hopeless: true}
	}
	defer connection.Close()
	if b.token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+b.token)
	}
	silent := time.AfterFunc(firstSilence, cancel)
	defer silent.Stop()
	stream, err := pb.NewPlayServiceClient(connection).Play(ctx)
	if err != nil {
		return endingOf(server, err, ctx.Err() != nil)
	}
	s := &session{stream: stream}
	b.attach(s)
	defer b.attach(nil)
	s.say(&pb.ClientMessage{Message: &pb.ClientMessage_Hello{Hello: &pb.Hello{
		ProtocolVersion: protocolVersion,
		Bot:             b.name,
		BotVersion:      b.version,
		InstanceId:      b.instance,
		Capacity:        b.capacity,
		Delivery:        pb.Delivery_DELIVERY_STATE,
	}}})

	silence := firstSilence
	for {
		frame, err := stream.Recv()
		if err != nil {
			end := endingOf(server, err, ctx.Err() != nil)
			end.welcomed, end.leaving = s.state()
			return end
		}
		for _, message := range frame.GetMessages() {
			if welcome := message.GetWelcome(); welcome != nil {
				s.welcome()
				if beat := welcome.GetHeartbeat().AsDuration(); beat > 0 {
					silence = 3 * beat
				}
				fmt.Printf("%s: connected to %s\n", b.name, server)
			}
			if message.GetSuperseded() != nil {
				reason := fmt.Sprintf("another process plays as instance %s now", b.instance)
				return ending{reason: reason, hopeless: true}
			}
		}
		silent.Reset(silence)
		b.take(s, frame.GetMessages())
	}
}

// take answers at once what needs no thought, and leaves the rest to the thinker.
func (b *bot) take(s *session, messages []*pb.ServerMessage) {
	var answers []*pb.ClientMessage
	var thoughts []*pb.ServerMessage
	goingAway := false
	for _, message := range messages {
		switch content := message.GetMessage().(type) {
		case *pb.ServerMessage_Heartbeat:
			answers = append(answers, &pb.ClientMessage{Message: &pb.ClientMessage_HeartbeatAck{
				HeartbeatAck: &pb.HeartbeatAck{Nonce: content.Heartbeat.GetNonce()}}})
		case *pb.ServerMessage_SeatAssigned:
			seat := content.SeatAssigned
			s.seats.Store(seat.GetSeatRef(), fmt.Sprintf("%s %d", seat.GetMatchId(), seat.GetSeat()))
			if seat.GetReadyOwed() {
				answers = append(answers, &pb.ClientMessage{Message: &pb.ClientMessage_Ready{
					Ready: &pb.Ready{SeatRef: seat.GetSeatRef()}}})
			}
		case *pb.ServerMessage_Welcome, *pb.ServerMessage_Turn, *pb.ServerMessage_ActResult,
			*pb.ServerMessage_MatchEnded:
			thoughts = append(thoughts, message)
		case *pb.ServerMessage_Fault:
			fmt.Fprintf(os.Stderr, "%s: charged with a fault: %s\n", b.name, content.Fault.GetDetail())
		case *pb.ServerMessage_Refused:
			fmt.Fprintf(os.Stderr, "%s: not understood by the server: %s\n", b.name, content.Refused.GetReason())
		case *pb.ServerMessage_GoAway:
			goingAway = true
		}
	}
	s.say(answers...)
	if len(thoughts) > 0 {
		s.pending(+1, false)
		b.thinker.ask(s, thoughts)
	}
	if goingAway {
		s.pending(0, true)
	}
}

// leave gives up the seats that nobody can come back for.
func (b *bot) leave() {
	b.mutex.Lock()
	s := b.session
	b.mutex.Unlock()
	if s == nil || b.returns {
		return
	}
	if welcomed, _ := s.state(); !welcomed {
		return
	}
	words := []*pb.ClientMessage{{Message: &pb.ClientMessage_Leave{Leave: &pb.Leave{}}}}
	s.seats.Range(func(ref, _ any) bool {
		resign := &pb.Resign{SeatRef: ref.(uint32)}
		words = append(words, &pb.ClientMessage{Message: &pb.ClientMessage_Resign{Resign: resign}})
		return true
	})
	s.say(words...)
	s.finish()
	deadline := time.Now().Add(farewell)
	for b.attached(s) && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
}

func (b *bot) attach(s *session) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.session = s
}

func (b *bot) attached(s *session) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.session == s
}

// say sends one batch. That it fails is noticed by whoever reads the stream.
func (s *session) say(messages ...*pb.ClientMessage) {
	if len(messages) == 0 {
		return
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	_ = s.stream.Send(&pb.PlayRequest{Messages: messages})
}

// finish ends the stream in good order.
func (s *session) finish() {
	s.sending.Lock()
	defer s.sending.Unlock()
	_ = s.stream.CloseSend()
}

// pending counts the batches that are being thought about; when the server is about to stop and all
// that was owed is answered, the stream ends.
func (s *session) pending(change int, leaving bool) {
	s.mutex.Lock()
	s.thinking += change
	s.leaving = s.leaving || leaving
	over := s.leaving && s.thinking == 0
	s.mutex.Unlock()
	if over {
		s.finish()
	}
}

func (s *session) welcome() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.welcomed = true
}

func (s *session) state() (welcomed, leaving bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.welcomed, s.leaving
}

func endingOf(server string, err error, silent bool) ending {
	if errors.Is(err, io.EOF) {
		return ending{reason: "the server closed the stream"}
	}
	if silent {
		return ending{reason: "the server went silent"}
	}
	failure := status.Convert(err)
	switch failure.Code() {
	case codes.InvalidArgument, codes.FailedPrecondition, codes.AlreadyExists, codes.Unauthenticated,
		codes.PermissionDenied, codes.Unimplemented:
		return ending{reason: fmt.Sprintf("%s refuses: %s", server, failure.Message()), hopeless: true}
	}
	return ending{reason: failure.Message(), crowded: failure.Code() == codes.ResourceExhausted}
}

// settings are what the environment says.
type settings struct {
	servers               []string
	name, instance, token string
	returns               bool // a later process may come back for the seats
	capacity              uint32
}

func settingsFromEnvironment(name string) (settings, error) {
	read := settings{
		name:     orElse(os.Getenv("CONTREE_BOT"), name),
		instance: orElse(os.Getenv("CONTREE_INSTANCE"), rand.Text()), // the same after each loss
		returns:  os.Getenv("CONTREE_INSTANCE") != "",
		token:    os.Getenv("CONTREE_TOKEN"),
	}
	for _, server := range strings.Split(orElse(os.Getenv("CONTREE_SERVER"), "127.0.0.1:50051"), ",") {
		read.servers = append(read.servers, strings.TrimSpace(server))
	}
	capacity, err := strconv.ParseUint(orElse(os.Getenv("CONTREE_CAPACITY"), "0"), 10, 32)
	if err != nil {
		return read, errors.New("CONTREE_CAPACITY is not a number of seats")
	}
	read.capacity = uint32(capacity)
	if path := os.Getenv("CONTREE_TOKEN_FILE"); read.token == "" && path != "" {
		token, err := os.ReadFile(path)
		if err != nil {
			return read, fmt.Errorf("CONTREE_TOKEN_FILE cannot be read: %w", err)
		}
		read.token = string(token)
	}
	read.token = strings.TrimSpace(read.token)
	return read, nil
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
