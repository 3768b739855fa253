import type { Provider } from '@nestjs/common';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { DATABASE } from '../database/database-options.js';
import { DatabaseFaultCarrier } from '../faults/database-fault-carrier.js';
import { logLocalEvents } from '../faults/local-events.js';
import { StoredEventVerifier } from '../receiver/stored-event-verifier.js';
import { OpenSilences } from '../silences/open-silences.js';
import { readAlertsSince, type Settings } from '../settings.js';
import { SUBSCRIBER_LIMITS, type SubscriberLimits } from '../configuration/subscriber-limits.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { createAlertPolicy } from './alert-policy.js';
import { Archive } from './archive.js';

/** A backlog arrives in many batches; the next one comes within this time. */
const HOLD_MS = 5_000;

export const archiveProvider: Provider = {
  provide: Archive,
  inject: [
    SETTINGS,
    ConfigInUse,
    DATABASE,
    DatabaseFaultCarrier,
    StoredEventVerifier,
    SubscriberMetrics,
    OpenSilences,
    LOGGER,
    { token: SUBSCRIBER_LIMITS, optional: true },
  ],
  useFactory: (
    settings: Settings,
    config: ConfigInUse,
    database: Database,
    faults: DatabaseFaultCarrier,
    storedEvents: StoredEventVerifier,
    metrics: SubscriberMetrics,
    silences: OpenSilences,
    log: Logger,
    { holdMs = HOLD_MS }: SubscriberLimits = {},
  ) =>
    new Archive(database, {
      faults,
      onFaultsStored: (stored) => logLocalEvents(log, metrics, stored),
      onIdentitiesAdvanced: (advanced) => {
        for (const { table, from, to } of advanced)
          log.warn({ what: table, from, upTo: to }, 'identity sequence advanced');
      },
      verifyStored: (stored) => storedEvents.verify(stored),
      alertPolicy: () => createAlertPolicy(config.current()),
      silences,
      participants: () => config.current().participants.map(({ code }) => code),
      alertsSince: () => readAlertsSince(config.current()),
      lateAfterMs: settings.LATE_AFTER_MS,
      holdMs,
      quarantineMaxBytes: settings.QUARANTINE_MAX_BYTES,
    }),
};
