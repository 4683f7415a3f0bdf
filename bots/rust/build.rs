//! Generates the messages and the client of `proto/contree/v1`; needs `protoc`, or its path in PROTOC.

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=../../proto/contree/v1");
    tonic_prost_build::configure()
        .build_server(false)
        .compile_protos(&["contree/v1/play_service.proto"], &["../../proto"])
}
