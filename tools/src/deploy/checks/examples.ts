import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianProgram, TEST_PROGRAMS } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { type DeployCheck, requireProgram } from '../deploy-check.js';
import { runTests } from '../run-tests.js';
import { providePythonPackages } from '../tools/python-packages.js';
import type { InstalledExample } from '../examples/installed-example.js';
import { installTypeScriptExamples } from '../examples/typescript-examples.js';
import { installKit, pythonPath } from './python.js';

/** The example for curl needs the last two. */
const PROGRAMS = [...TEST_PROGRAMS, debianProgram('jq'), debianProgram('openssl')];

export const EXAMPLES: DeployCheck = {
  name: 'examples',
  description:
    'services and webhook receivers of examples, with the built kits, at a running bus; curl with OpenSSL; evidence of each event type of a running system',
  run: async () => {
    for (const program of PROGRAMS) requireProgram(program);
    const folder = mkdtempSync(join(tmpdir(), 'examples-'));
    try {
      const installed = [...(await installPythonExamples(folder)), ...(await installTypeScriptExamples())];
      const result = await runTests('examples', 1, { EXAMPLES: JSON.stringify(installed) });
      return `${installed.map(({ name }) => name).join(', ')}: ${result}`;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Installs the kit and its packages into an empty folder, offline. */
async function installPythonExamples(folder: string): Promise<readonly InstalledExample[]> {
  const packages = await providePythonPackages();
  await installKit(packages, folder, ['fastapi', 'uvicorn']);
  const example = (name: string, kind: InstalledExample['kind'], file: string): InstalledExample => ({
    name,
    kind,
    command: [packages.python, '-S', join(REPOSITORY_ROOT, 'examples/python', file)],
    environment: pythonPath(folder),
  });
  return [
    example('python-service', 'service', 'service.py'),
    example('python-webhook-receiver', 'webhook', 'webhook_receiver.py'),
    example('python-verify-evidence', 'evidence', 'verify_evidence.py'),
  ];
}
