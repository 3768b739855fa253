import type { OperatorConfig } from '@ssb/config';
import type { Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { toArchivedFields } from '../faults/local-events.js';
import { readAlertsSince, type Settings } from '../settings.js';
import { Archive, type TransactionFaults } from './archive.js';
import type { StoredEventVerifier } from '../receiver/stored-event-verifier.js';

/** A backlog arrives in many batches; the next one comes within this time. */
const HOLD_MS = 5_000;

export function openArchive({
  settings,
  database,
  faultCarrier,
  log,
  holdMs = HOLD_MS,
  config,
  storedEvents,
}: {
  readonly settings: Settings;
  readonly database: Database;
  readonly faultCarrier: TransactionFaults;
  readonly log: Logger;
  readonly holdMs?: number | undefined;
  /** Returns the configuration in use. */
  readonly config: () => OperatorConfig;
  readonly storedEvents: StoredEventVerifier;
}): Archive {
  return new Archive(database, {
    faults: faultCarrier,
    onFaultsStored: (stored) => {
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
