import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { standardError, standardOutput } from '@ssb/platform';
import {
  createCommand,
  describeMissing,
  ensurePrograms,
  onInterrupt,
  PNGQUANT,
  REPOSITORY_ROOT,
  ResourceStack,
} from '@ssb/tools';
import type { Browser } from 'playwright-core';
import { launchChromium, Window, type WindowOptions } from './console/browser.js';
import { RunningSystem } from './harness/running-system.js';
import { SinkReceivers } from './harness/sink-receivers.js';
import { addPerson, handleBreach } from './pictures/acknowledged-breach.js';
import { nameSinks, writeScenario } from './pictures/week-of-a-participant.js';

/** Pictures belong to every clone of the repository. */
const MAX_BYTES = 150_000;

/** Where the reader and the market have the same time. */
const MARKET_ZONE = 'Australia/Perth';

interface Picture extends WindowOptions {
  readonly name: string;
  readonly path: string;
}

/** @param problem the id of the breach */
const listPictures = (problem: string): readonly Picture[] => [
  { name: 'overview', path: '/?range=7d', width: 1280, height: 860, colorScheme: 'light' },
  { name: 'problem', path: `/problems/${problem}`, width: 1280, height: 1250, colorScheme: 'light' },
  { name: 'calendar', path: '/calendar', width: 1280, height: 860, colorScheme: 'dark' },
  { name: 'phone', path: '/?range=7d', width: 360, height: 800, colorScheme: 'dark' },
];

/** `npm run pictures` makes the pictures of the console for the docs. */
const { folder } = createCommand('npm run pictures --')
  .description(
    'Starts a whole system, plays a week of a participant with a breach, and takes pictures of its console. Takes three minutes.',
  )
  .option('--folder <folder>', 'where the PNG files are written', join(REPOSITORY_ROOT, 'docs/images'))
  .addHelpText('after', '\nExample:\n  npm run pictures -- --folder /tmp/pictures')
  .parse()
  .opts<{ folder: string }>();

const print = (text: string): void => standardError.write(`  pictures: ${text}\n`);
const resources = new ResourceStack();
onInterrupt(() => resources.release(), 130);
try {
  await takePictures(resolve(folder));
} catch (error) {
  standardError.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await resources.release();
}

async function takePictures(target: string): Promise<void> {
  const missing = ensurePrograms([PNGQUANT], { searchPath: process.env['PATH'] ?? '' });
  if (missing.length > 0) throw new Error(describeMissing(missing));
  const browser = await launchChromium();
  await resources.defer(() => browser.close());
  const files = mkdtempSync(join(tmpdir(), 'pictures-'));
  await resources.defer(() => rmSync(files, { recursive: true }));
  const receivers = await SinkReceivers.start(files, () => []);
  await resources.defer(() => receivers.stop());
  print('starting a whole system …');
  const running = await RunningSystem.start(
    { api: { TLS_RELOAD_INTERVAL_MS: '1000' } },
    {
      scenario: writeScenario(files),
      editConfig: (shipped) => nameSinks(shipped, receivers, files),
    },
  );
  await resources.defer(() => running.stop());
  const token = await addPerson(running.system);
  const problem = await handleBreach(running.system, token, print);
  mkdirSync(target, { recursive: true });
  const origin = `http://127.0.0.1:${running.system.plan.ports.api}`;
  for (const picture of listPictures(problem)) await takePicture(browser, origin, token, picture, target);
}

async function takePicture(
  browser: Browser,
  origin: string,
  token: string,
  { name, path, ...options }: Picture,
  target: string,
): Promise<void> {
  const window = await Window.open(browser, origin, { ...options, timezoneId: MARKET_ZONE });
  try {
    await window.signIn(token);
    await window.open(path);
    await window.page.getByRole('status').filter({ hasText: /live$/ }).first().waitFor();
    const file = join(target, `console-${name}.png`);
    await window.page.screenshot({ path: file });
    execFileSync('pngquant', ['--force', '--strip', '--speed', '1', '--output', file, file]);
    const { size } = statSync(file);
    if (size > MAX_BYTES)
      throw new Error(
        `${file} has ${size} bytes; at most ${MAX_BYTES} are allowed. Make its window smaller.`,
      );
    standardOutput.write(`${file}\n`);
  } finally {
    await window.close();
  }
}
