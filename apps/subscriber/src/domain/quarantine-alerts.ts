import { alertSubject, ALL_PARTICIPANTS, type AlertTopic } from '@ssb/events';
import type { Occurrences } from '@ssb/operational-alerts';
import type { RejectedEntry } from '../storage/archive-entries.js';

/** Maximum length of a channel name in an alert. */
const MAX_CHANNEL_LENGTH = 255;

/** The operational alerts of newly quarantined messages. Only those of a trusted gateway or bridge are reported. */
export function quarantineAlerts(
  entries: readonly Pick<RejectedEntry, 'message' | 'reason' | 'detail' | 'trustedSource'>[],
): Occurrences[] {
  const byTopic = new Map<string, Occurrences>();
  for (const { message, reason, detail, trustedSource } of entries) {
    if (trustedSource === undefined) continue;
    const topic: AlertTopic = {
      app: 'subscriber',
      reason: reason === 'not-storable' ? 'message-not-storable' : 'message-quarantined',
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

export const QUARANTINE_FULL: AlertTopic = {
  app: 'subscriber',
  reason: 'quarantine-full',
  participant: ALL_PARTICIPANTS,
};
