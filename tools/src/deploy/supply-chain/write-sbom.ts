import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomically } from '@ssb/platform';
import { z } from 'zod';
import { runCommand } from '../../check/run-command.js';
import { licenceOf } from './licences.js';
import { readProductionPackages } from './lock-file.js';

// With --omit=dev, npm 11 also leaves out packages that development and production share.
const SBOM = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_LENGTH = 64 * 1024 * 1024;

const component = z.looseObject({ 'bom-ref': z.string(), licenses: z.unknown().optional() });
const document = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string(), name: z.string() }) }),
  components: z.array(component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});
export type Sbom = z.output<typeof document>;

/** The workspaces of this repository. */
const OWN_SCOPE = '@ssb/';

/** The CycloneDX document of the production dependencies, from package-lock.json. */
export async function createSbom(): Promise<Sbom> {
  const { ok, output, standardOutput } = await runCommand('npm', SBOM, {
    timeoutMs: TIMEOUT_MS,
    maxOutputLength: MAX_OUTPUT_LENGTH,
  });
  if (!ok) throw new Error(`npm ${SBOM.join(' ')} failed:\n${output}`);
  const sbom = document.parse(JSON.parse(standardOutput));
  // npm takes the name of the folder.
  sbom.metadata.component.name = 'settlement-bus-bridge';
  const packages = new Map(readProductionPackages().map((each) => [`${each.name}@${each.version}`, each]));
  const isProduction = (ref: string): boolean => packages.has(ref) || ref.startsWith(OWN_SCOPE);
  sbom.components = sbom.components.filter((each) => isProduction(each['bom-ref']));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => isProduction(ref) || ref === sbom.metadata.component['bom-ref'])
    .map((each) => ({ ...each, dependsOn: each.dependsOn.filter(isProduction) }));
  for (const each of sbom.components) {
    const locked = packages.get(each['bom-ref']);
    const licence = locked && licenceOf(locked);
    if (licence !== undefined) each.licenses ??= [{ expression: licence }];
  }
  return sbom;
}

export async function writeSbom(file: string): Promise<Sbom> {
  const sbom = await createSbom();
  await mkdir(dirname(file), { recursive: true });
  await writeFileAtomically(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
  return sbom;
}
