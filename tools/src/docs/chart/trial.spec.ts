import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CHART_FOLDER, type KubernetesObject, renderChart } from './render-chart.js';

const SECRETS_COMMAND = '--name bridge-settlement-bus-bridge --broker --sandbox --bundled'.split(' ');

interface Secret {
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
}

let folder: string;
let objects: KubernetesObject[];
const written = new Set<string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trial-'));
  const values = join(folder, 'dids.yaml');
  const output = execFileSync(
    process.execPath,
    [
      join(REPOSITORY_ROOT, 'apps/cli/dist/src/main.js'),
      ...['keys', 'secrets', '--dir', join(folder, 'keys'), '--values', values],
      ...SECRETS_COMMAND,
    ],
    { encoding: 'utf8' },
  );
  for (const document of parseAllDocuments(output)) {
    const { metadata, data } = document.toJS() as Secret;
    written.add(metadata.name);
    for (const key of Object.keys(data)) written.add(`${metadata.name}/${key}`);
  }
  objects = await renderChart(['examples/sandbox.yaml', relative(CHART_FOLDER, values)]);
});
afterAll(() => rmSync(folder, { recursive: true }));

it('a trial needs no Secret besides those of busbridge keys secrets', () => {
  const references = new Set(objects.flatMap((object) => [...findReferences(object)]));
  expect(references.size).toBeGreaterThan(30);
  expect([...references].filter((each) => !written.has(each))).toEqual([]);
});

it('every Secret of a trial is used', () => {
  const used = new Set(
    objects.flatMap((object) => [...findReferences(object)].map((each) => each.split('/')[0])),
  );
  expect([...written].filter((each) => !each.includes('/') && !used.has(each))).toEqual([]);
});

/** Secrets that an object mounts, and `<Secret>/<key>` for each key that it names. */
function* findReferences(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const { secretKeyRef, secretName, secret, items } = value as {
    secretKeyRef?: { name: string; key: string };
    secretName?: string;
    /** A Secret of a projected volume. */
    secret?: { name?: string; items?: readonly { key: string }[] };
    items?: readonly { key: string }[];
  };
  if (secretKeyRef) yield `${secretKeyRef.name}/${secretKeyRef.key}`;
  if (secretName !== undefined) {
    yield secretName;
    for (const { key } of items ?? []) yield `${secretName}/${key}`;
  }
  if (secret?.name !== undefined) for (const { key } of secret.items ?? []) yield `${secret.name}/${key}`;
  for (const member of Object.values(value)) yield* findReferences(member);
}
