import { isBridgeAlert, isEventType, type SignedEvent } from '@ssb/events';
import { encodeUtf8, isSameIdentity, type Curve } from '@ssb/identity';
import { parsePayload } from './parse-payload.js';
import { PROOF_REJECTIONS, type RejectionReason } from './rejection.js';
import type { Trust } from './trust.js';
import { parseUtcTime } from './utc-time.js';
import { verifyArchivedEvent } from './verify-event.js';
import { decodeSecret, isSignedWith } from './webhook-signature.js';

/** The body of a webhook: an event of the bus, an alert of a service of the bridge, or a message of `libs/events/delivery-schemas`. */
export interface CloudEvent extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** As Node, Express or Fastify has them, or the `Headers` of the Fetch standard. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface WebhookVerificationOptions {
  /** `whsec_` and a key in base64. While the secret is replaced, both. */
  readonly secret: string | readonly string[];
  /** The present time. Default: that of the system. */
  readonly now?: Date;
  /**
   * With it, the proofs of the event and of the events inside it are verified too. They come from the archive of the subscriber, so the
   * bridge may have been retired after it signed. A trust file with the history has such bridges.
   */
  readonly trust?: Trust;
  /** Replaces the default implementation of secp256k1. */
  readonly curve?: Curve;
}

/** A bridge that signed an event of the webhook and was retired afterwards. */
export interface RetiredKey {
  readonly did: string;
  /** When it ceased to be trusted. */
  readonly until: string;
}

/** Why a webhook is refused. Those of events, except `not-an-event`, come only with `trust`. */
export type WebhookRejectionReason = 'headers' | 'signature' | 'timestamp' | RejectionReason;

export type WebhookVerdict =
  | {
      readonly ok: true;
      readonly event: CloudEvent;
      /** Who holds such a key can date events back, so only the signature of the webhook shows that these are old. Empty without `trust`. */
      readonly retiredKeys: readonly RetiredKey[];
      /** This and the following are headers, which are not signed. */
      readonly kind?: string;
      readonly severity?: string;
      /** Id of the problem of the event, the same for all its deliveries. */
      readonly problem?: string;
      readonly state?: string;
      readonly marks: readonly string[];
      /** A person filled the receiver from the archive: the event is old. */
      readonly isReplayed: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: WebhookRejectionReason;
      /** A sentence without body and secret. */
      readonly detail: string;
    };

type Rejected = Extract<WebhookVerdict, { readonly ok: false }>;

/** Standard Webhooks, "Verifying webhooks": older requests may be repeats by a third party. */
const TOLERANCE_SECONDS = 300;

/**
 * Verifies a webhook (Standard Webhooks): its headers, its signature, its time, then its body.
 * @param body as it was received, byte for byte
 * @throws TypeError for a body that was parsed before, RangeError for a text that is not a secret and for an invalid `now`
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  { secret, now = new Date(), trust, curve }: WebhookVerificationOptions,
): WebhookVerdict {
  if (Number.isNaN(now.getTime())) throw new RangeError('now is not a valid date. Use new Date().');
  const keys = [secret].flat().map(decodeSecret);
  const bytes = toBytes(body);
  const read = headerReader(headers);
  const [id, timestamp, signatures] = [
    read('webhook-id'),
    read('webhook-timestamp'),
    read('webhook-signature'),
  ];
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return refuse('headers', 'webhook-id, webhook-timestamp or webhook-signature is missing');
  if (!/^[0-9]{1,15}$/.test(timestamp))
    return refuse('headers', 'webhook-timestamp is not a number of seconds');
  if (!isSignedWith(keys, { id, timestamp, body: bytes }, signatures))
    return refuse('signature', 'no signature was made with a known secret');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    return refuse('timestamp', `webhook-timestamp is more than ${TOLERANCE_SECONDS} s from now`);
  const event = parseEvent(bytes);
  if (event === undefined) return refuse('not-an-event', 'the body is not a CloudEvent with unique names');
  const retiredKeys: RetiredKey[] = [];
  const refused = trust && checkProofs(event, { trust, curve, retiredKeys });
  if (refused !== undefined) return refused;
  const [kind, severity, problem, state] = [
    read('bridge-kind'),
    read('bridge-severity'),
    read('bridge-problem'),
    read('bridge-state'),
  ];
  return {
    ok: true,
    event,
    retiredKeys,
    ...(kind !== undefined && { kind }),
    ...(severity !== undefined && { severity }),
    ...(problem !== undefined && { problem }),
    ...(state !== undefined && { state }),
    marks: (read('bridge-marks') ?? '')
      .split(',')
      .map((mark) => mark.trim())
      .filter((mark) => mark !== ''),
    isReplayed: read('bridge-replayed') === 'true',
  };
}

interface ProofCheck {
  readonly trust: Trust;
  readonly curve: Curve | undefined;
  /** Takes those that the check finds. */
  readonly retiredKeys: RetiredKey[];
}

