import { standardOutput } from '@ssb/platform';
import { InvalidArgumentError } from 'commander';
import { endRunningCommands } from './check/run-command.js';
import { formatOutcome, formatSummary } from './check/test-summary.js';
import { CheckFailure, type DeployCheck } from './deploy/deploy-check.js';
import { DEPLOY_CHECKS } from './deploy/deploy-checks.js';
import { onInterrupt } from './lifecycle/on-interrupt.js';
import { createCommand } from './report/create-command.js';

/** `npm run check:deploy` checks what starts and deploys the apps: npm start, chart, Compose file, monitoring, images, packages. */
const { only, list } = createCommand('npm run check:deploy --')
  .description(
    'Checks npm start and the demo, the Helm chart, the Compose file, the configuration of monitoring, the images and the production packages. Tools are built once, by Go.',
  )
  .option('--only <name>', 'run this check; may be repeated', collectNames, [])
  .option('--list', 'print the checks and end', false)
  .addHelpText(
    'after',
    '\nExamples:\n  npm run check:deploy\n  npm run check:deploy -- --only manifests --only helm-unittest\n  npm run check:deploy -- --list',
  )
  .parse()
  .opts<{ only: string[]; list: boolean }>();

const MAX_PARALLEL = 2;

onInterrupt(async () => endRunningCommands('SIGTERM'), 1);

if (list) {
  for (const { name, description } of DEPLOY_CHECKS) print(`${name.padEnd(16)} ${description}`);
} else {
  const waiting = DEPLOY_CHECKS.filter(({ name }) => only.length === 0 || only.includes(name));
  const started = Date.now();
  const summary = { passed: 0, failed: 0 };
  const runNext = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift())
      summary[(await runCheck(check)) ? 'passed' : 'failed'] += 1;
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, runNext));
  print(`── all checks took ${Math.round((Date.now() - started) / 1_000)} s`);
  print(`\n${formatSummary(summary)}`);
  process.exitCode = summary.failed === 0 ? 0 : 1;
}

/** Prints the findings and the outcome of a check as one piece. */
async function runCheck({ name, run }: DeployCheck): Promise<boolean> {
  const started = Date.now();
  try {
    const checked = await run();
    print(`${formatOutcome(name, true, started)} (${checked.trim()})`);
    return true;
  } catch (error) {
    const { message, stack = message } = error as Error;
    const findings = error instanceof CheckFailure ? message : stack;
    print(`${findings.trimEnd()}\n${formatOutcome(name, false, started)}`);
    return false;
  }
}

function collectNames(name: string, previous: readonly string[]): string[] {
  const names = DEPLOY_CHECKS.map((check) => check.name);
  if (!names.includes(name)) throw new InvalidArgumentError(`Allowed: ${names.join(', ')}.`);
  return [...previous, name];
}

function print(text: string): void {
  standardOutput.write(`${text}\n`);
}
