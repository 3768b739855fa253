import { parseMarketDate } from '@ssb/market';
import { fenced, milliseconds, whole } from '../figures.js';
import type { Section } from '../section.js';
import { LARGEST_BODY } from './bodies.js';
import type { StoreShape } from './market-store.js';
import { measureOperations, type StoreFigures } from './measure-operations.js';

/** The whole store of a market's quarter: how it is loaded, what it takes, and how fast each operation finds in it. */
export const store: Section = {
  name: 'store',
  about: 'all ten operations on a store of many participants',
  async run({ participants, requests }, say, stops) {
    const shape: StoreShape = { participants, weeks: 13, from: parseMarketDate('2026-03-01') };
    const figures = await measureOperations(shape, requests, say, stops);
    const report = [
      `${participants} participants, 13 weeks, WEM and NSTEM with three adjustments, STEM; loaded as JSON lines at the operator's door, ${whole(LARGEST_BODY / 1024 / 1024)} MiB`,
      'a body at most. Then each operation for random records of the whole store, 50 in flight over TLS from up to 50 participants (goal: p99 below 50 ms).',
      '',
      fenced(...reportOf(figures)),
      '',
    ].join('\n');
    return { figures, report };
  },
};

function reportOf({
  records,
  jsonBytes,
  loadSeconds,
  diskBytes,
  whileLoading,
  memory,
  operations,
}: StoreFigures): [string[], string[][]] {
  const mebibytes = (bytes: number): string => `${whole(bytes / 1024 / 1024)} MiB`;
  return [
    ['operation', 'p50', 'p99', 'rate'],
    [
      ...operations.map(({ operation, p50, p99, perSecond }) => [
        operation,
        milliseconds(p50),
        milliseconds(p99),
        `${whole(perSecond)}/s`,
      ]),
      [
        '6  while a body is loaded',
        milliseconds(whileLoading.p50),
        milliseconds(whileLoading.p99),
        `${whole(whileLoading.perSecond)}/s`,
      ],
      ['records', whole(records), mebibytes(jsonBytes), 'of JSON'],
      ['loading', `${whole(loadSeconds)} s`, `${whole(records / loadSeconds)}/s`, ''],
      ['on disk', mebibytes(diskBytes), '', ''],
      ['resident, highest', `${memory.resident} MiB`, `${memory.highest} MiB`, ''],
    ],
  ];
}
