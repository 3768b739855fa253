import { compileSchema, mayAnnounce, verifyProof, type SchemaValidator, type SignedEvent } from '@ssb/events';
import {
  canonicalJson,
  decodeUtf8,
  encodeUtf8,
  NotCanonicalError,
  recoverSigner,
  type Curve,
} from '@ssb/identity';
import { parsePayload } from '../verify/parse-payload.js';
import type { Trust, TrustEntry } from '../verify/trust.js';
import { parseUtcTime } from '../verify/utc-time.js';
import { checkMessage } from '../verify/verify-message.js';
import { describeFindings, findTime, listTimes } from './describe-evidence.js';
import { EVIDENCE_SCHEMA } from './evidence-schema.js';
import { isUndamaged } from './evidence-text.js';
import type { Evidence, SignedEvidence, UnsignedEvidence } from './evidence.js';
import type { ConsistentReason, EvidenceKey, EvidenceResult, InvalidReason } from './evidence-result.js';
import { findKeyTrust, type KeyTimes, type KeyTrust } from './key-trust.js';

export interface EvidenceVerificationOptions {
  /** The trust file of the operator, with its history. Without it nobody's signature is trusted. */
  readonly trust?: Trust;
  /** Replaces the default implementation of secp256k1. */
  readonly curve?: Curve;
}

/**
 * Verifies an evidence file without any other source: every byte by its digest, event and message by their signatures, the signers by the trust
 * file.
 * @param evidence the file, byte for byte; a text stands for its UTF-8 form
 */
export function verifyEvidence(
  evidence: string | Uint8Array,
  { trust, curve }: EvidenceVerificationOptions = {},
): EvidenceResult {
  const bytes = typeof evidence === 'string' ? encodeUtf8(evidence) : evidence;
  if (!isUndamaged(bytes))
    return invalid(
      'damaged',
      'The digest at the end of the file is not that of the bytes before it. Mail or an editor may have changed the line ends.',
    );
  const parsed = parsePayload(decodeUtf8(bytes));
  validator ??= compileSchema(EVIDENCE_SCHEMA);
  if (!parsed.ok || !validator(parsed.event))
    return invalid('not-evidence', 'The content of the file is not that of evidence.schema.json.');
  const content = parsed.event as unknown as Evidence;
  if (content.eventId !== content.event['id'])
    return invalid('event-mismatch', 'The id of the file is not that of the event.');
  if (Number.isNaN(parseUtcTime(content.archived.at)))
    return invalid('not-evidence', 'The time at which the event was archived is not a valid time.');
  if ('unsigned' in content) return describeUnsigned(content);
  const checked = checkSignatures(content, curve);
  return 'status' in checked ? checked : judge(content, checked, trust);
}

let validator: SchemaValidator | undefined;

function invalid(reason: InvalidReason, detail: string): EvidenceResult {
  return { ok: false, status: 'invalid', reason, detail };
}

function describeUnsigned(content: UnsignedEvidence): EvidenceResult {
  const { participant, type } = content.event;
  return {
    ok: false,
    status: 'consistent',
    reason: 'unsigned',
    detail: 'The subscriber wrote this fault about itself. Nobody signed it.',
    event: content.event,
    eventId: content.eventId,
    type,
    participant,
    times: [{ what: 'archived', at: content.archived.at, claimedBy: 'subscriber' }],
    proved: [],
    notProved: [
      'Everything in the file: it is a record of the subscriber, which nobody signed.',
      'That the file has not changed since it was exported: who changes it can change its digest too.',
    ],
    notes: [],
  };
}

interface Checked {
  readonly event: SignedEvent;
}

/** Recomputes everything that follows from the message, and compares it with the file. The signers need not be trusted for that. */
function checkSignatures(content: SignedEvidence, curve: Curve | undefined): Checked | EvidenceResult {
  const { message, gateway, origin } = content;
  const payload = parsePayload(message.payload);
  if (!payload.ok) return invalid('not-an-event', toSentence(payload.detail));
  if (!isSameJson(payload.event, content.event))
    return invalid('event-mismatch', 'The event of the file is not that of the payload.');
  const recovery = recoverSigner(message.payload, message.signature, content.signatureScheme, { curve });
  const { participant } = payload.event;
  // The schema refuses a participant that is not a text.
  const participants = typeof participant === 'string' ? [participant] : [];
  const verdict = checkMessage(message, recovery, {
    scheme: content.signatureScheme,
    channel: 'its channel',
    trusted: { gateways: [message.sender], origins: [{ did: origin.did, participants }] },
    curve,
  });
  if (!verdict.ok) {
    const { reason, detail } = verdict;
    return invalid(reason, toSentence(reason === 'schema' ? `${SCHEMA_PROBLEM}: ${detail}` : detail));
  }
  const proof = verifyProof(payload.event, [origin.did], curve);
  const isRecovered =
    recovery.ok && recovery.publicKey === gateway.publicKey && gateway.did === message.sender;
  if (!isRecovered || !proof.ok || proof.publicKey !== origin.publicKey)
    return invalid('key-mismatch', 'A signer of the file is not the one that its signature gives.');
  return { event: verdict.event };
}

