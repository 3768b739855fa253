import { createHash } from 'node:crypto';
import { hashMessage, keccak256, type Signature, toUtf8Bytes } from 'ethers';
import { BRIDGE, GATEWAY, type Party } from './parties.js';

export type Json = Readonly<Record<string, unknown>>;

/** A message of the bus as a gateway delivers it. */
export interface VectorMessage {
  readonly id: string;
  readonly fqcn: string;
  readonly topic?: string;
  readonly payload: string;
  readonly signature: string;
  readonly sender: string;
  readonly timestampNanos: string;
  readonly transactionId: string;
}

export interface MessageChanges {
  /** Changes the event before it is signed. */
  readonly event?: Json;
  readonly origin?: Party;
  /** Replaces or adds members of the header of the proof; undefined removes one. */
  readonly header?: Json;
  /** Replaces the proof. */
  readonly proof?: (proof: string, canonical: string) => unknown;
  /** Changes the event after it was signed. */
  readonly forge?: (event: Json) => Json;
  /** Replaces the text of the event before the gateway signs it. */
  readonly text?: (text: string) => string;
  readonly gateway?: Party;
  readonly scheme?: 'eip191' | 'keccak256';
  readonly signature?: (signature: Signature, payload: string) => string;
  /** Changes the message after the gateway signed it; undefined removes a member. */
  readonly message?: Partial<Record<keyof VectorMessage, string | undefined>>;
}

/** RFC 8785 for values without fractions: names in the order of their UTF-16 code units, texts and numbers as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical((value as Json)[name])}`).join()}}`;
}

export const base64url = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url');

/** A detached JWS with ES256K over a text. */
export function detachedJws(text: string, { key, did }: Party, header: Json = {}): string {
  const head = base64url(JSON.stringify({ alg: 'ES256K', kid: did, ...header }));
  const { r, s } = key.sign(
    createHash('sha256')
      .update(`${head}.${base64url(text)}`)
      .digest(),
  );
  return `${head}..${base64url(Buffer.from(r.slice(2) + s.slice(2), 'hex'))}`;
}

export function digestOf(payload: string, scheme: 'eip191' | 'keccak256'): string {
  return scheme === 'eip191' ? hashMessage(payload) : keccak256(toUtf8Bytes(payload));
}

/** A message with an event. Without changes it is valid, when the event is one of the catalogue. */
export function makeMessage(name: string, base: object, changes: MessageChanges = {}): VectorMessage {
  const { origin = BRIDGE, gateway = GATEWAY, scheme = 'eip191' } = changes;
  const unsigned = JSON.parse(JSON.stringify({ ...base, proof: undefined, ...changes.event })) as Json;
  const text = canonical(unsigned);
  const jws = detachedJws(text, origin, changes.header);
  const event = { ...unsigned, proof: changes.proof ? changes.proof(jws, text) : jws };
  const forged = changes.forge ? changes.forge(event) : event;
  const payload = (changes.text ?? String)(JSON.stringify(forged));
  const signature = gateway.key.sign(digestOf(payload, scheme));
  const { channel, topic, signedat } = base as Readonly<Record<'channel' | 'topic' | 'signedat', string>>;
  const milliseconds = Date.parse(signedat) + 40;
  const message = {
    id: `${milliseconds}-0`,
    fqcn: channel,
    topic,
    payload,
    signature: changes.signature ? changes.signature(signature, payload) : signature.serialized,
    sender: gateway.did,
    timestampNanos: `${milliseconds}123457`,
    transactionId: transactionId(name),
    ...changes.message,
  };
  return JSON.parse(JSON.stringify(message)) as VectorMessage;
}

/** An arbitrary UUID, because it proves nothing. */
function transactionId(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
