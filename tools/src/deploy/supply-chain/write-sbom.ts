import { writeFileAtomically } from '@ssb/platform';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { runCommand } from '../../check/run-command.js';
import { isOwnPackage } from '../../system/own-packages.js';
import { licenceOf } from './licences.js';
import { readProductionPackages } from './lock-file.js';

/** A CycloneDX document, as far as it is changed here. */
export interface Sbom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string; name: string } };
  components: readonly { readonly 'bom-ref': string; licenses?: unknown }[];
  dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** The CycloneDX document of the production dependencies, from package-lock.json. */
export async function createSbom(): Promise<Sbom> {
  // With --omit=dev, npm 11 also leaves out packages that development and production share.
  const { ok, output, standardOutput } = await runCommand(
    'npm',
    ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'],
    { timeoutMs: 120_000, maxOutputLength: 64 * 1024 * 1024 },
  );
  if (!ok) throw new Error(`npm sbom failed:\n${output}`);
  const sbom = JSON.parse(standardOutput) as Sbom;
  // npm takes the name of the folder.
  sbom.metadata.component.name = 'settlement-bus-bridge';
  const packages = new Map(readProductionPackages().map((each) => [`${each.name}@${each.version}`, each]));
  const isProduction = (ref: string): boolean => packages.has(ref) || isOwnPackage(ref);
  sbom.components = sbom.components.filter((each) => isProduction(each['bom-ref']));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => isProduction(ref) || ref === sbom.metadata.component['bom-ref'])
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isProduction) }));
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
