import type { GaugeDefinition } from '../observability/metric-definitions.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../observability/metrics.js';
import type { ClockReading } from '@ssb/net';
import { agreeOnOffset, type KnownOffsets } from './domain/agreed-time.js';
import {
  boundOffset,
  combineOffsets,
  compareWithLimit,
  estimateOffsetMs,
  measureOffset,
  type OffsetRange,
} from './domain/clock-offset.js';
import { RecentMinimum } from './domain/recent-minimum.js';

interface ClockFault {
  readonly reason: 'clock-offset';
  readonly participant: string;
}

/** Receives the fault at each change and may receive it again without one, like `FaultReporter`. */
export interface ClockFaults {
  raise(fault: ClockFault & { readonly detail: string }): void;
  clear(fault: ClockFault): void;
  /** The fault is no longer known here; another replica may report it. */
  forget(fault: ClockFault): void;
}

/** The clocks that decide the time beside the local one. */
export interface DecidingClocks<Source extends string> {
  /** The system whose clock is preferred, such as `the operator`. */
  readonly name: string;
  /** The clocks of that system, the preferred one first. */
  readonly primary: readonly Source[];
  readonly reference: Source;
}

export interface ClockMonitorOptions<Source extends string> {
  /** Every clock that the app measures. */
  readonly sources: readonly Source[];
  /** Participant of the fault. */
  readonly participant: string;
  readonly limitMs: number;
  /** The clocks that an `AgreedClock` compares; undefined for an app that decides by its own clock alone. */
  readonly deciding?: DecidingClocks<Source>;
  readonly faults: ClockFaults;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Interval of `watch`. Default 30,000. */
  readonly intervalMs?: number;
  /** A clock that is never set, milliseconds. Default: the process's own. */
  readonly elapsedMs?: () => number;
}

/** @param sources every clock that the app measures */
export function clockMetric(sources: readonly string[]): GaugeDefinition<'source'> {
  return {
    type: 'gauge',
    name: 'settlement_bridge_clock_offset_seconds',
    help: 'Offset of the local clock against another clock, positive when the local clock is ahead; absent without a measurement in five minutes.',
    labels: { source: sources },
  };
}

interface Measurement {
  readonly range: OffsetRange;
  /** By `elapsedMs`. */
  readonly at: number;
}

interface State {
  readonly verdict: 'within' | 'beyond';
  /** By `elapsedMs`. Infinity except after a step of the local clock. */
  readonly expiresAt: number;
}

const INTERVAL_MS = 30_000;
/** An offset without a newer measurement is no longer shown after this time. After a step it is no longer a fault either. */
const EXPIRY_MS = 5 * 60_000;
/** The local clock was set, or the process was suspended, when it differs from `elapsedMs` by more than before. */
const MIN_STEP_MS = 1_000;
/** Two of these windows contain several heartbeats, of which one arrives without a delay. */
const DELIVERY_WINDOW_MS = 2 * 60_000;

/**
 * Compares the local clock with the clocks of other systems and reports one fault while any differs by more than the limit. A source
 * without a response keeps its last state, so silence neither raises nor clears the fault; after a step of the local clock for five minutes.
 */
export class ClockMonitor<Source extends string = string> {
  private readonly measurements = new Map<Source, Measurement>();
  private readonly states = new Map<Source, State>();
  private readonly shortestDelays = new Map<Source, RecentMinimum>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly elapsedMs: () => number;
  /** The local clock when `elapsedMs` was 0, epoch milliseconds. */
  private localOrigin: number | undefined;
  private raised = false;

  constructor(private readonly options: ClockMonitorOptions<Source>) {
    this.elapsedMs = options.elapsedMs ?? (() => performance.now());
    const listOffsets = (): ReadonlyMap<Source, number> => this.listOffsets();
    options.metrics.gauge(clockMetric(options.sources), (gauge) => {
      gauge.reset();
      for (const [source, offsetMs] of listOffsets()) gauge.set({ source }, offsetMs / 1_000);
    });
  }

  /** Takes in the reading of one request. A reading with a long round trip is ignored. */
  observe(source: Source, reading: ClockReading): void {
    const range = measureOffset(reading);
    if (range === undefined) return;
    this.forgetAfterStep(reading.respondedAt);
    this.record(source, combineOffsets(this.find(source)?.range, range));
  }

  /**
   * Takes in a message that came without a request. It proves only that the local clock is behind.
   * @param createdAt by the clock of the source, epoch milliseconds
   * @param receivedAt by the local clock, epoch milliseconds
   */
  observeDelivery(source: Source, createdAt: number, receivedAt: number): void {
    this.forgetAfterStep(receivedAt);
    const shortest = this.shortestDelays.get(source) ?? new RecentMinimum(DELIVERY_WINDOW_MS);
    this.shortestDelays.set(source, shortest);
    this.record(source, boundOffset(shortest.add(receivedAt - createdAt, this.elapsedMs())));
  }

