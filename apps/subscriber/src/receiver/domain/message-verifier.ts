import type { Message } from '@ssb/bus';
import {
  amountOf,
  endsFormerAlert,
  findTrustedSenders,
  listTrustedSenders,
  mayAnnounce,
  type OperatorConfig,
  type TrustedSenders,
} from '@ssb/config';
import {
  announcesProblem,
  documentVersionOf,
  findForeignAttribute,
  isRestated,
  readProblemSignal,
  validateEvent,
  verifyProof,
  type SignedEvent,
} from '@ssb/events';
import {
  didHasAddress,
  isSameIdentity,
  recoverSigner,
  type SignatureScheme,
  type SignerRecovery,
} from '@ssb/identity';
import type { ArchiveEntry } from '../../archive/archive-entries.js';
import { clockMarks, type ClockLimits, type Mark } from '../../domain/marks.js';
import { readHeartbeat, readTestHeartbeat } from '../../heartbeats/domain/heartbeat.js';
import type { Settings } from '../../settings.js';
import { parsePayload } from './parse-payload.js';
import { PROOF_REJECTIONS, reject, type Rejection } from './rejection.js';
import { findTrustedSource } from './trusted-source.js';
import { verdictFingerprint } from './verdict-fingerprint.js';

/** Signature recovery blocks the event loop, so a loop of verifications yields after this many messages. */
export const MAX_VERIFIED_PER_TURN = 16;

/** Verifies messages with the operator's configuration. */
export class MessageVerifier {
  /** Identifies everything that decides the verdicts. */
  readonly fingerprint: string;
  private readonly options: Omit<VerificationOptions, 'trusted'>;

  constructor(
    private readonly config: OperatorConfig,
    settings: Pick<Settings, 'SIGNATURE_SCHEME' | 'MESSAGE_SKEW_MS' | 'MESSAGE_MAX_AGE_MS'>,
  ) {
    const { SIGNATURE_SCHEME: scheme, MESSAGE_SKEW_MS: skewMs, MESSAGE_MAX_AGE_MS: maxAgeMs } = settings;
    const trustedAnywhere = listTrustedSenders(config);
    const { participants } = config;
    this.options = { scheme, clocks: { skewMs, maxAgeMs }, trustedAnywhere, participants };
    this.fingerprint = verdictFingerprint(config, scheme);
  }

  verify(message: Message): ArchiveEntry {
    const { config, options } = this;
    const trusted = findTrustedSenders(config, message.fqcn);
    const verdict = verifyBusMessage(message, { ...options, trusted });
    if (!verdict.ok) {
      const { reason, detail, trustedSource } = verdict;
      return { kind: 'rejected', message, reason, detail, trustedSource };
    }
    const { event, origin, marks } = verdict;
    return {
      kind: 'verified',
      message,
      event,
      origin,
      marks,
      announcesProblem: announcesProblem(event),
      documentVersion: documentVersionOf(event),
      isRestated: isRestated(event),
      heartbeat: readHeartbeat(event, config),
      testHeartbeatAt: readTestHeartbeat(event, config),
      problem: readProblemSignal(event),
      amount: amountOf(event),
    };
  }
}

export interface VerificationOptions {
  /** How the senders' gateways sign. */
  readonly scheme: SignatureScheme;
  /** Senders that the operator trusts on the message's channel. */
  readonly trusted: TrustedSenders;
  /** Senders that the operator trusts on any channel. They decide only whether a rejection is reported. */
  readonly trustedAnywhere: TrustedSenders;
  /** Participants of CONFIG_FILE. An alert about another participant may end, because the file may have named it before. */
  readonly participants: OperatorConfig['participants'];
  readonly clocks: ClockLimits;
}

/** `origin` is the DID of the bridge that signed the event. A wrong clock gives a mark and no rejection. */
export type Verdict =
  | {
      readonly ok: true;
      readonly event: SignedEvent;
      readonly origin: string;
      readonly marks: readonly Mark[];
    }
  | Rejection;

/** Verifies a message: its sender, its event, what its bridge may announce, then its channel. The first check that fails gives the reason. */
export function verifyBusMessage(message: Message, options: VerificationOptions): Verdict {
  const recovery = recoverSigner(message.payload, message.signature, options.scheme);
  const verdict = runChecks(message, recovery, options);
  if (verdict.ok) return verdict;
  const signer = recovery.ok ? recovery.address : undefined;
  return { ...verdict, trustedSource: findTrustedSource(message, signer, options.trustedAnywhere) };
}

function runChecks(message: Message, recovery: SignerRecovery, options: VerificationOptions): Verdict {
  const untrusted = checkSender(message, recovery, options.trusted);
  if (untrusted !== undefined) return untrusted;
  const verdict = verifyEvent(message.payload, options.trusted);
  if (!verdict.ok) return verdict;
  const { event, origin } = verdict;
  if (!mayAnnounce(options.trusted, origin, event) && !endsFormerAlert(options, event))
    return reject(
      'participant-not-allowed',
      `the operator does not trust ${origin} for events of this type about ${event.participant} on this channel`,
    );
  const mismatch = checkChannel(message, event);
  if (mismatch !== undefined) return mismatch;
  const signedAtMs = Date.parse(event.signedat);
  if (Number.isNaN(signedAtMs)) return reject('schema', '/signedat is not a valid date');
  return { ok: true, event, origin, marks: clockMarks(signedAtMs, message.timestampNanos, options.clocks) };
}

/** Checks the signature's format, that the sender's gateway made it, and that the gateway is trusted on this channel. */
function checkSender(
  { sender }: Message,
  recovery: SignerRecovery,
  trusted: TrustedSenders,
): Rejection | undefined {
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
function verifyEvent(
  payload: string,
  { origins }: TrustedSenders,
): { readonly ok: true; readonly event: SignedEvent; readonly origin: string } | Rejection {
  const parsed = parsePayload(payload);
  if (!parsed.ok) return reject('not-an-event', parsed.detail);
  const proof = verifyProof(
    parsed.event,
    origins.map(({ did }) => did),
  );
  if (!proof.ok) return PROOF_REJECTIONS[proof.reason];
  const schema = validateEvent(parsed.event);
  if (!schema.ok) {
    if (schema.reason === 'unknown-type') return reject('unknown-type', 'the catalogue has no such type');
    return reject('schema', schema.problems.slice(0, MAX_PROBLEMS).join('; '));
  }
  const { event } = schema;
  // PostgreSQL text cannot store it.
  if (`${event.subject}${event.participant}`.includes('\u0000'))
    return reject('schema', 'subject or participant contains a NUL character');
  const foreign = findForeignAttribute(event);
  if (foreign !== undefined)
    return reject('schema', `/${foreign} does not match the participant and data of the event`);
  return { ok: true, event, origin: proof.origin };
}

/** Topic of a message whose sender names none (the broker's HTTP contract). */
const DEFAULT_TOPIC = 'default';

/**
 * The gateway's signature covers only the payload, so a valid message can be moved to another channel. Channel and topic of the signed event
 * must match the message. Its transaction id proves nothing: repeats are recognised by the event's id.
 */
function checkChannel({ fqcn, topic = DEFAULT_TOPIC }: Message, event: SignedEvent): Rejection | undefined {
  if (event.channel !== fqcn) return reject('channel-mismatch', `the event was signed for ${event.channel}`);
  if (event.topic !== topic) return reject('topic-mismatch', `the event was signed for topic ${event.topic}`);
  return undefined;
}
