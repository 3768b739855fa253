import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { provideKit } from '../downstream/install-kit.js';
import type { InstalledExample } from './installed-example.js';

/** Writes the examples beside the installed kit, and links Express to it. */
export async function installTypeScriptExamples(): Promise<readonly InstalledExample[]> {
  const { folder } = await provideKit();
  symlinkSync(join(REPOSITORY_ROOT, 'node_modules/express'), join(folder, 'node_modules/express'));
  return [
    await example('typescript-service', 'service', 'service.ts', folder),
    await example('express-webhook-receiver', 'webhook', 'webhook-receiver.ts', folder),
    await example('typescript-verify-evidence', 'evidence', 'verify-evidence.ts', folder),
  ];
}

/** Without types, which `npm run typecheck` has checked. */
async function example(
  name: string,
  kind: InstalledExample['kind'],
  file: string,
  folder: string,
): Promise<InstalledExample> {
  const source = readFileSync(join(REPOSITORY_ROOT, 'examples/typescript', file), 'utf8');
  const { code } = await esbuild.transform(source, { loader: 'ts', target: 'node20' });
  const program = join(folder, file.replace('.ts', '.mjs'));
  writeFileSync(program, code);
  return { name, kind, command: [process.execPath, program], environment: {} };
}
