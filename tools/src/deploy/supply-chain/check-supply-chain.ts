import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CheckFailure } from '../check-failure.js';
import { findLicenceProblems, findUnneededLicences } from './licences.js';
import { readProductionPackages } from './lock-file.js';
import { findLockProblems } from './locked-contents.js';
import { runAudit } from './npm-audit.js';

export interface SupplyChainOptions {
  readonly print: (line: string) => void;
  /** True if a registry without advisories is a failure. Default: AUDIT_REQUIRED=true in the environment. */
  readonly auditRequired?: boolean;
}

/**
 * Checks licences, install scripts, checksums and advisories of the production dependencies.
 * @throws CheckFailure with a sentence for each problem
 */
export async function checkSupplyChain({
  print,
  auditRequired = process.env['AUDIT_REQUIRED'] === 'true',
}: SupplyChainOptions): Promise<void> {
  const packages = readProductionPackages();
  const npmrc = readFileSync(join(REPOSITORY_ROOT, '.npmrc'), 'utf8');
  const problems = [
    ...findLicenceProblems(packages),
    ...findUnneededLicences(packages),
    ...findLockProblems(packages, npmrc),
  ];
  print(`${packages.length} production packages: licences, install scripts and checksums checked`);
  const audit = await runAudit();
  if (audit.kind === 'checked') {
    print('advisories checked');
    problems.push(...audit.problems);
    for (const { packageName, severity, title, url } of audit.advisories)
      problems.push(`${packageName} has a ${severity} advisory: ${title}, ${url}. Update it, or explain it.`);
  } else {
    const consequence = `Advisories NOT CHECKED: ${audit.reason}. Run "npm audit --omit=dev" with a registry that offers them.`;
    if (auditRequired) problems.push(consequence);
    else print(consequence);
  }
  if (problems.length > 0) throw new CheckFailure(problems.join('\n'));
}
