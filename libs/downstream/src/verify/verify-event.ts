import {
  findForeignAttribute,
  mayAnnounce,
  validateEvent,
  verifyProof,
  type SignedEvent,
  type TrustedSenders,
} from '@ssb/events';
import { isDid, type Curve } from '@ssb/identity';
import { parsePayload } from './parse-payload.js';
import { PROOF_REJECTIONS, reject, type Rejection } from './rejection.js';
import type { Trust } from './trust.js';
import { parseUtcTime } from './utc-time.js';

/** `origin` is the DID of the bridge that signed the event. */
export type Verdict = { readonly ok: true; readonly event: SignedEvent; readonly origin: string } | Rejection;

export interface EventVerificationOptions {
  readonly trust: Trust;
  /** The channel whose senders are trusted. Default: the channel that the event names. */
  readonly channel?: string;
  /** Replaces the default implementation of secp256k1. */
  readonly curve?: Curve;
}

/**
 * Verifies an event without its message: proof, schema, id, subject, participant and, with the option, channel. The gateway that posted it
 * and its topic are not verified.
 * @param text the event as it was received, byte for byte
 */
export function verifyEvent(text: string, options: EventVerificationOptions): Verdict {
  const parsed = parsePayload(text);
  return parsed.ok ? verifyParsedEvent(parsed.event, options) : reject('not-an-event', parsed.detail);
}

/** As `verifyEvent`, for an object that was parsed from a text with unique names. */
export function verifyParsedEvent(
  parsed: Readonly<Record<string, unknown>>,
  { trust, channel, curve }: EventVerificationOptions,
): Verdict {
  const named = channel ?? channelOf(parsed);
  const verdict = checkEvent(parsed, {
    channel: nameOfChannel(named, trust),
    trusted: trust.sendersOf(named),
    curve,
    isFormerAlertEnd: (event) => trust.endsFormerAlert(event),
  });
  if (verdict.ok && channel !== undefined) return checkChannel(verdict.event, channel) ?? verdict;
  return verdict;
}

/** As `verifyParsedEvent`, for an event that was verified and archived when it arrived. Its bridge may have been retired since it signed. */
export function verifyArchivedEvent(
  parsed: Readonly<Record<string, unknown>>,
  { trust, curve }: Omit<EventVerificationOptions, 'channel'>,
): Verdict {
  const named = channelOf(parsed);
  const { signedat } = parsed;
  return checkEvent(parsed, {
    channel: nameOfChannel(named, trust),
    trusted: trust.sendersAt(named, typeof signedat === 'string' ? parseUtcTime(signedat) : NaN),
    curve,
    isFormerAlertEnd: (event) => trust.endsFormerAlert(event),
  });
}

function channelOf({ channel }: Readonly<Record<string, unknown>>): string {
  return typeof channel === 'string' ? channel : '';
}

/** Names a channel of the trust file. Other names can contain anything. */
export function nameOfChannel(channel: string, trust: Trust): string {
  return trust.channels.includes(channel) ? channel : 'its channel';
}

export interface EventCheckOptions {
  /** The event's channel, for texts. */
  readonly channel: string;
  /** Senders that are trusted on the event's channel. */
  readonly trusted: TrustedSenders;
  readonly curve?: Curve | undefined;
  /** Whether an event only ends an alert about a participant that the trusted senders named before. Default: none does. */
  readonly isFormerAlertEnd?: (event: SignedEvent) => boolean;
}

const MAX_PROBLEMS = 5;

/** Checks the proof of origin, the schema, id and subject, then what the bridge may announce. */
export function checkEvent(
  parsed: Readonly<Record<string, unknown>>,
  { channel, trusted, curve, isFormerAlertEnd = () => false }: EventCheckOptions,
): Verdict {
  const proof = verifyProof(
    parsed,
    trusted.origins.map(({ did }) => did),
    curve,
  );
  if (!proof.ok) {
    if (proof.reason !== 'origin-not-allowed') return PROOF_REJECTIONS[proof.reason];
    const detail = isDid(proof.claimed)
      ? `the bridge ${proof.claimed} is not trusted on ${channel}`
      : `the signer of the proof is not trusted as a bridge on ${channel}`;
    return reject('origin-not-allowed', detail);
  }
  const { origin } = proof;
  const schema = validateEvent(parsed);
  if (!schema.ok) {
    if (schema.reason === 'unknown-type') return reject('unknown-type', 'the catalogue has no such type');
    return reject('schema', schema.problems.slice(0, MAX_PROBLEMS).join('; '));
  }
  const { event } = schema;
  const problem = findProblem(event);
  if (problem !== undefined) return reject('schema', problem);
  if (!mayAnnounce(trusted, origin, event) && !isFormerAlertEnd(event))
    return reject(
      'participant-not-allowed',
      `the bridge ${origin} is not trusted for events of this type about ${event.participant} on ${channel}`,
    );
  return { ok: true, event, origin };
}

/** What the schema of an event cannot express. */
function findProblem(event: SignedEvent): string | undefined {
  // Text columns of databases cannot store it.
  if (`${event.subject}${event.participant}`.includes('\u0000'))
    return 'subject or participant contains a NUL character';
  const foreign = findForeignAttribute(event);
  if (foreign !== undefined) return `/${foreign} does not match the participant and data of the event`;
  return Number.isNaN(parseUtcTime(event.signedat)) ? '/signedat is not a valid date' : undefined;
}

/** A signature covers no channel but that of the event, so a valid event can be moved to another channel. */
export function checkChannel(event: SignedEvent, channel: string): Rejection | undefined {
  return event.channel === channel
    ? undefined
    : reject('channel-mismatch', `the event was signed for ${event.channel}`);
}
