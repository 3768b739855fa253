import type { OperatorConfig } from '@ssb/config';
import { toArchivedFields } from './operations/local-events.js';
import { readAlertsSince } from './settings.js';
import { Archive } from './storage/archive.js';
import type { StoredEventVerifier } from './stored-event-verifier.js';
import type { SubscriberDependencies } from './subscriber-dependencies.js';

/** A backlog arrives in many batches; the next one comes within this time. */
const HOLD_MS = 5_000;

/** @param config returns the configuration in use */
export function openArchive(
  {
    settings,
    database,
    alerts,
    log,
    holdMs = HOLD_MS,
  }: Pick<SubscriberDependencies, 'settings' | 'database' | 'alerts' | 'log' | 'holdMs'>,
  config: () => OperatorConfig,
  storedEvents: StoredEventVerifier,
): Archive {
  return new Archive(database, {
    alerts,
    onAlertsStored: (stored) => {
      for (const entry of stored) log.info(toArchivedFields(entry), 'event archived');
    },
    onIdentitiesAdvanced: (advanced) => {
      for (const { table, from, to } of advanced)
        log.warn({ what: table, from, upTo: to }, 'identity sequence advanced');
    },
    verifyStored: (stored) => storedEvents.verify(stored),
    participants: () => config().participants.map(({ code }) => code),
    alertsSince: () => readAlertsSince(config()),
    lateAfterMs: settings.LATE_AFTER_MS,
    holdMs,
    quarantineMaxBytes: settings.QUARANTINE_MAX_BYTES,
  });
}
