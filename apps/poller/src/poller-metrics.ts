import { Injectable } from '@nestjs/common';
import { Metrics } from '@ssb/platform';

/** The poller's own metrics. */
@Injectable()
export class PollerMetrics {
  readonly leader;
  readonly polls;
  readonly skipped;
  readonly failures;
  readonly asks;
  readonly events;
  readonly lastSuccess;
  readonly requests;
  readonly unknownProperties;
  readonly certificateDaysLeft;
  readonly certificateReloads;

  constructor(metrics: Metrics) {
    this.leader = metrics.gauge({
      name: 'poller_leader',
      help: '1 while this replica holds the lease, else 0.',
    });
    this.polls = metrics.counter({ name: 'poller_polls_total', help: 'Polls begun.', labelNames: ['poll'] });
    this.skipped = metrics.counter({
      name: 'poller_polls_skipped_total',
      help: 'Polls not begun, because the one before still ran or during a pause that the operator asked for or its outage called for.',
      labelNames: ['poll', 'reason'],
    });
    this.failures = metrics.counter({
      name: 'poller_failures_total',
      help: 'Failures, by the class of the error.',
      labelNames: ['poll', 'kind'],
    });
    this.asks = metrics.counter({
      name: 'poller_asks_total',
      help: 'Statements and invoices asked for, by what came of it.',
      labelNames: ['resource', 'answer'],
    });
    this.events = metrics.counter({
      name: 'poller_events_total',
      help: 'Events put on the queue; a repeat of one already there counts too.',
      labelNames: ['type'],
    });
    this.lastSuccess = metrics.gauge({
      name: 'poller_last_success_timestamp_seconds',
      help: 'When a poll last ended without failure, seconds since 1970.',
      labelNames: ['poll'],
    });
    this.requests = metrics.counter({
      name: 'poller_requests_total',
      help: 'Requests that the budget of an interface let through.',
      labelNames: ['interface'],
    });
    this.unknownProperties = metrics.counter({
      name: 'poller_unknown_properties_total',
      help: 'Properties in answers that the interface document does not know; they are dropped.',
      labelNames: ['resource'],
    });
    this.certificateDaysLeft = metrics.gauge({
      name: 'poller_certificate_days_left',
      help: 'Days until the client certificate of an interface ends; negative once it has.',
      labelNames: ['interface'],
    });
    this.certificateReloads = metrics.counter({
      name: 'poller_certificate_reloads_total',
      help: 'Changed certificate files that were taken, or refused.',
      labelNames: ['interface', 'outcome'],
    });
    this.leader.set(0);
  }
}
