#!/bin/sh
# Generates contreev1/ (or the folder that is given) from proto/. Needs protoc, on Debian the package
# protobuf-compiler, or its path in PROTOC; its plugins are the tools of go.mod.
set -eu
cd "$(dirname "$0")"
out=${1:-contreev1}
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
go build -o "$tools/" google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc

set --
for name in auction card deal event match observation play_service table; do
  set -- "$@" --go_opt="Mcontree/v1/$name.proto=starter/contreev1" \
    --go-grpc_opt="Mcontree/v1/$name.proto=starter/contreev1" "contree/v1/$name.proto"
done
mkdir -p "$out"
PATH="$tools:$PATH" "${PROTOC:-protoc}" --proto_path=../../proto \
  --go_out="$tools" --go_opt=module=starter --go-grpc_out="$tools" --go-grpc_opt=module=starter "$@"
rm -f "$out"/*.pb.go
mv "$tools"/contreev1/*.pb.go "$out/"
