import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { standardError, standardOutput } from '@ssb/platform';
import { createCommand, onInterrupt, REPOSITORY_ROOT, ResourceStack } from '@ssb/tools';
import type { Browser } from 'playwright-core';
import { launchChromium, Window, type WindowOptions } from './console/browser.js';
import { RunningSystem } from './harness/running-system.js';
import { SinkReceivers } from './harness/sink-receivers.js';
import { addPerson, handleBreach } from './pictures/acknowledged-breach.js';
import { nameSinks, writeScenario } from './pictures/week-of-a-participant.js';

/** Pictures belong to every clone of the repository. */
const MAX_BYTES = 150_000;

interface Picture extends WindowOptions {
  readonly name: string;
  readonly path: string;
}

/** @param problem the id of the breach */
const listPictures = (problem: string): readonly Picture[] => [
  { name: 'overview', path: '/', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'problem', path: `/problems/${problem}`, width: 1280, height: 800, colorScheme: 'light' },
  { name: 'calendar', path: '/calendar', width: 1280, height: 800, colorScheme: 'dark' },
  { name: 'phone', path: '/', width: 360, height: 800, colorScheme: 'dark' },
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
} finally {
  await resources.release();
}

async function takePictures(target: string): Promise<void> {
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
  const window = await Window.open(browser, origin, options);
  try {
    await window.signIn(token);
    await window.open(path);
    await window.page.getByRole('status').filter({ hasText: /live$/ }).waitFor();
    const file = join(target, `console-${name}.png`);
    await window.page.screenshot({ path: file });
    const { size } = statSync(file);
    if (size > MAX_BYTES)
      throw new Error(
        `${file} has ${size} bytes; at most ${MAX_BYTES} are allowed. Make the window smaller.`,
      );
    standardOutput.write(`${file}\n`);
  } finally {
    await window.close();
  }
}
