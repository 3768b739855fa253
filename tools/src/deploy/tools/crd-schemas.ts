import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { runOrFail } from '../deploy-check.js';
import { findGo } from './go-tool.js';
import type { Tool } from './tool-cache.js';

/** Go modules whose sources hold the CustomResourceDefinitions that the chart and its examples use. */
const MODULES = [
  {
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    sum: 'h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=',
    folder: 'config/crd/bases',
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    sum: 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    folder: 'example/prometheus-operator-crd',
  },
  {
    module: 'github.com/cert-manager/cert-manager@v1.21.2',
    sum: 'h1:UWgoYM+KLNtRlqmoWOKjKBOBUPVHeepQ6/ac3ERJW68=',
    folder: 'deploy/crds',
  },
  {
    module: 'github.com/external-secrets/external-secrets@v1.3.2',
    sum: 'h1:u2J8RjlHIeF0oZCqtl92adI/uZWUwOesJIDkfql6LqQ=',
    folder: 'config/crds/bases',
  },
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    sum: 'h1:ZwlNM6zOHq0h3WUX2gfByPs2yAEsy/EenYJB78jpQfQ=',
    folder: 'config/crd/standard',
  },
];

/** Generators of definitions name their files `<group>_<plural>.yaml`. */
const DEFINITION_FILE = /^[a-z0-9.-]+_[a-z]+\.yaml$/;

type Schema = Readonly<Record<string, unknown>>;

interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** A folder with the definitions in `crds` and with a JSON schema of each version in `schemas`. */
export const CRD_SCHEMAS: Tool = {
  name: 'crd-schemas',
  version: createHash('sha256').update(JSON.stringify(MODULES)).digest('hex').slice(0, 8),
  path: '.',
  build: async (folder) => {
    const [definitions, schemas] = [join(folder, 'crds'), join(folder, 'schemas')];
    mkdirSync(definitions);
    mkdirSync(schemas);
    for (const { module, sum, folder: source } of MODULES) {
      const sources = join(await downloadModule(module, sum), source);
      for (const file of readdirSync(sources).filter((name) => DEFINITION_FILE.test(name))) {
        const text = readFileSync(join(sources, file), 'utf8');
        writeFileSync(join(definitions, file), text);
        for (const [name, schema] of Object.entries(toJsonSchemas(parse(text) as CustomResourceDefinition)))
          writeFileSync(join(schemas, name), JSON.stringify(schema));
      }
    }
  },
};

/** @returns the JSON schema of each version, by the file name that kubeconform is configured with */
export function toJsonSchemas({ spec }: CustomResourceDefinition): Record<string, Schema> {
  return Object.fromEntries(
    spec.versions.map(({ name, schema }) => [
      `${spec.names.kind.toLowerCase()}-${spec.group}-${name}.json`,
      convert(schema?.openAPIV3Schema ?? {}) as Schema,
    ]),
  );
}

/** Refuses unknown properties, as the API server prunes them. Converts the extensions that JSON Schema does not have. */
function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Schema;
  const converted: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, child]) => [
      key,
      key === 'properties' ? convertEach(child) : convert(child),
    ]),
  );
  if (node['x-kubernetes-int-or-string'] === true) converted['type'] = ['integer', 'string'];
  if (node['nullable'] === true && node['type'] !== undefined)
    converted['type'] = [converted['type'], 'null'].flat();
  const closed =
    typeof node['properties'] === 'object' &&
    node['additionalProperties'] === undefined &&
    node['x-kubernetes-preserve-unknown-fields'] !== true;
  if (closed) converted['additionalProperties'] = false;
  return converted;
}

/** The names of properties are not keywords, even if one is called "properties". */
function convertEach(properties: unknown): unknown {
  return Object.fromEntries(
    Object.entries(properties as Schema).map(([name, schema]) => [name, convert(schema)]),
  );
}

async function downloadModule(module: string, sum: string): Promise<string> {
  const go = await findGo(REPOSITORY_ROOT);
  const output = await runOrFail(go, ['mod', 'download', '-json', module]);
  // Go may print lines before the document.
  const { Dir, Sum } = JSON.parse(output.slice(output.indexOf('{'))) as { Dir: string; Sum: string };
  if (Sum !== sum) throw new Error(`The sum of ${module} is ${Sum}; ${sum} is expected.`);
  return Dir;
}