/** Verifies the proof of an event and of the events in its data. */
function checkProofs(event: CloudEvent, check: ProofCheck): Rejected | undefined {
  if ('proof' in event) return checkProof(event, check);
  // The services of the bridge post their alerts without the bus, so only the webhook's signature protects these.
  if (isEventType(event.type)) return isBridgeAlert(event.type) ? undefined : PROOF_REJECTIONS.missing;
  const { event: newest = [], events = [] } = event.data;
  const inside = [newest, events].flat();
  for (const each of inside) {
    if (!isCloudEvent(each)) return refuse('not-an-event', 'an event in the body is not a CloudEvent');
    const refused = isEventType(each.type) ? checkProofs(each, check) : unknownType();
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function checkProof(event: CloudEvent, { trust, curve, retiredKeys }: ProofCheck): Rejected | undefined {
  const verdict = verifyArchivedEvent(event, { trust, ...(curve && { curve }) });
  if (!verdict.ok) return verdict;
  const retired = findRetiredKey(verdict.origin, verdict.event, trust);
  if (retired && !retiredKeys.some(({ did }) => did === retired.did)) retiredKeys.push(retired);
  return undefined;
}

/** Undefined for a bridge that is still trusted on the channel. */
function findRetiredKey(origin: string, { channel }: SignedEvent, trust: Trust): RetiredKey | undefined {
  if (trust.sendersOf(channel).origins.some(({ did }) => isSameIdentity(did, origin))) return undefined;
  const ends = trust
    .entriesOf(channel)
    .origins.flatMap(({ did, until }) => (isSameIdentity(did, origin) ? (until ?? []) : []));
  const until = ends.toSorted((one, other) => parseUtcTime(one) - parseUtcTime(other)).at(-1);
  return until === undefined ? undefined : { did: origin, until };
}

function unknownType(): Rejected {
  return refuse('unknown-type', 'the catalogue does not have the type of an event in the body');
}

function parseEvent(bytes: Uint8Array): CloudEvent | undefined {
  try {
    const parsed = parsePayload(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return parsed.ok && isCloudEvent(parsed.event) ? parsed.event : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function isCloudEvent(value: unknown): value is CloudEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { id, type, source, data } = value as Readonly<Record<string, unknown>>;
  const areTexts = [id, type, source].every((each) => typeof each === 'string');
  return areTexts && typeof data === 'object' && data !== null && !Array.isArray(data);
}

function toBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return encodeUtf8(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError(
    'verifyWebhook needs the body as it was received, a text or bytes. Parse it afterwards; in Express, use express.raw.',
  );
}

/** Names in any case. An empty header is a missing one. */
function headerReader(headers: WebhookHeaders): (name: string) => string | undefined {
  if (typeof headers.get === 'function') {
    const fetched = headers as { get(name: string): string | null };
    return (name) => fetched.get(name) || undefined;
  }
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat().join(', ')]),
  );
  return (name) => byName.get(name) || undefined;
}

function refuse(reason: WebhookRejectionReason, detail: string): Rejected {
  return { ok: false, reason, detail };
}
