import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DASHBOARDS, DASHBOARDS_FOLDER } from '../docs/dashboards/all-dashboards.js';
import type { Panel, Target } from '../docs/dashboards/panels.js';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { drawStat, drawStateTimeline, drawTable } from './draw-panels.js';
import { drawTimeSeries, type NamedSeries } from './draw-timeseries.js';
import { escapeHtml } from './format-value.js';
import { STYLE } from './page-style.js';
import { formatLegend, PrometheusClient } from './prometheus-client.js';

export interface DrawOptions {
  /** Of Prometheus. */
  readonly url: string;
  /** How much time the pictures show. */
  readonly minutes: number;
  readonly chromium: string;
  readonly print: (text: string) => void;
}

interface Dashboard {
  readonly title: string;
  readonly description: string;
  readonly panels: readonly (Panel & { readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>> })[];
}

const WIDTH = 1600;
const HEADER_HEIGHT = 76;
const MARGIN = 12;
/** Of a grid unit and between panels, as in Grafana. */
const [UNIT_HEIGHT, GAP] = [34, 8];
const POINTS = 120;
/** Keeps the files below 300 kB. */
const SCALE = 0.75;
const CHROMIUM_TIMEOUT_MS = 120_000;

/** Draws `docs/images/dashboard-<name>.png` of each dashboard from its JSON and a Prometheus. */
export async function drawPictures({ url, minutes, chromium, print }: DrawOptions): Promise<void> {
  const to = Math.floor(Date.now() / 1000);
  const seconds = minutes * 60;
  const client = new PrometheusClient(url, {
    from: to - seconds,
    to,
    step: Math.max(2, Math.round(seconds / POINTS)),
  });
  const images = join(REPOSITORY_ROOT, 'docs/images');
  mkdirSync(images, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-pictures-'));
  try {
    for (const name of Object.keys(DASHBOARDS)) {
      const file = join(REPOSITORY_ROOT, DASHBOARDS_FOLDER, `${name}.json`);
      const dashboard = JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
      const page = join(folder, `${name}.html`);
      writeFileSync(page, await drawPage(dashboard, client));
      const picture = join(images, `dashboard-${name}.png`);
      const size = `--window-size=${WIDTH},${measureHeight(dashboard)}`;
      const flags = [
        '--headless',
        '--no-sandbox',
        '--disable-dev-shm-usage',
        '--disable-gpu',
        '--hide-scrollbars',
        `--force-device-scale-factor=${SCALE}`,
      ];
      execFileSync(
        chromium,
        [
          ...flags,
          `--user-data-dir=${join(folder, 'profile')}`,
          size,
          `--screenshot=${picture}`,
          `file://${page}`,
        ],
        {
          stdio: 'ignore',
          timeout: CHROMIUM_TIMEOUT_MS,
        },
      );
      print(`docs/images/dashboard-${name}.png written\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function drawPage(dashboard: Dashboard, client: PrometheusClient): Promise<string> {
  const panels: string[] = [];
  for (const panel of dashboard.panels) panels.push(await drawPanel(panel, client));
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>
<header><h1>${escapeHtml(dashboard.title)}</h1><p>${escapeHtml(dashboard.description)}</p>
<aside>Simulated market. Drawn from the JSON and its queries by this project, not by Grafana.</aside></header>
${panels.join('\n')}`;
}

async function drawPanel(panel: Dashboard['panels'][number], client: PrometheusClient): Promise<string> {
  const place = toPixels(panel.gridPos);
  const style = `left:${place.left}px;top:${place.top}px;width:${place.width}px;height:${place.height}px`;
  if (panel.type === 'row') return `<h2 style="${style}">${escapeHtml(panel.title)}</h2>`;
  const results = await Promise.all((panel.targets ?? []).map((target) => runQuery(target, client)));
  const series = results.flat();
  const box = { width: place.width - 16, height: place.height - 36 };
  const draw = {
    stat: () => drawStat(panel, series),
    timeseries: () => drawTimeSeries(panel, series, client.range, box),
    'state-timeline': () => drawStateTimeline(panel, series, client.range),
    table: () => drawTable(panel, results),
  }[panel.type];
  return `<section style="${style}"><h3>${escapeHtml(panel.title)}</h3>${draw()}</section>`;
}

async function runQuery(
  { expr, instant, legendFormat }: Target,
  client: PrometheusClient,
): Promise<NamedSeries[]> {
  const series = await client.query(expr, instant);
  return series.map((each) => ({ ...each, name: formatLegend(legendFormat, each.labels) }));
}

function toPixels({ x, y, w, h }: Dashboard['panels'][number]['gridPos']) {
  const column = (WIDTH - 2 * MARGIN + GAP) / 24;
  return {
    left: Math.round(MARGIN + x * column),
    top: HEADER_HEIGHT + y * UNIT_HEIGHT,
    width: Math.round(w * column) - GAP,
    height: h * UNIT_HEIGHT - GAP,
  };
}

function measureHeight({ panels }: Dashboard): number {
  return (
    HEADER_HEIGHT + Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * UNIT_HEIGHT + MARGIN
  );
}
