import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile, severityOf, type ConfigSource } from '@ssb/config';
import { readProblemSignal, type DetectedEvent, type Severity } from '@ssb/events';
import { FAULT_METRICS, OperationsWebhook, type FaultReceivers } from '@ssb/faults';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import type { AlertSink, SinkMessage } from '../deliveries/sinks/alert-sink.js';
import { hasOperationsSink } from './domain/fault-recipients.js';
import { findRecipientsOf } from './local-events.js';
import { LOCAL } from '../domain/marks.js';
import type { Settings } from '../settings.js';

/** Posts faults to the sinks without the outbox, while the database is unavailable. Waiting posts are in memory, bounded for each sink. */
@Injectable()
export class DirectDeliveries implements FaultReceivers {
  private readonly queues = new Map<string, OperationsWebhook>();
  /** Counts dropped posts. */
  readonly dropped: { inc(): void };
  private sinks: () => readonly AlertSink[] = () => [];

  constructor(
    @Inject(OperatorConfigFile) private readonly config: ConfigSource,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'OPERATIONS_WEBHOOK_URL'>,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter(FAULT_METRICS.dropped);
  }

  /** @param sinks those in use; they can change */
  attach(sinks: () => readonly AlertSink[]): void {
    this.sinks = sinks;
  }

  post(event: DetectedEvent): void {
    const local = { ...event, local: true };
    const sinks = findRecipientsOf(this.config.current(), event, hasOperationsSink(this.settings));
    for (const name of sinks) this.queueOf(name).post(local);
  }

  private severityOf(event: DetectedEvent): Severity {
    return severityOf(this.config.current(), readProblemSignal(event));
  }

  /** Makes one more attempt to deliver what waits. Call it before the sinks are closed. */
  async stop(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.stop()));
  }

  private queueOf(name: string): OperationsWebhook {
    const known = this.queues.get(name);
    if (known !== undefined) return known;
    const queue = new OperationsWebhook({
      log: this.log,
      dropped: this.dropped,
      client: {
        post: ({ text, event }, signal) => {
          const sink = this.sinks().find((each) => each.name === name);
          // A sink that was removed gets nothing more.
          if (sink === undefined) return Promise.resolve({ kind: 'delivered' });
          return sink.deliver(toMessage(event, text, this.severityOf(event)), signal);
        },
        close: () => Promise.resolve(),
      },
    });
    this.queues.set(name, queue);
    return queue;
  }
}

/** Without the database, the problem of the fault is not known. */
function toMessage(
  { id: eventId, type, subject, participant }: DetectedEvent,
  text: string,
  severity: Severity,
): SinkMessage {
  const kind = type === 'settlementbus.bridge.alert.cleared.v1' ? 'resolved' : 'alert';
  const problem = { severity, problemId: null, problemState: null } as const;
  return { eventId, kind, ...problem, marks: [LOCAL], replayed: false, type, subject, participant, text };
}
