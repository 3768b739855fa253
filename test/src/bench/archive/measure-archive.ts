import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { REPOSITORY_ROOT } from '@ssb/tools';
import { formatInteger, formatMs, percentile, renderFencedTable } from '../figures.js';
import { UnexpectedResponseError } from '../load.js';
import { readMemoryUsage } from '../process-usage.js';
import type { Section } from '../section.js';
import { ArrivingEvents } from './arriving-events.js';
import { createFilledArchive, SHARED_BUFFERS } from './filled-archive.js';
import { type MeasuredApi, startApi } from './measured-api.js';
import { createChoice, LISTINGS, type MeasuredListing } from './measured-listings.js';

const GOAL_MS = 50;
const EVENTS_PER_SECOND = 100;
const WARM_UP_REQUESTS = 5;
/** Between two requests. */
const PAUSE_MS = 15;

interface Measured {
  readonly listing: string;
  readonly filters: string;
  readonly p50: number;
  readonly p99: number;
  readonly highest: number;
}

/** Every listing of the archive API, while events are archived. */
export const archive: Section = {
  name: 'archive',
  about:
    'every listing of the archive API with --events archived events, while 100 a second are added; only with --only',
  onlyWhenNamed: true,
  async run({ events, requests }, print, resources) {
    const perListing = Math.min(requests, 200);
    const folder = mkdtempSync(join(tmpdir(), 'bench-archive-'));
    await resources.defer(() => rmSync(folder, { recursive: true }));
    const filled = await createFilledArchive(events, folder, print, resources);
    const api = await startApi(folder, filled.apiUrl);
    await resources.defer(() => api.process.stop());
    const example = readExample('position.calculated');
    const arriving = await ArrivingEvents.start(
      { url: filled.subscriberUrl, example, perSecond: EVENTS_PER_SECOND },
      resources,
    );
    for (const each of LISTINGS) await measureListing(api, each, WARM_UP_REQUESTS);
    const measured: Measured[] = [];
    for (const each of LISTINGS) {
      const latencies = await measureListing(api, each, perListing);
      const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
      measured.push({
        listing: each.listing,
        filters: each.filters,
        p50,
        p99,
        highest: Math.max(...latencies),
      });
      print(`${each.listing}, ${each.filters}: p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`);
    }
    const rate = await arriving.stop();
    const [memory] = readMemoryUsage([{ name: 'api', pid: api.process.pid }]);
    const missed = measured.filter(({ p99 }) => p99 >= GOAL_MS);
    const report = [
      `${formatInteger(events)} events of a year, ${(filled.bytes / 2 ** 30).toFixed(1)} GiB with all tables and indexes, PostgreSQL with a cache of ${SHARED_BUFFERS}.`,
      `Meanwhile ${rate.toFixed(0)} events a second were archived.`,
      `${perListing} requests of each line, ${PAUSE_MS} ms after one another,`,
      `for pages of 100 (2 participants in a page of positions). Resident memory of the API: ${memory?.resident ?? 0} MiB.`,
      `The goal is a p99 below ${GOAL_MS} ms: ${missed.length === 0 ? 'met by all' : `missed by ${missed.length} of ${measured.length}`}.`,
      '',
      renderFencedTable(
        ['listing', 'filters', 'p50', 'p99', 'goal'],
        measured.map(({ listing, filters, p50, p99 }) => [
          listing,
          filters,
          formatMs(p50),
          formatMs(p99),
          p99 < GOAL_MS ? 'met' : 'MISSED',
        ]),
      ),
    ].join('\n');
    return { figures: { measured, events, bytes: filled.bytes, rate, memory }, report };
  },
};

function readExample(type: string): Record<string, unknown> {
  const file = join(REPOSITORY_ROOT, `libs/events/examples/settlementbus.${type}.v1.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

/** @returns milliseconds from the start of each request to the last byte of its response */
async function measureListing(
  api: MeasuredApi,
  { path, isLimited, skippedPages = 0 }: MeasuredListing,
  requests: number,
): Promise<readonly number[]> {
  let state = 1;
  // The same values in every run.
  const choice = createChoice(() => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647, new Date());
  const token = isLimited ? api.limitedToken : api.token;
  const latencies: number[] = [];
  for (let request = 0; request < requests + WARM_UP_REQUESTS; request += 1) {
    const first = path(choice);
    let page: { readonly next?: string } = {};
    let ms = 0;
    for (
      let skipped = 0;
      skipped <= skippedPages && (skipped === 0 || page.next !== undefined);
      skipped += 1
    ) {
      const cursor = page.next === undefined ? '' : `&cursor=${encodeURIComponent(page.next)}`;
      const started = performance.now();
      const response = await fetch(`${api.url}${first}${cursor}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await response.text();
      ms = performance.now() - started;
      if (response.status !== 200) throw new UnexpectedResponseError(first, response.status, text);
      page = JSON.parse(text) as typeof page;
    }
    if (request >= WARM_UP_REQUESTS) latencies.push(ms);
    await pause(PAUSE_MS);
  }
  return latencies;
}
