import { standardOutput } from '@ssb/platform';
import { simulateMarket } from './dashboard-pictures/simulated-system.js';
import { drawPictures } from './dashboard-pictures/draw-pictures.js';
import { onInterrupt } from './lifecycle/on-interrupt.js';
import { ResourceStack } from './lifecycle/resource-stack.js';
import { describeMissing, ensurePrograms } from './programs/ensure-programs.js';
import { CHROMIUM, PROMETHEUS } from './programs/required-programs.js';
import { createCommand } from './report/create-command.js';

/** `npm run dashboards` draws the pictures of `docs/operate/dashboards.md` from a simulated market. */
const options = createCommand('npm run dashboards --')
  .description('Draws docs/images/dashboard-*.png from a simulated market. It needs Prometheus and Chromium.')
  .option('--minutes <number>', 'how long the market runs, and how much the pictures show', '8')
  .option('--prometheus <url>', 'draw from a Prometheus that runs already, and start nothing')
  .parse()
  .opts<{ minutes: string; prometheus?: string }>();

const INTERRUPTED_STATUS = 130;
const searchPath = process.env['PATH'] ?? '';
const print = (text: string): void => standardOutput.write(text);
const resources = new ResourceStack();
onInterrupt(() => resources.release(), INTERRUPTED_STATUS);
try {
  const missing = ensurePrograms([PROMETHEUS, CHROMIUM], {
    searchPath,
    onProgress: (what) => print(`${what}\n`),
  });
  if (missing.length > 0) throw new Error(describeMissing(missing));
  const minutes = Number(options.minutes);
  const prometheus = PROMETHEUS.find(searchPath) as string;
  const url =
    options.prometheus ?? (await simulateMarket({ prometheus, searchPath, minutes, print }, resources));
  await drawPictures({ url, minutes, chromium: CHROMIUM.find(searchPath) as string, print });
} catch (error) {
  print(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await resources.release();
}
