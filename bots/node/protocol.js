// The protocol: the .proto files, loaded at start, and the one stream that they describe.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PROTO = fileURLToPath(new URL('../../proto', import.meta.url));

const definition = loadSync('contree/v1/play_service.proto', {
  includeDirs: [PROTO],
  enums: String, // 'CARD_AS', not 8
  longs: String,
  defaults: true, // no field is missing
  oneofs: true, // message.message names the field that is set
});
const { PlayService } = grpc.loadPackageDefinition(definition).contree.v1;

export const PROTOCOL_VERSION = 1;

/**
 * Dials `server`, HOST:PORT or tls://HOST:PORT, and opens the stream; a `token` travels in the
 * metadata. For TLS, CONTREE_CA, CONTREE_CERT and CONTREE_CERT_KEY name files, all optional.
 */
export function openStream(server, token) {
  const file = (name) => (process.env[name] ? readFileSync(process.env[name]) : null);
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
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNIMPLEMENTED,
]);

/** Whether dialling again cannot help after this error. */
export function isHopeless(error) {
  return HOPELESS.has(error.code);
}

/** Why a stream ended, for people. */
export function reasonOf({ details, message }) {
  return details?.startsWith('No connection established') ? 'no connection' : details || message;
}

/** A google.protobuf.Duration in milliseconds. */
export function milliseconds(duration) {
  return duration ? Number(duration.seconds) * 1000 + duration.nanos / 1e6 : 0;
}
