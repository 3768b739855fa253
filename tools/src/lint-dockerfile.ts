import { standardOutput } from '@ssb/platform';
import { runCommand } from './check/run-command.js';
import { ToolCache } from './deploy/tools/tool-cache.js';
import { HADOLINT } from './deploy/tools/tools.js';

/** Runs hadolint on the Dockerfile. Every finding is an error, also one of style. */
const cache = new ToolCache((text) => standardOutput.write(`${text}\n`));
const { ok, output } = await runCommand(await cache.provide(HADOLINT), [
  '--failure-threshold',
  'style',
  'Dockerfile',
]);
standardOutput.write(output);
process.exitCode = ok ? 0 : 1;