/** The details about a schema begin with a path. */
const SCHEMA_PROBLEM = 'the event does not match the schema of its type';

/** The details of messages are parts of sentences. */
function toSentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
}

/** False for values without a canonical form, such as a lone surrogate. */
function isSameJson(one: unknown, other: unknown): boolean {
  try {
    return canonicalJson(one) === canonicalJson(other);
  } catch (error) {
    if (error instanceof NotCanonicalError) return false;
    throw error;
  }
}

/** A key that is no longer trusted, or may be in other hands, since a time proves nothing when one of these is later. */
const DECIDING_TIMES = ['signed', 'stored', 'archived'] as const;

/** Decides whether the trust file trusts the signers for this event. */
function judge(content: SignedEvidence, { event }: Checked, trust: Trust | undefined): EvidenceResult {
  const times = listTimes(content, event);
  const keyTimes: KeyTimes = {
    archivedAt: parseUtcTime(content.archived.at),
    latest: Math.max(...DECIDING_TIMES.map((what) => parseUtcTime(findTime(times, what)))),
  };
  const entries = trust?.entriesOf(content.message.fqcn);
  const gatewayTrust = entries && findKeyTrust(entries.gateways, content.gateway.did, keyTimes);
  const originTrust = entries && findKeyTrust(entries.origins, content.origin.did, keyTimes);
  const gateway = toKey(content.gateway, gatewayTrust);
  const origin = toKey(content.origin, originTrust);
  const findings = {
    event,
    eventId: event.id,
    type: event.type,
    participant: event.participant,
    gateway,
    origin,
    times,
    ...describeFindings({ gateway, origin }, content.message.fqcn),
  };
  const refuse = (reason: ConsistentReason, detail: string): EvidenceResult => ({
    ok: false,
    status: 'consistent',
    reason,
    detail,
    ...findings,
  });
  if (trust === undefined || gatewayTrust === undefined || originTrust === undefined)
    return refuse(
      'signer-not-verified',
      'Both signatures are valid. Without a trust file nobody says whose they are.',
    );
  if (trust.signatureScheme !== content.signatureScheme)
    return refuse(
      'scheme-not-trusted',
      `The gateway signed as ${content.signatureScheme}. The trust file has the signature scheme ${trust.signatureScheme}.`,
    );
  if (!gatewayTrust.ok) return refuse(...explain(gatewayTrust.reason, 'sender-not-allowed', 'gateway'));
  if (!originTrust.ok) return refuse(...explain(originTrust.reason, 'origin-not-allowed', 'bridge'));
  const isFormerAlertEnd = trust.endsFormerAlert(event, keyTimes.archivedAt);
  if (!isFormerAlertEnd && !mayAnnounce({ origins: originTrust.entries }, content.origin.did, event))
    return refuse(
      'participant-not-allowed',
      `The trust file does not trust the bridge for events of this type about ${event.participant}.`,
    );
  return { ok: true, status: 'verified', ...findings };
}

function toKey(
  { did, publicKey }: SignedEvidence['origin'],
  trust: KeyTrust<TrustEntry> | undefined,
): EvidenceKey {
  if (trust === undefined) return { did, publicKey, state: 'not-checked' };
  const { since } = trust;
  const state = trust.ok ? trust.state : 'not-trusted';
  return { did, publicKey, state, ...(since !== undefined && { since }) };
}

function explain(
  reason: Extract<KeyTrust<TrustEntry>, { ok: false }>['reason'],
  unknown: 'sender-not-allowed' | 'origin-not-allowed',
  signer: string,
): [ConsistentReason, string] {
  switch (reason) {
    case 'unknown':
      return [unknown, `The trust file does not name the ${signer} on this channel.`];
    case 'not-trusted-then':
      return [reason, `The trust file did not trust the ${signer} when the event was archived.`];
    case 'revoked':
      return [reason, `The key of the ${signer} may have been in other hands already.`];
  }
}
