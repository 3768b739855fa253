import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { CheckFailure } from '../deploy-check.js';

/** Checks the packed kit with publint and with the rules of "Are the types wrong?". @throws CheckFailure */
export async function lintPackage(tarball: string, content: string): Promise<void> {
  const bytes = readFileSync(tarball);
  const { messages } = await publint({ pkgDir: content, strict: true, pack: false });
  const manifest = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8')) as Record<string, unknown>;
  const findings = messages.map(
    (message) => formatMessage(message, manifest, { color: false }) ?? message.code,
  );
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  const problems = analysis.types === false ? ['The package has no types.'] : analysis.problems;
  findings.push(
    ...problems.map((problem) => (typeof problem === 'string' ? problem : JSON.stringify(problem))),
  );
  if (findings.length > 0) throw new CheckFailure(findings.join('\n'));
}
