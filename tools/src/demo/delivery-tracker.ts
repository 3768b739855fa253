import type { LogLine } from '../system/app-process.js';
import { EventTraces, type EventTrace } from '../system/event-trace.js';
import type { WebhookSink } from '../webhook/webhook-receiver.js';
import { expectedEvents, type ExpectedEvent } from './expected-events.js';
import { demoResult, isComplete, type DemoResult } from './demo-result.js';

/** What the market published, what travelled and what arrived, from the logs and the webhook receiver. */
export class Arrivals {
  private readonly traces = new EventTraces();
  private readonly published: string[] = [];
  private changed: () => void = () => undefined;
  private finish: () => void = () => undefined;

  /** @param expected until the simulator logs the events that it expects, with their subjects filled in */
  constructor(
    private expected: readonly ExpectedEvent[],
    private readonly sink: WebhookSink,
  ) {
    sink.onDelivery(() => this.changed());
  }

  /** Notes a log line of an app; returns the trace when the line told of an event's step. */
  note(app: string, line: LogLine): EventTrace | undefined {
    if (app === 'simulator') this.noteOfMarket(line);
    const trace = this.traces.note(line);
    if (trace !== undefined) this.changed();
    return trace;
  }

  /**
   * Resolves once every expected event went all the way, looked at whenever something happened; when the time is over; or when it is
   * given up.
   */
  settled(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.finish(), timeoutMs);
      this.finish = () => {
        clearTimeout(timer);
        this.changed = () => undefined;
        resolve();
      };
      this.changed = () => this.complete && this.finish();
      this.changed();
    });
  }

  /** Ends the wait: there is nothing more to come. */
  giveUp(): void {
    this.finish();
  }

  result(seconds: number): DemoResult {
    return demoResult(
      this.expected,
      (event) => this.find(event),
      this.sink.deliveries,
      this.published,
      seconds,
    );
  }

  private noteOfMarket({ step, subject, expect }: LogLine): void {
    if (step === 'published' && typeof subject === 'string') this.published.push(subject);
    if (step === 'expected') this.expected = expectedEvents(expect);
  }

  private get complete(): boolean {
    return this.expected.every((event) => isComplete(this.find(event), (id) => this.sink.has(id)));
  }

  private find({ type, subject }: ExpectedEvent): EventTrace | undefined {
    return this.traces.find(type, subject);
  }
}
