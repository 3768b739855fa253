import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { CheckFailure, type DeployCheck, runAll, runOrFail } from '../deploy-check.js';
import { checkConsumer } from '../downstream/check-consumer.js';
import { checkErrors, checkLines } from '../downstream/check-errors.js';
import { checkTypes } from '../downstream/check-types.js';
import { provideKit } from '../downstream/install-kit.js';
import { runVectors, runVectorsAsInBrowser } from '../downstream/run-vectors.js';
import { provideTool } from '../tools/tool-cache.js';
import { NEWER_NODES } from '../tools/tools.js';

const MAX_PACKED_BYTES = 165_000;

export const DOWNSTREAM_PACKAGE_CHECK: DeployCheck = {
  name: 'downstream-package',
  description:
    'the npm package of the kit: its form, and installed offline its verdicts, consumer, errors and types, in the Node of this process, 22 and 24 and as in a browser',
  run: async () => {
    const { tarball, bytes, folder } = await provideKit();
    if (bytes > MAX_PACKED_BYTES)
      throw new CheckFailure(`The packed file has ${bytes} bytes; ${MAX_PACKED_BYTES} are allowed.`);
    const nodes = [process.execPath, ...(await Promise.all(NEWER_NODES.map((node) => provideTool(node))))];
    let browserBytes = 0;
    await runAll(
      [
        () => lintPackage(tarball, join(folder, 'package')),
        async () => checkLines(join(folder, 'package')),
        ...nodes.flatMap((node) => [
          () => runVectors(folder, 'mjs', node),
          () => checkConsumer(folder, node),
          () => checkErrors(folder, node),
        ]),
        () => runVectors(folder, 'cjs', process.execPath),
        async () => {
          browserBytes = await runVectorsAsInBrowser(folder);
        },
        () => checkTypes(folder),
      ],
      (step) => step(),
    );
    const versions = await Promise.all(nodes.map(readVersion));
    return `${Math.ceil(bytes / 1000)} kB packed, ${Math.ceil(browserBytes / 1000)} kB in a browser; Node ${versions.join(', ')}`;
  },
};

/** Such as `20.20`. */
async function readVersion(node: string): Promise<string> {
  const output = await runOrFail(node, ['--version'], { timeoutMs: 60_000 });
  return /\d+\.\d+/.exec(output)?.[0] ?? output;
}

/** Checks the packed kit with publint and with the rules of "Are the types wrong?". @throws CheckFailure */
async function lintPackage(tarball: string, content: string): Promise<void> {
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
