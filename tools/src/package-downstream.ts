import { standardError, standardOutput } from '@ssb/platform';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { buildDownstreamPackage } from './downstream/build-package.js';
import { createCommand } from './report/create-command.js';
import { REPOSITORY_ROOT } from './system/processes.js';

/** `npm run package:downstream`. */
const { out } = createCommand('npm run package:downstream --')
  .description('Builds the npm package of the kit for downstream systems.')
  .option('--out <folder>', 'where to write the packed file', join('.data', 'packages'))
  .parse()
  .opts<{ out: string }>();

const folder = mkdtempSync(join(tmpdir(), 'downstream-package-'));
try {
  standardError.writeLine('The package is built, which takes some seconds …');
  const { tarball, bytes } = await buildDownstreamPackage(folder);
  const target = resolve(REPOSITORY_ROOT, out);
  mkdirSync(target, { recursive: true });
  copyFileSync(tarball, join(target, basename(tarball)));
  standardOutput.write(`${join(target, basename(tarball))} written: ${Math.ceil(bytes / 1000)} kB\n`);
} finally {
  rmSync(folder, { recursive: true });
}
