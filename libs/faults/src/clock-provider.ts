import { ALL_PARTICIPANTS } from '@ssb/events';
import { ClockMonitor, LOGGER, Metrics, type ClockMonitorOptions, type Logger } from '@ssb/platform';
import { FaultReporter } from './fault-reporter.js';

/** Provides the `ClockMonitor` of an app. An `AgreedClock` of it decides about the market. The caller starts and stops its readings. */
export function clockProvider<Source extends string>(
  options: Pick<ClockMonitorOptions<Source>, 'sources' | 'limitMs' | 'deciding'>,
) {
  return {
    provide: ClockMonitor,
    inject: [FaultReporter, Metrics, LOGGER],
    useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger) =>
      new ClockMonitor({ ...options, participant: ALL_PARTICIPANTS, faults, metrics, log }),
  };
}
