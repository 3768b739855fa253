import type { LogLine } from '../system/app-process.js';
import { type EventTrace, EventTraces } from '../system/event-trace.js';
import type { WebhookReceiver } from '../webhook/webhook-receiver.js';
import { buildDemoResult, type DemoResult, isComplete } from './demo-result.js';
import { type ExpectedEvent, parseExpectedEvents } from './expected-events.js';

/** Compares the expected events with the logs of the apps and the deliveries to the webhook receiver. */
export class DeliveryTracker {
  private readonly traces = new EventTraces();
  /** Subjects that the simulator has published. */
  private readonly published: string[] = [];
  private onChange: () => void = () => undefined;
  private endWait: () => void = () => undefined;

  /** @param expected replaced by the simulator's own list, in which the subjects have no placeholders */
  constructor(
    private expected: readonly ExpectedEvent[],
    private readonly receiver: WebhookReceiver,
  ) {
    receiver.onDelivery(() => this.onChange());
  }

  /** Records a log line of an app. @returns the trace of the event; undefined if the line is not about a step */
  record(app: string, line: LogLine): EventTrace | undefined {
    const { step, subject, expect } = line;
    if (app === 'simulator' && step === 'published') this.published.push(String(subject));
    if (app === 'simulator' && step === 'expected') this.expected = parseExpectedEvents(expect);
    const trace = this.traces.record(line);
    if (trace !== undefined) this.onChange();
    return trace;
  }

  /** Resolves when every expected event is complete, at the timeout, or at `stopWaiting`. */
  waitUntilComplete(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.endWait(), timeoutMs);
      this.endWait = () => {
        clearTimeout(timer);
        this.onChange = () => undefined;
        resolve();
      };
      this.onChange = () => this.isComplete && this.endWait();
      this.onChange();
    });
  }

  stopWaiting(): void {
    this.endWait();
  }

  buildResult(seconds: number): DemoResult {
    const { deliveries } = this.receiver;
    return buildDemoResult(
      this.expected,
      this.traces.match(this.expected),
      deliveries,
      this.published,
      seconds,
    );
  }

  private get isComplete(): boolean {
    return this.traces
      .match(this.expected)
      .every((trace) => isComplete(trace, (id) => this.receiver.has(id)));
  }
}
