import { Injectable } from '@nestjs/common';
import { Metrics } from '@ssb/platform';
import type { MarginFigures } from './domain/margin.js';

/** The poller's own metrics. */
@Injectable()
export class PollerMetrics {
  private readonly leader;
  private isLeader = false;
  readonly polls;
  readonly skipped;
  readonly failures;
  readonly fetches;
  readonly events;
  readonly summarised;
  readonly records;
  readonly recordBytes;
  readonly recordsRemoved;
  readonly recordsRefused;
  readonly lastSuccess;
  readonly requests;
  readonly unknownProperties;
  private readonly tradingMargin;
  private readonly outstandingAmount;

  constructor(metrics: Metrics) {
    this.leader = metrics.gauge({
      name: 'poller_leader',
      help: '1 while this replica holds the lease, else 0.',
    });
    this.polls = metrics.counter({
      name: 'poller_polls_total',
      help: 'Polls started.',
      labelNames: ['poll'],
    });
    this.skipped = metrics.counter({
      name: 'poller_polls_skipped_total',
      help: 'Polls not started: the previous one was still running, or the poller paused after a failure.',
      labelNames: ['poll', 'reason'],
    });
    this.failures = metrics.counter({
      name: 'poller_failures_total',
      help: 'Failures, by the class of the error.',
      labelNames: ['poll', 'kind'],
    });
    this.fetches = metrics.counter({
      name: 'poller_fetches_total',
      help: 'Requests for statements and invoices, by answer.',
      labelNames: ['resource', 'answer'],
    });
    this.events = metrics.counter({
      name: 'poller_events_total',
      help: 'Events put on the queue, repeats and heartbeats included.',
      labelNames: ['type'],
    });
    this.summarised = metrics.counter({
      name: 'poller_events_summarised_total',
      help: 'Statements whose variables were replaced by a summary, because they exceed the limit of the route.',
    });
    this.records = metrics.gauge({
      name: 'poller_records',
      help: 'Full records in the record store, of all participants with this QUEUE_PREFIX.',
    });
    this.recordBytes = metrics.gauge({
      name: 'poller_record_bytes',
      help: 'Size of the record store, bytes.',
    });
    this.recordsRemoved = metrics.counter({
      name: 'poller_records_removed_total',
      help: 'Full records removed from the record store, by reason: age or bytes.',
      labelNames: ['reason'],
    });
    this.recordsRefused = metrics.counter({
      name: 'poller_records_refused_total',
      help: 'Full records not stored, because one alone exceeds RECORD_STORE_MAX_BYTES.',
    });
    this.lastSuccess = metrics.gauge({
      name: 'poller_last_success_timestamp_seconds',
      help: 'When a poll last succeeded, seconds since 1970; an unusable statement or invoice does not count as a failure.',
      labelNames: ['poll'],
    });
    this.requests = metrics.counter({
      name: 'poller_requests_total',
      help: 'Requests that the budget of an interface admitted.',
      labelNames: ['interface'],
    });
    this.unknownProperties = metrics.counter({
      name: 'poller_unknown_properties_total',
      help: 'Properties in answers that the interface document does not define; they are dropped.',
      labelNames: ['resource'],
    });
    this.tradingMargin = metrics.businessGauge({
      name: 'poller_trading_margin_aud',
      help: 'Trading margin of the latest calculation, AUD; absent on standby and with METRICS_BUSINESS=false.',
      labelNames: ['participant'],
    });
    this.outstandingAmount = metrics.businessGauge({
      name: 'poller_outstanding_amount_aud',
      help: 'Outstanding amount of the latest calculation, AUD; absent on standby and with METRICS_BUSINESS=false.',
      labelNames: ['participant'],
    });
    this.leader.set(0);
  }

  /** A replica without the lease shows no amounts, because it does not know the latest calculation. */
  setLeader(held: boolean): void {
    this.isLeader = held;
    this.leader.set(held ? 1 : 0);
    if (held) return;
    this.tradingMargin.reset();
    this.outstandingAmount.reset();
  }

  /** The amounts of the latest calculation. An amount that it lacks is absent. */
  showAmounts(
    participant: string,
    { tradingMargin, outstandingAmount }: Pick<MarginFigures, 'tradingMargin' | 'outstandingAmount'>,
  ): void {
    // A poll may end after the lease.
    if (!this.isLeader) return;
    this.tradingMargin.set({ participant }, Number(tradingMargin));
    if (outstandingAmount === undefined) this.outstandingAmount.remove({ participant });
    else this.outstandingAmount.set({ participant }, Number(outstandingAmount));
  }
}
