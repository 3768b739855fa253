import { Injectable } from '@nestjs/common';
import { Metrics } from '@ssb/platform';

/** The bus-publisher's own metrics. */
@Injectable()
export class PublisherMetrics {
  readonly attempts;
  readonly origin;
  readonly detectedToPublished;
  readonly jobs;
  readonly deadLetters;
  readonly unverifiedDeadLetters;
  readonly refusedJobs;
  readonly evictedRefusedJobs;
  readonly oldestWaiting;
  readonly sinceProgress;

  constructor(metrics: Metrics) {
    this.attempts = metrics.counter({
      name: 'publisher_attempts_total',
      help: 'Attempts to publish an event, by outcome; dropped are heartbeats, ignored events and alerts without a route.',
      labelNames: ['type', 'outcome'],
    });
    this.detectedToPublished = metrics.histogram({
      name: 'publisher_detected_to_published_seconds',
      help: 'Time from the detection of the fact to the acceptance by the bus.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
    });
    this.jobs = metrics.gauge({
      name: 'queue_jobs',
      help: 'Events on the queue, by state; delayed events wait for their next attempt.',
      labelNames: ['state'],
    });
    this.origin = metrics.gauge({
      name: 'publisher_origin',
      help: '1 for the DID of the origin key that signed the last event.',
      labelNames: ['did'],
    });
    this.deadLetters = metrics.gauge({
      name: 'queue_dead_letters',
      help: 'Events that need an operator before they can be published; alert when above 0.',
    });
    this.unverifiedDeadLetters = metrics.gauge({
      name: 'queue_unverified_dead_letters',
      help: 'Jobs without a valid HMAC that are kept, at most 1,000; alert when above 0.',
    });
    this.refusedJobs = metrics.counter({
      name: 'publisher_refused_jobs_total',
      help: 'Jobs that were not published because their HMAC is not valid, by reason.',
      labelNames: ['reason'],
    });
    this.evictedRefusedJobs = metrics.counter({
      name: 'publisher_evicted_refused_jobs_total',
      help: 'Unverified dead letters that were removed, because 1,000 or 64 MiB of newer ones are kept.',
    });
    this.oldestWaiting = metrics.gauge({
      name: 'queue_oldest_waiting_seconds',
      help: 'How long the first event of the queue has been ready to be processed; 0 when none waits.',
    });
    this.sinceProgress = metrics.gauge({
      name: 'publisher_since_progress_seconds',
      help: 'Time since an attempt last started or ended.',
    });
  }
}
