import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { runOrFail } from './deploy-check.js';

/**
 * Runs one project of jest.config.mjs.
 * @returns the line of the summary
 */
export async function runTests(
  project: string,
  workers: number,
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const jest = join(REPOSITORY_ROOT, 'node_modules/jest/bin/jest.js');
  const args = [jest, '--selectProjects', project, `--maxWorkers=${workers}`];
  const output = await runOrFail(process.execPath, args, { environment });
  return /^Tests: +(.*)$/m.exec(output)?.[1] ?? 'passed';
}
