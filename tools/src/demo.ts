import { Command, InvalidArgumentError } from 'commander';
import { demoText, type DemoResult } from './demo/demo-result.js';
import { runDemo } from './demo/run-demo.js';
import { coloured, plain } from './report/event-lines.js';
import { ResourceStack } from './lifecycle/resource-stack.js';
import { whenInterrupted } from './lifecycle/on-interrupt.js';

/** Exit status of a command that Ctrl-C ended, by the custom of shells. */
const INTERRUPTED = 130;

/** `npm run demo`: a short market through the whole pipeline, on a throw-away folder and free ports. */
const { json, timeout, scenario } = new Command('npm run demo --')
  .description(
    'Simulates a short market for the whole system and shows what arrived. Ends with status 0 when all of it did.',
  )
  .option('--json', 'print one JSON document and nothing else', false)
  .option('--timeout <seconds>', 'how long to wait for the last event', seconds, 60)
  .option('--scenario <name or file>', 'what is simulated; its "expect" says what must arrive', 'demo')
  .parse()
  .opts<{ json: boolean; timeout: number; scenario: string }>();

const say = (text: string): void => void (json || process.stdout.write(text));
const resources = new ResourceStack();
const running = runDemo(
  {
    scenario,
    timeoutSeconds: timeout,
    searchPath: process.env['PATH'] ?? '',
    say,
    paint: process.stdout.isTTY ? coloured : plain,
  },
  resources,
);
let interrupted = false;
whenInterrupted(async () => {
  interrupted = true;
  await resources.release();
  await Promise.allSettled([running]);
}, INTERRUPTED);

try {
  const result = await resultOf(running);
  if (!interrupted) show(result);
} catch (error) {
  if (!interrupted) {
    process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function resultOf(demo: Promise<DemoResult>): Promise<DemoResult> {
  try {
    return await demo;
  } finally {
    await resources.release();
  }
}

function show(result: DemoResult): void {
  process.stdout.write(json ? `${JSON.stringify(result, null, 2)}\n` : `\n${demoText(result, timeout)}\n`);
  process.exitCode = result.ok ? 0 : 1;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 3_600)) throw new InvalidArgumentError('a number of seconds up to 3600');
  return value;
}
