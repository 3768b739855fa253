import type { Logger } from '@ssb/platform';
import { describeDatabaseError, OperationStoppedError } from '../database/retry-database.js';
import { LeaseLostError } from '../replica/reader-lease.js';
import type { Term } from '../replica/running-term.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import type { OpenRequest, RequestKind, RequestResult } from './request.js';
import type { RequestHandler, RequestHandlers } from './request-handler.js';
import { RequestRun } from './request-run.js';
import type { RequestStore } from './request-store.js';

export interface RequestWorkerOptions {
  readonly store: RequestStore;
  readonly handlers: RequestHandlers;
  readonly metrics: Pick<SubscriberMetrics, 'requests' | 'storageFailures'>;
  readonly log: Logger;
}

/** The work of one term. */
interface TermPlaces {
  readonly term: Term;
  readonly stopping: AbortController;
  readonly places: readonly PlaceWorker[];
}

/** Carries out the requests of people during a term. A request that a replica leaves unfinished is continued by another one. */
export class RequestWorker {
  private current: TermPlaces | undefined;

  constructor(private readonly options: RequestWorkerOptions) {}

  start(term: Term): void {
    const stopping = new AbortController();
    const signal = AbortSignal.any([term.ended, stopping.signal]);
    const places = groupByPlace(this.options.handlers).map(
      (handlers) => new PlaceWorker(this.options, handlers, term, signal),
    );
    this.current = { term, stopping, places };
    this.wake();
  }

  /** Checks for requests now. Call it when one may have been added, and when another replica may have released one. */
  wake(): void {
    const { current } = this;
    if (current === undefined) return;
    this.wakePlaces(current).catch((err: unknown) => {
      // The next round of the lease repeats it.
      this.options.metrics.storageFailures.inc();
      this.options.log.error({ err }, 'request round failed');
    });
  }

  /** Ends after the running transactions. */
  async stop(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    current?.stopping.abort();
    await Promise.all(current?.places.map((place) => place.ended()) ?? []);
  }

  private async wakePlaces({ places }: TermPlaces): Promise<void> {
    const kinds = await this.options.store.listOpenKinds();
    for (const place of places) if (kinds.some((kind) => kind in place.handlers)) place.wake();
  }
}

/** Carries out the requests of one place. */
class PlaceWorker {
  private readonly kinds: readonly RequestKind[];
  private running: Promise<void> | undefined;
  private wakePending = false;

  constructor(
    private readonly options: RequestWorkerOptions,
    readonly handlers: RequestHandlers,
    private readonly term: Term,
    private readonly signal: AbortSignal,
  ) {
    this.kinds = Object.keys(handlers) as RequestKind[];
  }

  wake(): void {
    if (this.signal.aborted) return;
    this.wakePending = true;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      // A wake after the last claim must not be lost.
      if (this.wakePending) this.wake();
    });
  }

  async ended(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    const { store, metrics, log } = this.options;
    this.wakePending = false;
    try {
      while (!this.signal.aborted) {
        const request = await store.claim(this.term.token, this.kinds);
        if (request === undefined) return;
        const { outcome } = await this.carryOut(request);
        const { requestId, kind, author } = request;
        metrics.requests.inc({ kind, outcome });
        log.info({ kind, requestId, author, outcome }, 'request carried out');
      }
    } catch (err) {
      if (err instanceof LeaseLostError) this.term.reportLost();
      else if (!(err instanceof OperationStoppedError || this.signal.aborted)) {
        // The next round of the lease repeats it.
        metrics.storageFailures.inc();
        log.error({ err }, 'request round failed');
      }
    }
  }

  private async carryOut(request: OpenRequest): Promise<RequestResult> {
    const { store, metrics, log } = this.options;
    const { requestId, kind } = request;
    const run = new RequestRun(store, requestId, this.term, this.signal, (err, attempt, waitMs) => {
      metrics.storageFailures.inc();
      log.error({ err, kind, requestId, attempt, waitMs }, 'request round failed');
    });
    const handler = this.handlers[kind];
    if (handler === undefined) throw new Error(`The kind ${kind} has no handler`);
    try {
      return await handler.carryOut(request, run);
    } catch (err) {
      if (err instanceof LeaseLostError || err instanceof OperationStoppedError || this.signal.aborted)
        throw err;
      log.error({ err, kind, requestId }, 'request failed');
      return run.finish({ outcome: 'failed', result: { reason: describeFailure(err) } });
    }
  }
}

function groupByPlace(handlers: RequestHandlers): RequestHandlers[] {
  const places = new Map<string, [string, RequestHandler][]>();
  for (const entry of Object.entries(handlers)) {
    const { place } = entry[1];
    places.set(place, [...(places.get(place) ?? []), entry]);
  }
  return [...places.values()].map((entries) => Object.fromEntries(entries));
}

/** A sentence without stored values. The log has the details. */
function describeFailure(error: unknown): string {
  const isOfDatabase = error instanceof Error && 'code' in error;
  const cause = isOfDatabase ? describeDatabaseError(error) : error instanceof Error ? error.name : 'unknown';
  return `The subscriber could not carry it out: ${cause}. Its log describes the failure as "request failed".`;
}
