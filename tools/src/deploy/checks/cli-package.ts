import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCliPackage } from '../../packages/cli-package.js';
import { CheckFailure, type DeployCheck, runAll, runOrFail } from '../deploy-check.js';
import { VECTORS_FOLDER } from '../downstream/kit-program.js';

const MAX_PACKED_BYTES = 2_000_000;

export const CLI_PACKAGE_CHECK: DeployCheck = {
  name: 'cli-package',
  description: 'the npm package of busbridge: installed offline, it runs commands without a clone',
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cli-package-'));
    try {
      const tarball = await buildCliPackage(folder);
      const { size } = statSync(tarball);
      if (size > MAX_PACKED_BYTES)
        throw new CheckFailure(`The packed file has ${size} bytes; ${MAX_PACKED_BYTES} are allowed.`);
      const installed = join(folder, 'installed');
      await install(tarball, installed);
      const commands = [
        { args: ['--help'], expected: 'Usage: busbridge' },
        { args: ['migrate', '--setup-sql', 'bridge'], expected: 'CREATE SCHEMA IF NOT EXISTS subscriber' },
        { args: ['completion', 'bash'], expected: 'complete ' },
        { args: ['verify', ...writeEvidence(installed)], expected: 'verified' },
      ];
      await runAll(commands, async ({ args, expected }) => {
        const output = await runOrFail(join(installed, 'node_modules/.bin/busbridge'), args, {
          cwd: installed,
        });
        if (!output.includes(expected))
          throw new CheckFailure(`busbridge ${args.join(' ')} printed:\n${output}`);
      });
      return `${Math.ceil(size / 1000)} kB packed, ${commands.length} commands`;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** In an empty folder, as `npm install <file>` on a machine without a network. */
async function install(tarball: string, folder: string): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const args = [
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--cache',
    join(folder, 'npm-cache'),
    tarball,
  ];
  await runOrFail('npm', args, { cwd: folder, timeoutMs: 120_000 });
}

/** The first of the published vectors, which is genuine. @returns the arguments of `busbridge verify` */
function writeEvidence(folder: string): string[] {
  const { trusts, vectors } = JSON.parse(readFileSync(join(VECTORS_FOLDER, 'evidence.json'), 'utf8')) as {
    readonly trusts: Readonly<Record<string, unknown>>;
    readonly vectors: readonly { readonly text: string; readonly trust: string }[];
  };
  const [{ text, trust } = { text: '', trust: '' }] = vectors;
  const [evidence, trustFile] = [join(folder, 'evidence.json'), join(folder, 'trust.json')];
  writeFileSync(evidence, text);
  writeFileSync(trustFile, JSON.stringify(trusts[trust]));
  return [evidence, '--trust', trustFile];
}
