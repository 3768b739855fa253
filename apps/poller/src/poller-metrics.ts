import { Injectable } from '@nestjs/common';
import { Metrics } from '@ssb/platform';

/** The poller's own metrics. */
@Injectable()
export class PollerMetrics {
  readonly leader;
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
  readonly certificateDaysLeft;
  readonly certificateReloads;

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
    this.certificateDaysLeft = metrics.gauge({
      name: 'poller_certificate_days_left',
      help: 'Days until the client certificate of an interface expires; negative afterwards.',
      labelNames: ['interface'],
    });
    this.certificateReloads = metrics.counter({
      name: 'poller_certificate_reloads_total',
      help: 'Changed certificate files, by outcome: taken or refused.',
      labelNames: ['interface', 'outcome'],
    });
    this.leader.set(0);
  }
}
