// The protocol: the .proto files, loaded at start, and the one stream that they describe.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { PlayRequest } from './generated/contree/v1/PlayRequest.js';
import type { PlayResponse__Output } from './generated/contree/v1/PlayResponse.js';
import type { Duration__Output } from './generated/google/protobuf/Duration.js';
import type { ProtoGrpcType } from './generated/play_service.js';

const PROTO = fileURLToPath(new URL('../../../proto', import.meta.url));

const definition = loadSync('contree/v1/play_service.proto', {
  includeDirs: [PROTO],
  enums: String, // 'CARD_AS', not 8
  longs: String,
  defaults: true, // no field is missing
  oneofs: true, // message.message names the field that is set
});
const loaded = grpc.loadPackageDefinition(definition) as unknown as ProtoGrpcType;
const { PlayService } = loaded.contree.v1;

export const PROTOCOL_VERSION = 1;

export type Failure = grpc.ServiceError;
export type Stream = grpc.ClientDuplexStream<PlayRequest, PlayResponse__Output>;

/**
 * Dials `server`, HOST:PORT or tls://HOST:PORT, and opens the stream; a `token` travels in the
 * metadata. For TLS, CONTREE_CA, CONTREE_CERT and CONTREE_CERT_KEY name files, all optional.
 */
export function openStream(server: string, token: string): Stream {
  const file = (name: string) => (process.env[name] ? readFileSync(process.env[name]) : null);
  const credentials = server.startsWith('tls://')
    ? grpc.credentials.createSsl(file('CONTREE_CA'), file('CONTREE_CERT_KEY'), file('CONTREE_CERT'))
    : grpc.credentials.createInsecure();
  const client = new PlayService(server.replace(/^tls:\/\//, ''), credentials);
  const metadata = new grpc.Metadata();
  if (token) metadata.set('authorization', `Bearer ${token}`);
  const stream = client.Play(metadata);
  stream.once('close', () => client.close());
  return stream;
}

const HOPELESS = new Set([
  grpc.status.INVALID_ARGUMENT,
  grpc.status.FAILED_PRECONDITION,
  grpc.status.ALREADY_EXISTS,
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNIMPLEMENTED,
]);

/** Whether dialling again cannot help after this error. */
export function isHopeless(error: Failure): boolean {
  return HOPELESS.has(error.code);
}

/** Whether the server asks to be left alone for a while. */
export function isCrowded(error: Failure): boolean {
  return error.code === grpc.status.RESOURCE_EXHAUSTED;
}

/** Why a stream ended, for people. */
export function reasonOf({ details, message }: Failure): string {
  return details?.startsWith('No connection established') ? 'no connection' : details || message;
}

/** A google.protobuf.Duration in milliseconds. */
export function milliseconds(duration: Duration__Output | null): number {
  return duration ? Number(duration.seconds) * 1000 + duration.nanos / 1e6 : 0;
}

/** A frame of turns from bytes, and the answer to it as bytes. */
export const readFrame = (data: Buffer): PlayResponse__Output =>
  PlayService.service.Play.responseDeserialize(data);
export const writeFrame = (frame: PlayRequest): Buffer =>
  PlayService.service.Play.requestSerialize(frame);
