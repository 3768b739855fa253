import { buildSecrets } from '@ssb/keys/deployment';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { REPOSITORY_ROOT } from '../../../system/processes.js';
import { CHART_FOLDER } from '../chart-files.js';
import { type KubernetesObject, renderChart } from './render-chart.js';

const SECRETS_COMMAND = '--name bridge-settlement-bus-bridge --broker --sandbox --bundled'.split(' ');

interface Secret {
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
}

const page = readFileSync(join(REPOSITORY_ROOT, 'docs/operate/install.md'), 'utf8');

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

it('a trial needs no Secret except those of busbridge keys secrets', () => {
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

it('the install page counts the Secrets and the objects of a trial', () => {
  const secrets = [...written].filter((each) => !each.includes('/'));
  expect(page).toContain(`prints ${secrets.length} Secrets,`);

  const kinds = objects
    .filter(({ metadata }) => !metadata.annotations?.['helm.sh/hook'])
    .map(({ kind }) => kind);
  const counts = [...new Set(kinds)].map((kind) => {
    const count = kinds.filter((each) => each === kind).length;
    return count === 1 ? `1 ${kind}` : `${count} ${kind.replace(/y$/, 'ie')}s`;
  });
  const [, listed = ''] = /^- `helm install`: ([^.]*)\./m.exec(page) ?? [];
  expect(listed.replaceAll(/\s+/g, ' ').split(', ').sort()).toEqual(counts.sort());
});

it('the install page counts the Secrets of production with our own broker, and without', async () => {
  const [broker, external] = await Promise.all(
    [true, false].map((each) =>
      buildSecrets(join(folder, 'keys'), {
        name: 'bridge',
        participant: 'WPGENCO',
        broker: each,
        sandbox: false,
        bundled: false,
      }),
    ),
  );
  expect(page).toContain(`prints ${broker!.length} Secrets with \`--broker\`, ${external!.length} without.`);
});

it('the install page names each Secret of production-ha.yaml, and their number', async () => {
  const secrets = new Set((await renderChart(['examples/production-ha.yaml'])).flatMap(listSecrets));
  const named = [
    ...page
      .split('### Secrets of production-ha.yaml')[1]!
      .split('###')[0]!
      .matchAll(/`([^`]+)`/g),
  ].map(([, name]) => name!.replace('$NAME', 'bridge-settlement-bus-bridge'));
  expect([...secrets].filter((name) => !named.includes(name))).toEqual([]);
  expect(page).toContain(`these ${secrets.size} Secrets`);
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

/** Names of the Secrets that an object refers to. */
function listSecrets(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listSecrets);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (key === 'secretName') return [String(inner)];
    if (key === 'imagePullSecrets')
      return (inner as readonly { readonly name: string }[]).map(({ name }) => name);
    const { name } = (typeof inner === 'object' && inner !== null ? inner : {}) as {
      readonly name?: unknown;
    };
    const isReference = (key === 'secretKeyRef' || key === 'secret') && typeof name === 'string';
    return [...(isReference ? [name] : []), ...listSecrets(inner)];
  });
}
