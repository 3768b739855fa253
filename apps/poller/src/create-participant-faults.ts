import type { FaultReporter } from '@ssb/faults';
import type { QueueFaultReporting } from '@ssb/redis-queue';
import type { MarketInterface } from '@ssb/events';
import { findParticipant, type OperatorConfig } from '@ssb/config';
import type { Logger } from '@ssb/platform';
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
    reporting,
    reporter,
    config,
    now,
    log,
  }: {
    readonly market: MarketClients;
    readonly reporting: Pick<QueueFaultReporting, 'listLastingTopics'>;
    readonly reporter: FaultReporter;
    readonly config: () => OperatorConfig;
    readonly now: () => Date;
    readonly log: Logger;
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
    listLastingTopics: () => reporting.listLastingTopics(),
    onReadFailure: (err) => log.error({ err }, 'fault access failed'),
    isNamed: () => findParticipant(config(), participant) !== undefined,
    overdueAfterMs: { prudential: overdue('prudential'), settlement: overdue('settlement') },
  });
}
