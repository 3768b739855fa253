import { cpus } from 'node:os';
import { renderTable } from '@ssb/tools';
import type { Latency } from './road-latency.js';
import type { Memory } from './memory.js';
import { median } from './statistics.js';

export interface BenchResult {
  readonly at: string;
  readonly latency: readonly Latency[];
  /** Events a second, one figure a run. */
  readonly throughput: readonly number[];
  readonly burst: number;
  readonly queueAlone: readonly number[];
  readonly memory: readonly Memory[];
}

const round = (value: number): string => Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');

export function renderReport({ at, latency, throughput, burst, queueAlone, memory }: BenchResult): string {
  const [first] = latency;
  const road = median(throughput);
  const queue = median(queueAlone);
  const figures = [
    [
      'road, unloaded, p50',
      `${round(median(latency.map(({ p50 }) => p50)))} ms`,
      spread(
        latency.map(({ p50 }) => p50),
        'ms',
      ),
    ],
    [
      'road, unloaded, p99',
      `${round(median(latency.map(({ p99 }) => p99)))} ms`,
      spread(
        latency.map(({ p99 }) => p99),
        'ms',
      ),
    ],
    ['road, sustained', `${round(road)} events/s`, spread(throughput, '/s')],
    ['BullMQ alone, no-op worker', `${round(queue)} jobs/s`, spread(queueAlone, '/s')],
    ['road / BullMQ alone', (road / queue).toFixed(3), ''],
  ];
  return [
    `Measured ${at} on ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}; every process`,
    'and the load generator share them.',
    '',
    `Latency: ${latency.length} runs of ${first?.samples ?? 0} margin changes, one at a time. Throughput: ${throughput.length} runs of ${burst} statements.`,
    'Figures are medians of the runs, with the lowest and highest run beside them.',
    '',
    '```',
    renderTable(['what', 'median', 'runs'], figures),
    '```',
    '',
    '```',
    renderTable(
      ['process', 'resident MiB', 'highest MiB'],
      memory.map(({ name, resident, highest }) => [name, String(resident), String(highest)]),
    ),
    '```',
  ].join('\n');
}

function spread(values: readonly number[], unit: string): string {
  return `${round(Math.min(...values))} to ${round(Math.max(...values))} ${unit}`;
}
