import type { MarketInterface } from '@ssb/events';
import type { FaultReporter } from '@ssb/operational-alerts';
import type { Readiness } from '@ssb/platform';
import { explainUnready } from './domain/participant-readiness.js';
import { overdueAfterMs } from './domain/poll-overdue.js';
import { requestTimeoutMs, type MarketClients } from './market/market-clients.js';
import { ParticipantFaults } from './participant-faults.js';
import type { Settings } from './settings.js';

/** Tracks the faults of the participant, and lets the readiness report explain those that stop every poll. */
export function createParticipantFaults(
  settings: Settings,
  intervals: Readonly<Record<MarketInterface, number>>,
  { market, reporter, readiness }: { market: MarketClients; reporter: FaultReporter; readiness: Readiness },
): ParticipantFaults {
  const overdue = (name: MarketInterface): number =>
    overdueAfterMs({ intervalMs: intervals[name], requestTimeoutMs: requestTimeoutMs(name, settings) });
  const faults = new ParticipantFaults({
    participant: settings.PARTICIPANT,
    reporter,
    connection: (name) => market.connection(name),
    overdueAfterMs: { prudential: overdue('prudential'), settlement: overdue('settlement') },
  });
  market.onCertificateCheck(() => faults.check());
  readiness.register('participants', () => {
    faults.check();
    const explanation = explainUnready(faults.held());
    if (explanation !== undefined) throw new Error(explanation);
  });
  return faults;
}
