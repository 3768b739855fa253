import { standardError, standardOutput } from '@ssb/platform';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { buildDownstreamPackage } from './downstream/build-package.js';
import { buildCliPackage } from './packages/cli-package.js';
import { createCommand } from './report/create-command.js';
import { REPOSITORY_ROOT } from './system/processes.js';

/** Each builds a package in a folder, and returns the packed file. */
const BUILDERS: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  cli: buildCliPackage,
  downstream: async (folder) => (await buildDownstreamPackage(folder)).tarball,
};

/** `npm run package:cli` and `npm run package:downstream`. */
const command = createCommand('npm run package:<name> --')
  .description('Builds an npm package: cli, the command line, or downstream, the kit for downstream systems.')
  .argument('<name>', Object.keys(BUILDERS).join(' or '))
  .option('--out <folder>', 'where to write the packed file', join('.data', 'packages'))
  .parse();

const [name = ''] = command.args;
const { out } = command.opts<{ out: string }>();
const build = BUILDERS[name];
if (build === undefined) {
  standardError.writeLine(`There is no package ${name}. Name one of ${Object.keys(BUILDERS).join(', ')}.`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'package-'));
try {
  standardError.writeLine('The package is built, which takes some seconds …');
  const tarball = await build(folder);
  const target = resolve(REPOSITORY_ROOT, out);
  mkdirSync(target, { recursive: true });
  const packed = join(target, basename(tarball));
  copyFileSync(tarball, packed);
  standardOutput.write(`${packed} written: ${Math.ceil(statSync(packed).size / 1000)} kB\n`);
} finally {
  rmSync(folder, { recursive: true });
}
