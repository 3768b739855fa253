import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing';
import type { ResourceStack } from '@ssb/tools';
import type { Browser } from 'playwright-core';
import { launchChromium, Window } from '../../console/browser.js';
import { RunningSystem } from '../../harness/running-system.js';
import { createFilledArchive } from '../archive/filled-archive.js';
import { startApi, VISIBLE_PARTICIPANTS } from '../archive/measured-api.js';
import { buildRow, formatInteger, formatMs, median, percentile, renderFencedTable } from '../figures.js';
import { reduced, type Section } from '../section.js';
import { serveOpenItems } from './open-items-server.js';
import { measureScrolling } from './scrolling.js';

/** More than the list keeps. */
const EVENTS = 60_000;
const MARGIN_BREACHED = '"type":"settlementbus.margin.breached.v1"';

const BYTES_GOAL = 250_000;
const FIRST_VIEW_GOAL_MS = 1_000;
const FRAME_GOAL_MS = 33;
const FRAMES_GOAL = 0.95;

/** What a person waits for in front of the console. */
export const consoleSection: Section = {
  name: 'console',
  about:
    'size and first view of the console, scrolling over its list of events, and a breach from detection to the eye',
  async run(options, print, resources) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-console-'));
    await resources.defer(() => rmSync(folder, { recursive: true }));
    const archive = await createFilledArchive(reduced(EVENTS, options), folder, print, resources);
    const POLLER_URLS = await serveOpenItems(VISIBLE_PARTICIPANTS, resources);
    const api = await startApi(folder, archive.apiUrl, { POLLER_URLS });
    await resources.defer(() => api.process.stop());
    const browser = await launchChromium();
    await resources.defer(() => browser.close());
    const views: FirstView[] = [];
    for (let run = 1; run <= options.runs * 3; run += 1)
      views.push(await measureFirstView(browser, api.url, api.limitedToken));
    print(`first view: ${formatMs(median(views.map(({ ms }) => ms)))}`);
    const scrolling = await measureScrolling(browser, api.url, api.token, print);
    await api.process.stop();
    const breaches = await measureBreaches(browser, options.runs * 10, print, resources);
    const bytes = Math.max(...views.map((view) => view.bytes));
    const firstViews = views.map(({ ms }) => ms);
    const within = scrolling.frames.filter((ms) => ms < FRAME_GOAL_MS).length / scrolling.frames.length;
    const report = [
      'The first view is the overview of three participants with an empty cache, until all of it is read.',
      `Scrolling: ${formatInteger(scrolling.rows)} rows, 400 pixels in each of ${formatInteger(scrolling.frames.length)} frames, up and down.`,
      `A breach: ${breaches.length} of them, each after the margin was restored.`,
      '',
      renderFencedTable(
        ['what', 'median', 'runs', 'goal'],
        [
          [
            'files of the first view, compressed',
            `${formatInteger(bytes)} bytes`,
            '',
            judge(bytes <= BYTES_GOAL, `≤ ${formatInteger(BYTES_GOAL)} bytes`),
          ],
          [
            ...buildRow('first view', firstViews, formatMs),
            judge(median(firstViews) < FIRST_VIEW_GOAL_MS, `< ${formatMs(FIRST_VIEW_GOAL_MS)}`),
          ],
          [
            `frames below ${FRAME_GOAL_MS} ms`,
            formatPercent(within),
            '',
            judge(within >= FRAMES_GOAL, `≥ ${formatPercent(FRAMES_GOAL)}`),
          ],
          ['frame while scrolling, p95', formatMs(percentile(scrolling.frames, 0.95)), '', ''],
          [...buildRow('breach, from detectedat to the page', breaches, formatMs), ''],
        ],
      ),
    ].join('\n');
    return { figures: { views, scrolling: { rows: scrolling.rows, within }, breaches }, report };
  },
};

const judge = (isMet: boolean, goal: string): string => `${goal}, ${isMet ? 'met' : 'MISSED'}`;

const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;

interface FirstView {
  readonly ms: number;
  /** Of scripts, styles and the page itself, as they were sent. */
  readonly bytes: number;
}

/** With an empty cache. */
async function measureFirstView(browser: Browser, origin: string, token: string): Promise<FirstView> {
  const window = await Window.open(browser, origin);
  try {
    await window.signIn(token);
    const sizes: Promise<number>[] = [];
    window.page.on('requestfinished', (request) => {
      if (!new URL(request.url()).pathname.startsWith('/v1/'))
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    const started = performance.now();
    await window.open('/');
    const ms = performance.now() - started;
    return { ms, bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
  } finally {
    await window.close();
  }
}

/** The market of a whole system changes the margin. @returns milliseconds from `detectedat` until the page has the figure */
async function measureBreaches(
  browser: Browser,
  samples: number,
  print: (text: string) => void,
  resources: ResourceStack,
): Promise<readonly number[]> {
  print('starting a whole system …');
  const running = await RunningSystem.start();
  await resources.defer(() => running.stop());
  const { ports, secrets } = running.system.plan;
  const window = await Window.open(browser, `http://127.0.0.1:${ports.api}`);
  await window.signIn(readFileSync(secrets.apiAccess.tokenFile, 'utf8').trim());
  await window.open('/');
  const times: number[] = [];
  for (let sample = 1; sample <= samples; sample += 1) {
    const before = running.receiver.deliveries.length;
    // Each figure is shown for the first time.
    await showMargin(running, window, -1_000 * sample);
    const seenAt = Date.now();
    const { body } = await waitFor('the delivery', () =>
      running.receiver.deliveries.slice(before).find((delivery) => delivery.body.includes(MARGIN_BREACHED)),
    );
    const { detectedat } = JSON.parse(body) as { readonly detectedat: string };
    times.push(seenAt - Date.parse(detectedat));
    await showMargin(running, window, 900_000 + 1_000 * sample);
  }
  print(`breach: ${formatMs(median(times))}`);
  return times;
}

async function showMargin(running: RunningSystem, { page }: Window, margin: number): Promise<void> {
  await running.market.publishMargin(margin.toFixed(2));
  await page.getByText(formatShown(margin)).first().waitFor();
}

/** As the console shows an amount. */
const formatShown = (margin: number): string =>
  margin.toLocaleString('en-AU', { minimumFractionDigits: 2 }).replace('-', '\u2212');
