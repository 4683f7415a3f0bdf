// The sample bot of contree in Go: see README.md.
package main

import (
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"

	pb "starter/contreev1"
)

const (
	name    = "starter-go"
	version = "1"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--decide" {
		if err := decideFromStdin(); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(Run(name, version, Decide))
}

// decideFromStdin reads a PlayResponse and writes the PlayRequest that answers its turns.
func decideFromStdin() error {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var frame pb.PlayResponse
	if err := proto.Unmarshal(data, &frame); err != nil {
		return err
	}
	var answer pb.PlayRequest
	for _, message := range frame.GetMessages() {
		if turn := message.GetTurn(); turn != nil {
			action := Decide(turn.GetView(), turn.GetDecision())
			answer.Messages = append(answer.Messages, act(turn.GetSeatRef(), turn.GetDecision().GetId(), action))
		}
	}
	if data, err = proto.Marshal(&answer); err == nil {
		_, err = os.Stdout.Write(data)
	}
	return err
}
