import { fenced, figure, milliseconds, whole } from '../figures.js';
import type { Memory } from '../process-usage.js';
import { median } from '../statistics.js';
import type { Latency } from '../road/latency.js';

export interface PipelineFigures {
  readonly latency: readonly Latency[];
  /** Events a second, one figure a run. */
  readonly throughput: readonly number[];
  readonly burst: number;
  readonly queueAlone: readonly number[];
  readonly memory: readonly Memory[];
}

export function renderPipeline({ latency, throughput, burst, queueAlone, memory }: PipelineFigures): string {
  const perSecond = (value: number): string => `${whole(value)}/s`;
  const rows = [
    figure(
      'road, unloaded, p50',
      latency.map(({ p50 }) => p50),
      milliseconds,
    ),
    figure(
      'road, unloaded, p99',
      latency.map(({ p99 }) => p99),
      milliseconds,
    ),
    figure('road, sustained, events', throughput, perSecond),
    figure('BullMQ alone, no-op worker, jobs', queueAlone, perSecond),
    ['road / BullMQ alone', (median(throughput) / median(queueAlone)).toFixed(3), ''],
  ];
  return [
    `Latency: ${latency.length} runs of ${latency[0]?.samples ?? 0} margin changes, one at a time. Throughput: ${throughput.length} runs of ${burst} statements.`,
    '',
    fenced(['what', 'median', 'runs'], rows),
    '',
    'Memory of each process 20 s after the last event. The goal is 150 MB.',
    '',
    fenced(
      ['process', 'at rest (goal: below 143 MiB)', 'highest'],
      memory.map(({ name, resident, highest }) => [name, `${resident} MiB`, `${highest} MiB`]),
    ),
  ].join('\n');
}
