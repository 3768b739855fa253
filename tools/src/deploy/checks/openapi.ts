import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import { TEST_PROGRAMS } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CheckFailure, type DeployCheck, requireProgram, runAll, runOrFail } from '../deploy-check.js';
import { runTests } from '../run-tests.js';
import { provideSchemathesis } from '../tools/python-packages.js';
import { provideTool } from '../tools/tool-cache.js';
import { SPECTRAL } from '../tools/tools.js';
import { pythonPath } from './python.js';

const DOCUMENT = join(REPOSITORY_ROOT, 'apps/api/openapi.json');

export const OPENAPI: DeployCheck = {
  name: 'openapi',
  description:
    'openapi.json of the archive API: the linters Spectral and Redocly, and Schemathesis against a running system',
  run: async () => {
    for (const program of TEST_PROGRAMS) requireProgram(program);
    await runAll([lintWithSpectral, lintWithRedocly], (step) => step());
    return `Spectral, Redocly; Schemathesis: ${await fuzz()}`;
  },
};

/** A warning is a finding as well. */
async function lintWithSpectral(): Promise<void> {
  const ruleset = join(REPOSITORY_ROOT, 'tools/npm/spectral/ruleset.yaml');
  const args = ['lint', '--quiet', '--fail-severity', 'hint', '--ruleset', ruleset, DOCUMENT];
  await runOrFail(await provideTool(SPECTRAL), args, { timeoutMs: 60_000 });
}

async function lintWithRedocly(): Promise<void> {
  // The owner decides the license.
  const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } });
  const problems = await lint({ ref: DOCUMENT, config });
  const findings = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
  );
  if (findings.length > 0) throw new CheckFailure(findings.join('\n'));
}

/** @returns the line of the summary */
async function fuzz(): Promise<string> {
  const { python, folder } = await provideSchemathesis();
  const fuzzer = { command: [python, '-S', join(folder, 'bin', 'st')], environment: pythonPath(folder) };
  return runTests('openapi', 1, { FUZZER: JSON.stringify(fuzzer) });
}
