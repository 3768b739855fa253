import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import type { Logger, LogFields } from '@ssb/platform';
import type { SubscriberMetrics } from '../subscriber-metrics.js';

/** Messages of a channel that will not be received. */
export interface Gap {
  readonly channel: string;
  /** Where it is, for the log. */
  readonly fields: LogFields;
  /** One sentence for the alert. */
  readonly detail: string;
}

export type ReportGap = (gap: Gap) => void;

export function createGapReport(
  metrics: SubscriberMetrics,
  faults: Pick<FaultReporter, 'raise'>,
  log: Logger,
): ReportGap {
  return ({ channel, fields, detail }) => {
    metrics.gaps.inc();
    log.error({ channel, ...fields }, 'retention gap');
    faults.raise({ reason: 'retention-gap', participant: ALL_PARTICIPANTS, channel, detail });
  };
}