  /**
   * The offsets that decide the time, also old ones. None was measured before the local clock was set.
   * @param localTime the local clock, epoch milliseconds
   */
  decidingOffsets(localTime: number): KnownOffsets {
    this.forgetAfterStep(localTime);
    const { primary = [], reference } = this.options.deciding ?? {};
    return {
      primary: primary.flatMap((source) => this.latestOffset(source) ?? []),
      reference: reference && this.latestOffset(reference),
    };
  }

  /** Forgets clocks that this replica does not read any more. Ends no fault. */
  forget(sources: readonly Source[]): void {
    const { participant, faults } = this.options;
    for (const known of [this.measurements, this.states, this.shortestDelays])
      for (const source of sources) known.delete(source);
    if (!this.raised) return;
    if (this.listBeyond().length > 0) return this.report();
    this.raised = false;
    faults.forget({ reason: 'clock-offset', participant });
  }

  /** Calls `measure` now and then regularly, until `stop`. Calls never overlap. Failures are ignored: the readiness checks report them. */
  watch(measure: () => Promise<unknown>): void {
    let running = false;
    const run = async (): Promise<void> => {
      if (running) return;
      running = true;
      await measure().catch(() => undefined);
      running = false;
    };
    void run();
    this.timers.add(setInterval(() => void run(), this.options.intervalMs ?? INTERVAL_MS));
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.timers.clear();
  }

  /**
   * Measurements before a step of the local clock say nothing about the clock as it is now. A clock that was beyond the limit stays so until
   * it is measured again, or its state expires.
   */
  private forgetAfterStep(localTime: number): void {
    const origin = localTime - this.elapsedMs();
    this.localOrigin ??= origin;
    if (Math.abs(origin - this.localOrigin) < MIN_STEP_MS) return;
    this.localOrigin = origin;
    const beyond = this.listBeyond();
    for (const known of [this.measurements, this.states, this.shortestDelays]) known.clear();
    const expiresAt = this.elapsedMs() + EXPIRY_MS;
    for (const source of beyond) this.states.set(source, { verdict: 'beyond', expiresAt });
  }

  private record(source: Source, range: OffsetRange): void {
    const { limitMs, log } = this.options;
    this.measurements.set(source, { range, at: this.elapsedMs() });
    const verdict = compareWithLimit(range, limitMs);
    const previous = this.states.get(source)?.verdict;
    if (verdict !== 'undecided') this.states.set(source, { verdict, expiresAt: Infinity });
    const fields = { source, offsetMs: Math.round(estimateOffsetMs(range)), limitMs };
    if (verdict === 'beyond' && previous !== 'beyond') log.warn(fields, 'clock offset beyond limit');
    if (verdict === 'within' && previous === 'beyond') log.info(fields, 'clock offset within limit');
    this.report();
  }

  private report(): void {
    const { sources, participant, faults } = this.options;
    const fault = { reason: 'clock-offset', participant } as const;
    const beyond = this.listBeyond();
    if (beyond.length > 0) {
      this.raised = true;
      faults.raise({ ...fault, detail: this.describe(beyond) });
    } else if (this.raised || sources.every((source) => this.states.has(source))) {
      // An earlier run may have raised the fault; it has ended only when every clock agrees.
      this.raised = false;
      faults.clear(fault);
    }
  }

  private listBeyond(): readonly Source[] {
    return this.options.sources.filter((source) => {
      const state = this.states.get(source);
      return state?.verdict === 'beyond' && this.elapsedMs() < state.expiresAt;
    });
  }

  private describe(sources: readonly Source[]): string {
    const offsets = sources.map((source) => {
      const range = this.measurements.get(source)?.range;
      if (range === undefined) return `not yet compared again with ${source}`;
      const seconds = estimateOffsetMs(range) / 1_000;
      return `${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${source}`;
    });
    return `The clock of the app is ${offsets.join(', ')}; the limit is ${this.options.limitMs / 1_000} s.${this.describeDecision()}`;
  }

  private describeDecision(): string {
    const { deciding } = this.options;
    if (deciding === undefined) return '';
    const { by } = agreeOnOffset(this.decidingOffsets(Date.now()));
    switch (by) {
      case 'primary':
        return ` The app decides by the clock of ${deciding.name}.`;
      case 'local':
        return ' The app decides by its own clock.';
      case 'middle':
        return ' No two clocks agree; the app decides by the middle one, or the later one of two.';
      default:
        return by satisfies never;
    }
  }

  private listOffsets(): ReadonlyMap<Source, number> {
    const offsets = new Map<Source, number>();
    for (const source of this.measurements.keys()) {
      const measurement = this.find(source);
      if (measurement !== undefined) offsets.set(source, estimateOffsetMs(measurement.range));
    }
    return offsets;
  }

  private latestOffset(source: Source): number | undefined {
    const range = this.measurements.get(source)?.range;
    if (range === undefined) return undefined;
    // No difference is proven, so the time does not move by the uncertainty of a reading.
    return range.min <= 0 && range.max >= 0 ? 0 : estimateOffsetMs(range);
  }

  private find(source: Source): Measurement | undefined {
    const measurement = this.measurements.get(source);
    return measurement !== undefined && this.elapsedMs() - measurement.at < EXPIRY_MS
      ? measurement
      : undefined;
  }
}
