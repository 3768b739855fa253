import type { Message } from '@ssb/bus';
import { validateEvent, verifyProof, type ProofVerdict, type SignedEvent } from '@ssb/events';
import { didHasAddress, recoverSigner, isSameIdentity, type SignatureScheme } from '@ssb/identity';
import { parsePayload } from './parse-payload.js';
import { reject, type Rejection } from './rejection.js';

export interface VerificationOptions {
  /** How the senders' gateways sign. */
  readonly scheme: SignatureScheme;
  /** DIDs that the operator trusts on the message's channel: gateways that post, bridges that sign events. */
  readonly trusted: { readonly gateways: readonly string[]; readonly origins: readonly string[] };
  readonly freshness: FreshnessLimits;
}

export interface FreshnessLimits {
  /** How far the bus's clock may be behind the publisher's, milliseconds. */
  readonly skewMs: number;
  /** How long after the signature the bus may append the message, milliseconds. */
  readonly maxAgeMs: number;
}

/** `origin` is the DID of the bridge that signed the event. */
export type Verdict = { readonly ok: true; readonly event: SignedEvent; readonly origin: string } | Rejection;

/** Verifies a message: its sender, its event, then channel and time. The first check that fails gives the reason. */
export function verifyBusMessage(message: Message, options: VerificationOptions): Verdict {
  const untrusted = checkSender(message, options);
  if (untrusted !== undefined) return untrusted;
  const verdict = verifyEvent(message.payload, options.trusted.origins);
  if (!verdict.ok) return verdict;
  return checkChannelAndTime(message, verdict.event, options.freshness) ?? verdict;
}

/** Checks the signature's format, that the sender's gateway made it, and that the gateway is trusted on this channel. */
function checkSender(
  { payload, signature, sender }: Message,
  { scheme, trusted }: VerificationOptions,
): Rejection | undefined {
  const recovery = recoverSigner(payload, signature, scheme);
  if (!recovery.ok) return reject('signature-format', `the signature is ${recovery.reason}`);
  const { address: gatewayAddress } = recovery;
  if (!didHasAddress(sender, gatewayAddress))
    return reject('signer-mismatch', `the payload was signed by ${gatewayAddress}`);
  if (!trusted.gateways.some((gateway) => isSameIdentity(gateway, sender))) {
    return reject('sender-not-allowed', 'the operator does not trust this gateway on this channel');
  }
  return undefined;
}

const MAX_PROBLEMS = 5;

/** Parses the payload, then checks the proof of origin and the schema. */
function verifyEvent(payload: string, origins: readonly string[]): Verdict {
  const parsed = parsePayload(payload);
  if (!parsed.ok) return reject('not-an-event', parsed.detail);
  const proof = verifyProof(parsed.event, origins);
  if (!proof.ok) return rejectProof(proof.reason);
  const schema = validateEvent(parsed.event);
  if (!schema.ok) {
    if (schema.reason === 'unknown-type') return reject('unknown-type', 'the catalogue has no such type');
    return reject('schema', schema.problems.slice(0, MAX_PROBLEMS).join('; '));
  }
  const { event } = schema;
  // PostgreSQL text cannot store it.
  if (`${event.subject}${event.participant}`.includes('\u0000'))
    return reject('schema', 'subject or participant contains a NUL character');
  return { ok: true, event, origin: proof.origin };
}

function rejectProof(reason: Extract<ProofVerdict, { ok: false }>['reason']): Rejection {
  switch (reason) {
    case 'origin-not-allowed':
      return reject('origin-not-allowed', 'the operator does not trust this bridge on this channel');
    case 'missing':
      return reject('origin-proof', 'the event has no proof');
    case 'malformed':
      return reject('origin-proof', 'the proof is not a detached JWS of this event');
    case 'signature':
      return reject(
        'origin-proof',
        'the proof was not made by the bridge that it names, or not for this event',
      );
    default:
      return reason satisfies never;
  }
}

/** Topic of a message whose sender names none (the broker's HTTP contract). */
const DEFAULT_TOPIC = 'default';

/**
 * The gateway's signature covers only the payload, so a valid message can be moved to another channel or sent again later. Channel, topic, id
 * and time of the signed event must match the message.
 */
function checkChannelAndTime(
  message: Message,
  event: SignedEvent,
  limits: FreshnessLimits,
): Rejection | undefined {
  const { fqcn, topic = DEFAULT_TOPIC, transactionId, timestampNanos } = message;
  if (event.channel !== fqcn) return reject('channel-mismatch', `the event was signed for ${event.channel}`);
  if (event.topic !== topic) return reject('topic-mismatch', `the event was signed for topic ${event.topic}`);
  if (transactionId !== undefined && event.id !== transactionId) {
    return reject('id-mismatch', `the event's id is ${event.id}`);
  }
  const signedAt = Date.parse(event.signedat);
  if (Number.isNaN(signedAt)) return reject('schema', '/signedat is not a valid date');
  const freshness = checkFreshness(signedAt, timestampNanos, limits);
  if (freshness === 'fresh') return undefined;
  return reject(freshness, `the event was signed at ${event.signedat}`, event.id);
}

const NANOS_PER_MS = 1_000_000n;

/**
 * Compares the time of the signature with the time at which the bus appended the message. The subscriber's clock is not used, so a message
 * that waited on the bus stays fresh.
 * @param signedAtMs epoch milliseconds
 * @param appendedAtNanos the bus's timestamp, epoch nanoseconds
 */
export function checkFreshness(
  signedAtMs: number,
  appendedAtNanos: bigint,
  { skewMs, maxAgeMs }: FreshnessLimits,
): 'fresh' | 'stale' | 'premature' {
  if (appendedAtNanos < BigInt(signedAtMs - skewMs) * NANOS_PER_MS) return 'premature';
  return appendedAtNanos > BigInt(signedAtMs + maxAgeMs) * NANOS_PER_MS ? 'stale' : 'fresh';
}
