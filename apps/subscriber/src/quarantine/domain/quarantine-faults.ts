import { alertSubject, ALL_PARTICIPANTS, type AlertTopic } from '@ssb/events';
import type { Occurrences } from '@ssb/faults';
import type { RejectedEntry, VerifiedEntry } from '../../archive/archive-entries.js';
import type { RejectionReason } from '../../receiver/domain/rejection.js';

/** Maximum length of a channel name in an alert. */
export const MAX_CHANNEL_LENGTH = 255;

/** Reasons that are not the sender's fault. */
const ALERT_REASON_OF: Partial<Readonly<Record<RejectionReason, AlertTopic['reason']>>> = {
  'not-storable': 'message-not-storable',
  'id-taken': 'archive-authentication-failed',
};

/** The operational alerts of newly quarantined messages. Only those of a trusted gateway or bridge are reported. */
export function quarantineFaults(
  entries: readonly Pick<RejectedEntry, 'message' | 'reason' | 'detail' | 'trustedSource'>[],
): Occurrences[] {
  const byTopic = new Map<string, Occurrences>();
  for (const { message, reason, detail, trustedSource } of entries) {
    if (trustedSource === undefined) continue;
    const topic: AlertTopic = {
      app: 'subscriber',
      reason: ALERT_REASON_OF[reason] ?? 'message-quarantined',
      participant: trustedSource.participant,
      channel: message.fqcn.slice(0, MAX_CHANNEL_LENGTH),
      sender: trustedSource.sender,
    };
    const key = alertSubject(topic);
    const count = (byTopic.get(key)?.count ?? 0) + 1;
    byTopic.set(key, { topic, count, detail: `${reason}: ${detail}` });
  }
  return [...byTopic.values()];
}

/** The operational alerts of events whose ids the inbox named although the archive did not hold them. */
export function unarchivedFaults(
  entries: readonly Pick<VerifiedEntry, 'message' | 'event'>[],
): Occurrences[] {
  return entries.map(({ message, event }) => ({
    topic: {
      app: 'subscriber',
      reason: 'archive-authentication-failed',
      participant: event.participant,
      channel: message.fqcn.slice(0, MAX_CHANNEL_LENGTH),
    },
    count: 1,
    detail: `The inbox named ${event.type} ${event.id} without an archived event or a recorded deletion. The event was archived and is delivered.`,
  }));
}

export const QUARANTINE_FULL: AlertTopic = {
  app: 'subscriber',
  reason: 'quarantine-full',
  participant: ALL_PARTICIPANTS,
};
