import { withTimeout, type DeliveryOutcome } from '@ssb/net';
import type { Logger } from '@ssb/platform';
import type { AlertSink, SinkMessage, TraceHeaders } from './alert-sink.js';
import type { SinkFiles } from './sink-files.js';

export interface ConfiguredSinkOptions {
  readonly files: Pick<SinkFiles, 'firstReading' | 'isUsable' | 'problems' | 'close'>;
  readonly timeoutMs: number;
  readonly maxPerMinute?: number | undefined;
  readonly log: Pick<Logger, 'error'>;
}

/** A sink as its worker needs it. */
export interface RatedSink extends AlertSink {
  /** Attempts in a minute; undefined without a limit. The worker waits. */
  readonly maxPerMinute: number | undefined;
}

const FILE_UNUSABLE: DeliveryOutcome = { kind: 'unreachable', detail: 'a file of the sink cannot be used' };
const ABORTED: DeliveryOutcome = { kind: 'unreachable', detail: 'aborted' };

/** A sink with what each kind has in common: files that may be unusable, a rate, and failures of its own code, which end no process. */
export class ConfiguredSink implements RatedSink {
  constructor(
    private readonly sink: AlertSink,
    private readonly options: ConfiguredSinkOptions,
  ) {}

  get name(): string {
    return this.sink.name;
  }

  get maxPerMinute(): number | undefined {
    return this.options.maxPerMinute;
  }

  /** Why files of the sink are not used; empty when all are. */
  get fileProblems(): readonly unknown[] {
    return this.options.files.problems;
  }

  /** Whether every file was usable once. */
  get isUsable(): boolean {
    return this.options.files.isUsable;
  }

  async deliver(message: SinkMessage, signal: AbortSignal, trace?: TraceHeaders): Promise<DeliveryOutcome> {
    const { files, timeoutMs } = this.options;
    await withTimeout(files.firstReading, timeoutMs, signal).catch(() => undefined);
    if (signal.aborted) return ABORTED;
    if (!files.isUsable) return FILE_UNUSABLE;
    return this.attempt(() => this.sink.deliver(message, signal, trace), signal);
  }

  /** The receiver forgets a problem unless it is sent again. */
  get mustRepeat(): boolean {
    return this.sink.repeat !== undefined;
  }

  async repeat(open: readonly SinkMessage[], signal: AbortSignal): Promise<DeliveryOutcome> {
    const { sink, options } = this;
    const repeat = sink.repeat?.bind(sink);
    if (repeat === undefined || open.length === 0) return { kind: 'delivered' };
    if (!options.files.isUsable) return FILE_UNUSABLE;
    return this.attempt(() => repeat(open, signal), signal);
  }

  async close(): Promise<void> {
    await this.sink.close();
    await this.options.files.close();
  }

  /** Without the error's message, which may contain a secret or an address. */
  private async attempt(send: () => Promise<DeliveryOutcome>, signal: AbortSignal): Promise<DeliveryOutcome> {
    try {
      return await send();
    } catch (error) {
      if (signal.aborted) return ABORTED;
      const name = error instanceof Error ? error.name : 'unknown error';
      this.options.log.error({ sink: this.name, reason: name }, 'sink failed unexpectedly');
      return { kind: 'unreachable', detail: name };
    }
  }
}
