import { readFileSync } from 'node:fs';
import { EVENT_TYPES, verifyProof, type EventType } from '@ssb/events';
import {
  signDetachedJws,
  canonicalJson,
  generatePrivateKey,
  readJwsHeader,
  type PrivateKey,
  type SignatureScheme,
} from '@ssb/identity';
import { keccak256, toUtf8Bytes, Wallet } from 'ethers';
import type { OpenEvidence } from '../src/evidence/evidence-text.js';
import type { SignedEvidence, UnsignedEvidence } from '../src/evidence/evidence.js';
import type { OriginTrustEntry, TrustEntry, TrustFile } from '../src/verify/trust.js';

/** The gateway of the vectors. It signs with ethers, which is independent of this project. */
const gateway = new Wallet(`0x${'33'.repeat(32)}`);
export const GATEWAY_DID = `did:ethr:${gateway.address}`;
const EXAMPLES = new URL('../../../events/examples/', import.meta.url);

export type Json = Record<string, unknown>;

export function readExample(type: EventType): Json {
  return JSON.parse(readFileSync(new URL(`${type}.json`, EXAMPLES), 'utf8')) as Json;
}

/** The bridge that signed the examples. */
export const ORIGIN_DID = String(
  readJwsHeader(String(readExample('settlementbus.margin.breached.v1')['proof']))?.['kid'],
);

export type OpenSignedEvidence = Omit<SignedEvidence, 'digest'>;

const ARCHIVED_AFTER_MS = 1_000;

export interface EvidenceChanges {
  readonly signatureScheme?: SignatureScheme;
  /** When the bus stored the message. Default: shortly after the signature. */
  readonly storedAt?: string;
}

/** The evidence of an event as the command exports it, before it has a digest. */
export function createEvidence(
  event: Json,
  { signatureScheme = 'eip191', storedAt }: EvidenceChanges = {},
): OpenSignedEvidence {
  const payload = JSON.stringify(event);
  const signature =
    signatureScheme === 'eip191'
      ? gateway.signMessageSync(payload)
      : gateway.signingKey.sign(keccak256(toUtf8Bytes(payload))).serialized;
  const { participant } = event;
  const { channel, topic, id, signedat } = event as Record<string, string>;
  const signedAt = Date.parse(`${signedat}`);
  const origin = String(readJwsHeader(String(event['proof']))?.['kid']);
  const proof = verifyProof(event, [origin]);
  const archivedAt = new Date(signedAt + ARCHIVED_AFTER_MS).toISOString();
  return {
    version: 1,
    exportedAt: '2026-12-01T00:00:00.000Z',
    eventId: `${id}`,
    signatureScheme,
    event,
    message: {
      id: '1700000000000-1',
      fqcn: `${channel}`,
      topic: `${topic}`,
      payload,
      signature,
      sender: GATEWAY_DID,
      timestampNanos: `${BigInt(storedAt === undefined ? signedAt + 40 : Date.parse(storedAt)) * 1_000_000n}`,
    },
    gateway: { did: GATEWAY_DID, publicKey: gateway.signingKey.publicKey },
    origin: { did: origin, publicKey: proof.ok ? proof.publicKey : '' },
    trusted: {
      gateways: [{ did: GATEWAY_DID }],
      origins: [{ did: origin, participants: typeof participant === 'string' ? [participant] : [] }],
    },
    archived: { at: archivedAt, marks: ['late'] },
    problemIds: ['5f1a2b3c-0000-4000-8000-000000000001'],
    deliveries: [
      {
        eventId: `${id}`,
        sink: 'treasury',
        kind: 'alert',
        severity: 'critical',
        state: 'delivered',
        addedAt: archivedAt,
        deliveredAt: archivedAt,
        problemId: '5f1a2b3c-0000-4000-8000-000000000001',
        attempts: [{ number: 1, at: archivedAt, durationMs: 12, outcome: 'delivered', status: 204 }],
      },
    ],
  };
}

/** Evidence of a fault that the subscriber wrote itself. */
export function createUnsignedEvidence(): OpenEvidence {
  const { event, eventId, ...rest } = createEvidence(readExample('settlementbus.bridge.alert.raised.v1'));
  const added = ['channel', 'topic', 'signedat', 'proof'];
  const local = Object.fromEntries(Object.entries(event).filter(([name]) => !added.includes(name)));
  const { version, exportedAt, archived, problemIds, deliveries } = rest;
  return {
    version,
    exportedAt,
    eventId,
    unsigned: true,
    event: { ...local, local: true } as unknown as UnsignedEvidence['event'],
    archived: { ...archived, marks: ['local'] },
    problemIds,
    deliveries,
  };
}

/** An event that another bridge signed. */
export function signAgain(event: Json, key: PrivateKey = generatePrivateKey()): Json {
  const unsigned = Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'proof'));
  return { ...unsigned, proof: signDetachedJws(canonicalJson(unsigned), key) };
}

/** The senders of the examples on every channel. */
export function trustFile(
  gatewayEntry: Partial<TrustEntry> = {},
  originEntry: Partial<OriginTrustEntry> = {},
  otherOrigins: readonly OriginTrustEntry[] = [],
): TrustFile {
  const participants = [...new Set(EVENT_TYPES.map((type) => String(readExample(type)['participant'])))];
  const channels = [...new Set(EVENT_TYPES.map((type) => String(readExample(type)['channel'])))];
  const entries = {
    gateways: [{ did: GATEWAY_DID, ...gatewayEntry }],
    origins: [
      { did: ORIGIN_DID, participants: participants.filter((code) => code !== '*'), ...originEntry },
      ...otherOrigins,
    ],
  };
  return {
    version: 1,
    signatureScheme: 'eip191',
    channels: Object.fromEntries(channels.map((channel) => [channel, entries])),
  };
}
