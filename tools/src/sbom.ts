import { standardError, standardOutput } from '@ssb/platform';
import { join, resolve } from 'node:path';
import { findLicenceProblems, renderLicences } from './deploy/supply-chain/licences.js';
import { readProductionPackages } from './deploy/supply-chain/lock-file.js';
import { writeSbom } from './deploy/supply-chain/write-sbom.js';
import { createCommand } from './report/create-command.js';
import { REPOSITORY_ROOT } from './system/processes.js';

/** `npm run sbom`. */
const { out, licences } = createCommand('npm run sbom --')
  .description('Writes the software bill of materials of the production dependencies (CycloneDX, JSON).')
  .option('--out <file>', 'where to write it', join('.data', 'sbom.json'))
  .option('--licences', 'print a table of the licences instead', false)
  .addHelpText('after', '\nExit status: 1 when a licence is unknown or not allowed.')
  .parse()
  .opts<{ out: string; licences: boolean }>();

const packages = readProductionPackages();
if (licences) {
  standardOutput.write(renderLicences(packages));
} else {
  const { components } = await writeSbom(resolve(REPOSITORY_ROOT, out));
  standardOutput.write(`${out} written: ${components.length} components\n`);
}
const problems = findLicenceProblems(packages);
for (const problem of problems) standardError.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
