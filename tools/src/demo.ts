import { standardError, standardOutput, TextOutput } from '@ssb/platform';
import { InvalidArgumentError } from 'commander';
import { type DemoResult, renderDemoResult } from './demo/demo-result.js';
import { runDemo } from './demo/run-demo.js';
import { onInterrupt } from './lifecycle/on-interrupt.js';
import { ResourceStack } from './lifecycle/resource-stack.js';
import { createCommand } from './report/create-command.js';

/** Exit status of an interrupted command, as shells define it. */
const INTERRUPTED_STATUS = 130;

/** `npm run demo` runs a short market through the whole pipeline, in a temporary folder and on free ports. */
const { json, timeout, scenario } = createCommand('npm run demo --')
  .description(
    'Simulates a short market and shows the events that arrived. Ends with status 0 if all expected events did.',
  )
  .option('--json', 'print one JSON document and nothing else', false)
  .option('--timeout <seconds>', 'how long to wait for the last event', parseSeconds, 60)
  .option(
    '--scenario <name or file>',
    'what is simulated; its list "expect" names the events that must arrive',
    'demo',
  )
  .parse()
  .opts<{ json: boolean; timeout: number; scenario: string }>();

const output = json ? new TextOutput(() => ({ write: () => undefined })) : standardOutput;
const print = (text: string): void => output.write(text);
const resources = new ResourceStack();
const running = runDemo(
  {
    scenario,
    timeoutSeconds: timeout,
    searchPath: process.env['PATH'] ?? '',
    print,
    printer: output,
  },
  resources,
);
let interrupted = false;
onInterrupt(async () => {
  interrupted = true;
  await resources.release();
  await Promise.allSettled([running]);
}, INTERRUPTED_STATUS);

try {
  let result: DemoResult;
  try {
    result = await running;
  } finally {
    await resources.release();
  }
  if (!interrupted) printResult(result);
} catch (error) {
  if (!interrupted) {
    standardError.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function printResult(result: DemoResult): void {
  if (json) standardOutput.writeJson(result);
  else standardOutput.write(`\n${renderDemoResult(result, timeout)}\n`);
  process.exitCode = result.ok ? 0 : 1;
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 3_600)) throw new InvalidArgumentError('a number of seconds up to 3600');
  return value;
}
