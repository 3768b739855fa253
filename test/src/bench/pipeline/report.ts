import { buildRow, formatMs, formatRate, median, renderFencedTable } from '../figures.js';
import type { MemoryUsage } from '../process-usage.js';

export interface Latency {
  /** Milliseconds from the detection (`detectedat`) to the arrival at the webhook receiver. */
  readonly p50: number;
  readonly p99: number;
  readonly samples: number;
}

export interface PipelineFigures {
  readonly latency: readonly Latency[];
  /** Events per second of each run. */
  readonly throughput: readonly number[];
  readonly burst: number;
  /** Jobs per second of each run. */
  readonly queueAlone: readonly number[];
  readonly memory: readonly MemoryUsage[];
}

export function renderPipeline({ latency, throughput, burst, queueAlone, memory }: PipelineFigures): string {
  const rows = [
    buildRow(
      'pipeline, unloaded, p50',
      latency.map(({ p50 }) => p50),
      formatMs,
    ),
    buildRow(
      'pipeline, unloaded, p99',
      latency.map(({ p99 }) => p99),
      formatMs,
    ),
    buildRow('pipeline, sustained, events', throughput, formatRate),
    buildRow('BullMQ alone, no-op worker, jobs', queueAlone, formatRate),
    ['pipeline / BullMQ alone', (median(throughput) / median(queueAlone)).toFixed(3), ''],
  ];
  return [
    `Latency: ${latency.length} runs of ${latency[0]?.samples ?? 0} margin changes, one at a time. Throughput: ${throughput.length} runs of ${burst} statements.`,
    '',
    renderFencedTable(['what', 'median', 'runs'], rows),
    '',
    'Memory of each process 20 s after the last event. The goal is 150 MB.',
    '',
    renderFencedTable(
      ['process', 'idle (goal: below 143 MiB)', 'highest'],
      memory.map(({ name, resident, highest }) => [name, `${resident} MiB`, `${highest} MiB`]),
    ),
  ].join('\n');
}
