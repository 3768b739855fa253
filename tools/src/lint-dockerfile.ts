import { runCommand } from './check/run-command.js';
import { ToolCache } from './deploy/tools/tool-cache.js';
import { HADOLINT } from './deploy/tools/tools.js';

/** Runs hadolint on the Dockerfile. Every finding is an error, also one of style. */
const cache = new ToolCache((text) => process.stdout.write(`${text}\n`));
const { ok, output } = await runCommand(await cache.provide(HADOLINT), [
  '--failure-threshold',
  'style',
  'Dockerfile',
]);
process.stdout.write(output);
process.exitCode = ok ? 0 : 1;
