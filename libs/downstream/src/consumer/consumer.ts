import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { EventType, SignedEvent } from '@ssb/events';
import { backoffDelayMs, retry } from '@ssb/net';
import { ProcessingFailedError, type ConsumerError } from './consumer-errors.js';
import {
  checkOptions,
  type ConsumerOptions,
  type EventContext,
  type ReceivedEvent,
  type Reports,
} from './consumer-options.js';
import { EventProcessor, type ProcessMessage } from './event-processor.js';
import { DEFAULT_WINDOW, GatewaySource } from './gateway-source.js';
import { Handlers, type EventOf, type EventPattern, type Handler, type TypesOf } from './handlers.js';
import { Handoff, IterationEndedError } from './handoff.js';
import { MessageQueue, type Received } from './message-queue.js';
import { Reporter } from './reporter.js';

const DEFAULT_MAX_ATTEMPTS = 10;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;

type EventHandler = Handler<SignedEvent, EventContext>;
type HandlersOf = (type: EventType) => readonly EventHandler[];

/**
 * Receives the events of the bus: connects to the gateway, verifies each message, drops repeats, calls the handlers, saves the event, then
 * acknowledges the message. One message at a time, in the order of its channel.
 */
export class Consumer implements AsyncIterable<ReceivedEvent> {
  private readonly handlers = new Handlers<EventContext>();
  private readonly reporter = new Reporter();
  private readonly stopping = new AbortController();
  /** Set in everything that a handler calls. */
  private readonly handling = new AsyncLocalStorage<true>();
  private readonly source: GatewaySource;
  private readonly queue: MessageQueue;
  private handoff: Handoff | undefined;
  private running: Promise<void> | undefined;
  private failure: ConsumerError | undefined;

  /** @throws InvalidOptionError */
  constructor(private readonly options: ConsumerOptions) {
    const channels = checkOptions(options);
    const { window = DEFAULT_WINDOW } = options;
    this.source = new GatewaySource({
      consumer: options,
      channels,
      onReceived: (items) => this.queue.add(items),
      onInterrupted: () => this.queue.clear(),
      onState: (state) => this.reporter.notify('state', state),
      onFault: (fault) => this.reporter.notify('fault', fault),
      onFailure: (error) => this.fail(error),
    });
    this.queue = new MessageQueue(2 * window, this.source, this.stopping.signal);
  }

  /** Adds a handler for the events of a type or pattern. Handlers are called in the order in which they were added. */
  on<Pattern extends EventPattern>(
    pattern: Pattern,
    handler: Handler<EventOf<TypesOf<Pattern>>, EventContext>,
  ): this;
  /** Adds a listener. One for refused or outdated messages or gaps that fails is called again, as a handler is. */
  on<Name extends keyof Reports>(name: Name, listener: (report: Reports[Name]) => void | Promise<void>): this;
  on(name: string, handler: unknown): this {
    if (this.reporter.has(name)) this.reporter.add(name, handler as (report: object) => void);
    else this.handlers.add(name, handler as EventHandler);
    return this;
  }

  /** Resolves after `stop` or the signal. @throws ConsumerError when no retry would help, and what the store throws */
  run(): Promise<void> {
    return this.start((type) => this.handlers.of(type));
  }

  /**
   * Stops receiving, and resolves once the running handler has ended and its message is acknowledged. Called by a handler, it resolves at
   * once. Idempotent.
   */
  async stop(): Promise<void> {
    this.stopReceiving();
    if (this.handling.getStore() === true || this.handoff?.isPending === true) return;
    await this.running?.catch(() => undefined);
  }

  /** Iterates over all events. `ack` or the next iteration acknowledges an event; the end of the loop does not. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ReceivedEvent, void, undefined> {
    const handoff = new Handoff();
    const running = this.start(() => [handoff.handle]);
    this.handoff = handoff;
    // Awaited below.
    running.then(
      () => handoff.end(),
      (error: unknown) => handoff.end(error),
    );
    try {
      for (let next = await handoff.next(); next !== undefined; next = await handoff.next()) {
        const { event, context, accept } = next;
        yield { event, context, ack: accept };
        await accept();
      }
      await running;
    } finally {
      this.stopReceiving();
      handoff.end();
      await running.catch(() => undefined);
    }
  }

  private start(handlersOf: HandlersOf): Promise<void> {
    if (this.running) throw new Error('This consumer runs already, or has run. Create another one.');
    this.running = this.receive(handlersOf);
    return this.running;
  }

  private async receive(handlersOf: HandlersOf): Promise<void> {
    const { store, signal } = this.options;
    const stop = (): void => this.stopReceiving();
    await store.open();
    try {
      if (signal?.aborted === true) stop();
      signal?.addEventListener('abort', stop);
      if (!this.stopping.signal.aborted) this.source.start();
      const processor = new EventProcessor({
        consumer: this.options,
        handlersOf,
        onRefused: (refused) => this.reporter.report('refused', refused),
        onOutdated: (outdated) => this.reporter.report('outdated', outdated),
      });
      for (let next = await this.queue.next(); next !== undefined; next = await this.queue.next()) {
        await this.process(next, processor);
        // Verification takes milliseconds, and a store in memory does not wait.
        await yieldToEventLoop();
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      await this.source.stop();
      await store.close();
    }
    if (this.failure) throw this.failure;
  }

  private async process(received: Received, processor: EventProcessor): Promise<void> {
    if (received.kind === 'gap') {
      const { gap } = received;
      await this.attempt(gap.upTo, () => this.reporter.report('gap', gap));
      return;
    }
    const { message, acknowledge } = received;
    if (!(await this.attempt(message.id, processor.prepare(message)))) return;
    acknowledge();
    this.handoff?.acknowledged();
  }

  /** @returns whether an attempt succeeded; without success the consumer stops */
  private async attempt(messageId: string, work: ProcessMessage): Promise<boolean> {
    const { maxAttempts = DEFAULT_MAX_ATTEMPTS, maxDelayMs = MAX_DELAY_MS } = this.options;
    const { signal } = this.stopping;
    const backoff = { baseMs: FIRST_DELAY_MS, maxMs: maxDelayMs };
    let attempts = 0;
    const tryOnce = async (): Promise<void> => {
      attempts += 1;
      try {
        await this.handling.run(true, () => work(attempts));
      } catch (error) {
        const reason = `attempt ${attempts} to process the message ${messageId} failed`;
        if (!(error instanceof IterationEndedError))
          this.reporter.notify('fault', { reason, error, messageId, attempt: attempts });
        throw error;
      }
    };
    const delayMs = (): number | undefined =>
      attempts < maxAttempts ? backoffDelayMs(attempts, backoff, Math.random()) : undefined;
    try {
      await retry(tryOnce, { delayMs, signal });
      return true;
    } catch (error) {
      if (!signal.aborted) this.fail(new ProcessingFailedError(messageId, attempts, { cause: error }));
      return false;
    }
  }

  /** Does nothing once the consumer stops, so the first failure is reported. */
  private fail(error: ConsumerError): void {
    if (this.stopping.signal.aborted) return;
    this.failure = error;
    this.stopReceiving();
  }

  /** The running handler ends, and its message is acknowledged on the open connection. */
  private stopReceiving(): void {
    this.stopping.abort();
    // A new connection would replace the one of the next consumer with this client id.
    this.source.stopRetrying();
  }
}
