import type { Message } from '@ssb/bus';
import {
  amountOf,
  endsFormerAlert,
  findTrustedSenders,
  listTrustedSenders,
  type OperatorConfig,
} from '@ssb/config';
import {
  announcesProblem,
  documentVersionOf,
  isRestated,
  readProblemSignal,
  type SignedEvent,
  type TrustedSenders,
} from '@ssb/events';
import { recoverSigner, type SignatureScheme } from '@ssb/identity';
import { checkMessage } from 'settlement-bus-downstream/checks';
import type { ArchiveEntry } from '../../archive/archive-entries.js';
import { clockMarks, type ClockLimits, type Mark } from '../../domain/marks.js';
import { readHeartbeat, readTestHeartbeat } from '../../heartbeats/domain/heartbeat.js';
import type { Settings } from '../../settings.js';
import type { Rejection } from './rejection.js';
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

/** Verifies a message as the kit does, then compares its times. The first check that fails gives the reason. */
export function verifyBusMessage(message: Message, options: VerificationOptions): Verdict {
  const { scheme, trusted, trustedAnywhere, clocks } = options;
  const recovery = recoverSigner(message.payload, message.signature, scheme);
  const isFormerAlertEnd = (event: SignedEvent): boolean => endsFormerAlert(options, event);
  const verdict = checkMessage(message, recovery, {
    scheme,
    channel: message.fqcn,
    trusted,
    isFormerAlertEnd,
  });
  if (verdict.ok)
    return {
      ...verdict,
      marks: clockMarks(Date.parse(verdict.event.signedat), message.timestampNanos, clocks),
    };
  const signer = recovery.ok ? recovery.address : undefined;
  return { ...verdict, trustedSource: findTrustedSource(message, signer, trustedAnywhere) };
}
