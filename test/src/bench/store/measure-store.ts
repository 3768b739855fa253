import { parseMarketDate } from '@ssb/market';
import { formatInteger, formatMs, formatRate, renderFencedTable } from '../figures.js';
import type { Section } from '../section.js';
import { MAX_BODY_BYTES, type StoreSize } from './market-store.js';
import { measureOperations, type StoreFigures } from './measure-operations.js';

/** Loads the market records of one quarter. Measures the load time, the disk usage and the latency of each operation. */
export const store: Section = {
  name: 'store',
  about: 'all ten operations on a store of many participants',
  async run({ participants, requests }, print, resources) {
    const size: StoreSize = { participants, weeks: 13, from: parseMarketDate('2026-03-01') };
    const figures = await measureOperations(size, requests, print, resources);
    const report = [
      `${participants} participants, 13 weeks, WEM and NSTEM with three adjustments, STEM; loaded as JSON lines through the operator API, at most ${formatInteger(MAX_BODY_BYTES / 1024 / 1024)} MiB`,
      'per body. Then each operation for random records, 50 in flight over TLS from up to 50 participants (goal: p99 below 50 ms).',
      '',
      renderFencedTable(...buildTable(figures)),
      '',
    ].join('\n');
    return { figures, report };
  },
};

function buildTable({
  records,
  jsonBytes,
  loadSeconds,
  diskBytes,
  whileLoading,
  memory,
  operations,
}: StoreFigures): [string[], string[][]] {
  const mebibytes = (bytes: number): string => `${formatInteger(bytes / 1024 / 1024)} MiB`;
  return [
    ['operation', 'p50', 'p99', 'rate'],
    [
      ...operations.map(({ operation, p50, p99, perSecond }) => [
        operation,
        formatMs(p50),
        formatMs(p99),
        formatRate(perSecond),
      ]),
      [
        '6  while a body is loaded',
        formatMs(whileLoading.p50),
        formatMs(whileLoading.p99),
        formatRate(whileLoading.perSecond),
      ],
      ['records', formatInteger(records), mebibytes(jsonBytes), 'of JSON'],
      ['loading', `${formatInteger(loadSeconds)} s`, formatRate(records / loadSeconds), ''],
      ['on disk', mebibytes(diskBytes), '', ''],
      ['resident, highest', `${memory.resident} MiB`, `${memory.highest} MiB`, ''],
    ],
  ];
}
