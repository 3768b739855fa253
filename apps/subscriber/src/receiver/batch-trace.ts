import { eventAttributes, isTracing, startSpan, type SpanAttributes, type TraceSpan } from '@ssb/platform';
import type { ArchiveEntry, RecordResult } from '../archive/archive-entries.js';

interface EventTrace {
  readonly receive: TraceSpan;
  readonly attributes: SpanAttributes;
}

/**
 * The spans of the events of one batch: receive, and in it verify and archive. The trace context is that of the verified event, so a message
 * that failed verification has no span.
 */
export class BatchTrace {
  private readonly receivedAt = new Date();
  private verifiedAt = this.receivedAt;
  private readonly traces = new Map<ArchiveEntry, EventTrace>();

  /** Called after each verification. @param since when it began */
  recordVerified(entry: ArchiveEntry, since: Date): void {
    if (!isTracing() || entry.kind === 'rejected') return;
    const { event, message } = entry;
    const attributes = { ...eventAttributes(event), channel: message.fqcn, messageId: message.id };
    const { traceparent: parent } = event;
    const startTime = this.receivedAt;
    const receive = startSpan('event receive', { kind: 'consumer', parent, startTime, attributes });
    const options = { parent: receive.traceparent, startTime: since, attributes };
    startSpan('event verify', options).succeed('verified');
    this.traces.set(entry, { receive, attributes });
  }

  /** Called when the whole batch is verified. */
  startArchiving(): void {
    this.verifiedAt = new Date();
  }

  recordResult(entry: ArchiveEntry, { kind }: RecordResult): void {
    this.end(entry, kind === 'quarantined' ? 'fail' : 'succeed', kind);
  }

  /** Nothing of the batch was stored. */
  fail(): void {
    for (const entry of this.traces.keys()) this.end(entry, 'fail', 'failed');
  }

  private end(entry: ArchiveEntry, how: 'succeed' | 'fail', outcome: string): void {
    const trace = this.traces.get(entry);
    if (trace === undefined) return;
    const { receive, attributes } = trace;
    startSpan('event archive', { parent: receive.traceparent, startTime: this.verifiedAt, attributes })[how](
      outcome,
    );
    receive[how](outcome);
  }
}
