import { standardOutput } from '@ssb/platform';
import { InvalidArgumentError } from 'commander';
import { endRunningCommands } from './check/run-command.js';
import { formatSummary } from './check/test-summary.js';
import { DEPLOY_CHECKS } from './deploy/deploy-checks.js';
import { describeDuration, runDeployChecks } from './deploy/run-deploy-checks.js';
import { ToolCache } from './deploy/tools/tool-cache.js';
import { onInterrupt } from './lifecycle/on-interrupt.js';
import { createCommand } from './report/create-command.js';

/** `npm run check:deploy` checks what deploys the apps: chart, Compose file, monitoring, images. */
const { only, list } = createCommand('npm run check:deploy --')
  .description(
    'Checks the Helm chart, the Compose file, the configuration of monitoring and the images. Tools are built once, by Go.',
  )
  .option('--only <name>', 'run this check; may be repeated', collectNames, [])
  .option('--list', 'print the checks and end', false)
  .addHelpText(
    'after',
    '\nExamples:\n  npm run check:deploy\n  npm run check:deploy -- --only kubeconform --only pod-security\n  npm run check:deploy -- --list',
  )
  .parse()
  .opts<{ only: string[]; list: boolean }>();

onInterrupt(async () => endRunningCommands('SIGTERM'), 1);

if (list) {
  for (const { name, description } of DEPLOY_CHECKS) print(`${name.padEnd(16)} ${description}`);
} else {
  const selected = DEPLOY_CHECKS.filter(({ name }) => only.length === 0 || only.includes(name));
  const started = Date.now();
  const tools = new ToolCache(print);
  const summary = await runDeployChecks(selected, { searchPath: process.env['PATH'] ?? '', print, tools });
  print(`── duration: ${describeDuration(Date.now() - started, tools.hasBuilt)}`);
  print(`\n${formatSummary(summary)}`);
  process.exitCode = summary.failed === 0 ? 0 : 1;
}

function collectNames(name: string, previous: readonly string[]): string[] {
  const names = DEPLOY_CHECKS.map((check) => check.name);
  if (!names.includes(name)) throw new InvalidArgumentError(`Allowed: ${names.join(', ')}.`);
  return [...previous, name];
}

function print(text: string): void {
  standardOutput.write(`${text}\n`);
}
