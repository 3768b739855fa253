import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing';
import type { Browser } from 'playwright-core';
import { launchChromium, Window } from '../../console/browser.js';
import { RunningSystem } from '../../harness/running-system.js';
import { createFilledArchive } from '../archive/filled-archive.js';
import { startApi } from '../archive/measured-api.js';
import { buildRow, formatInteger, formatMs, median, percentile, renderFencedTable } from '../figures.js';
import { reduced, type Section } from '../section.js';
import { measureScrolling } from './scrolling.js';

/** More than the 10,000 that the list keeps, with calculations. */
const EVENTS = 60_000;
const MARGIN_CHANGE = '"type":"settlementbus.margin.';

const BYTES_GOAL = 250_000;
const FIRST_VIEW_GOAL_MS = 1_000;
const FRAME_GOAL_MS = 33;

/** What a person waits for in front of the console. */
export const consoleSection: Section = {
  name: 'console',
  about:
    'size and first view of the console, scrolling over 10,000 events, and a breach from detection to the eye',
  async run(options, print, resources) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-console-'));
    await resources.defer(() => rmSync(folder, { recursive: true }));
    const archive = await createFilledArchive(reduced(EVENTS, options), folder, print, resources);
    const api = await startApi(folder, archive.apiUrl);
    await resources.defer(() => api.process.stop());
    const browser = await launchChromium();
    await resources.defer(() => browser.close());
    const views: FirstView[] = [];
    for (let run = 1; run <= options.runs * 3; run += 1)
      views.push(await measureFirstView(browser, api.url, api.limitedToken));
    print(`first view: ${formatMs(median(views.map(({ ms }) => ms)))}`);
    const scrolling = await measureScrolling(browser, api.url, api.token, print);
    await api.process.stop();
    const breaches = await measureBreaches(browser, options.runs * 10, print);
    const bytes = Math.max(...views.map((view) => view.bytes));
    const within = scrolling.frames.filter((ms) => ms < FRAME_GOAL_MS).length / scrolling.frames.length;
    const report = [
      `First view: the overview of three participants with an empty cache, until all of it is read. Its files are ${formatInteger(bytes)} bytes, compressed; the goal is at most ${formatInteger(BYTES_GOAL)}. Scrolling: ${formatInteger(scrolling.rows)} rows, ${formatInteger(scrolling.frames.length)} frames, ${(within * 100).toFixed(1)} % of them below ${FRAME_GOAL_MS} ms; the goal is 95 %.`,
      '',
      renderFencedTable(
        ['what', 'median', 'runs'],
        [
          buildRow(
            `first view (goal: below ${formatMs(FIRST_VIEW_GOAL_MS)})`,
            views.map(({ ms }) => ms),
            formatMs,
          ),
          ['frame while scrolling, p95', formatMs(percentile(scrolling.frames, 0.95)), ''],
          buildRow('breach, from detection to the page', breaches, formatMs),
        ],
      ),
    ].join('\n');
    return { figures: { views, scrolling: { rows: scrolling.rows, within }, breaches }, report };
  },
};

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
    let bytes = 0;
    window.page.on('requestfinished', (request) => {
      if (!new URL(request.url()).pathname.startsWith('/v1/'))
        void request.sizes().then(({ responseBodySize }) => (bytes += responseBodySize));
    });
    const started = performance.now();
    await window.open('/');
    return { ms: performance.now() - started, bytes };
  } finally {
    await window.close();
  }
}

/** Each breach is made by the market of a whole system. @returns milliseconds from `detectedat` until the page has its figure */
async function measureBreaches(
  browser: Browser,
  samples: number,
  print: (text: string) => void,
): Promise<readonly number[]> {
  print('starting a whole system …');
  const running = await RunningSystem.start();
  try {
    const { ports, secrets } = running.system.plan;
    const window = await Window.open(browser, `http://127.0.0.1:${ports.api}`);
    await window.signIn(readFileSync(secrets.apiAccess.tokenFile, 'utf8').trim());
    await window.open('/');
    const times: number[] = [];
    for (let sample = 1; sample <= samples; sample += 1) {
      const before = running.receiver.deliveries.length;
      const [margin, shown] =
        sample % 2 === 1
          ? [`-${sample}000.00`, `\u2212${sample},000.00`]
          : [`90${sample}000.00`, `90${sample},000.00`];
      await running.market.publishMargin(margin);
      await window.page.getByText(shown, { exact: false }).first().waitFor();
      const seenAt = Date.now();
      const { body } = await waitFor('the delivery', () =>
        running.receiver.deliveries.slice(before).find((delivery) => delivery.body.includes(MARGIN_CHANGE)),
      );
      const { detectedat } = JSON.parse(body) as { readonly detectedat: string };
      times.push(seenAt - Date.parse(detectedat));
    }
    print(`breach: ${formatMs(median(times))}`);
    return times;
  } finally {
    await running.stop();
  }
}
