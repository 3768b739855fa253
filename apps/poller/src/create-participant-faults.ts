import type { FaultReporter } from '@ssb/operational-alerts';
import type { MarketInterface } from '@ssb/events';
import { findParticipant, type OperatorConfig } from '@ssb/operator-config';
import { overdueAfterMs } from './domain/poll-overdue.js';
import { requestTimeoutMs, type MarketClients } from './market/market-clients.js';
import { ParticipantFaults } from './participant-faults.js';
import { pollIntervals } from './poll-intervals.js';
import type { Settings } from './settings.js';

/** Tracks the faults of the participant. */
export function createParticipantFaults(
  participant: string,
  settings: Settings,
  {
    market,
    reporter,
    config,
    now,
  }: {
    readonly market: MarketClients;
    readonly reporter: FaultReporter;
    readonly config: () => OperatorConfig;
    readonly now: () => Date;
  },
): ParticipantFaults {
  const intervals = pollIntervals(settings);
  const overdue = (name: MarketInterface): number =>
    overdueAfterMs({ intervalMs: intervals[name], requestTimeoutMs: requestTimeoutMs(name, settings) });
  return new ParticipantFaults({
    participant,
    reporter,
    now,
    connection: (name) => market.connection(name),
    isNamed: () => findParticipant(config(), participant) !== undefined,
    overdueAfterMs: { prudential: overdue('prudential'), settlement: overdue('settlement') },
  });
}
