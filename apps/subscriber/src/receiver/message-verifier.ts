import type { Message } from '@ssb/bus';
import { documentVersionOf, isRestated, announcesProblem } from '@ssb/events';
import { findAlertRouting, findTrustedSenders, listTrustedSenders, type OperatorConfig } from '@ssb/config';
import { verdictFingerprint } from './domain/verdict-fingerprint.js';
import { verifyBusMessage, type VerificationOptions } from './domain/verify-message.js';
import { toDeliveryKind } from '../domain/delivery-kind.js';
import type { Settings } from '../settings.js';
import { readHeartbeat, readTestHeartbeat } from '../heartbeats/domain/heartbeat.js';
import type { ArchiveEntry } from '../archive/archive-entries.js';

/** Signature recovery blocks the event loop, so a loop of verifications yields after this many messages. */
export const MAX_VERIFIED_PER_TURN = 16;

/** Verifies messages with the operator's configuration, and finds the sinks of their events. */
export class MessageVerifier {
  /** Identifies everything that decides the verdicts. */
  readonly fingerprint: string;
  private readonly options: Pick<VerificationOptions, 'scheme' | 'clocks'>;
  private readonly trustedAnywhere;

  constructor(
    private readonly config: OperatorConfig,
    settings: Pick<Settings, 'SIGNATURE_SCHEME' | 'MESSAGE_SKEW_MS' | 'MESSAGE_MAX_AGE_MS'>,
  ) {
    const { SIGNATURE_SCHEME: scheme, MESSAGE_SKEW_MS: skewMs, MESSAGE_MAX_AGE_MS: maxAgeMs } = settings;
    this.options = { scheme, clocks: { skewMs, maxAgeMs } };
    this.fingerprint = verdictFingerprint(config, scheme);
    this.trustedAnywhere = listTrustedSenders(config);
  }

  verify(message: Message): ArchiveEntry {
    const { config, options, trustedAnywhere } = this;
    const trusted = findTrustedSenders(config, message.fqcn);
    const verdict = verifyBusMessage(message, {
      ...options,
      trusted,
      trustedAnywhere,
      participants: config.participants,
    });
    if (!verdict.ok) {
      const { reason, detail, trustedSource } = verdict;
      return { kind: 'rejected', message, reason, detail, trustedSource };
    }
    const { event, origin, marks } = verdict;
    const { sinks, alert } = findAlertRouting(config, event.type);
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
      sinks,
      deliveryKind: toDeliveryKind(alert),
    };
  }
}
