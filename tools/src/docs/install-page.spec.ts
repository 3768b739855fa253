import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { renderChart } from './chart/render-chart.js';

const page = readFileSync(join(REPOSITORY_ROOT, 'docs/operate/install.md'), 'utf8');

it('the pages of install and upgrades name the migrations of the subscriber', () => {
  const migrations = readdirSync(join(REPOSITORY_ROOT, 'apps/subscriber/migrations')).sort();
  const last = migrations.at(-1)!.replace('.sql', '');
  expect(page).toContain(`applied ${last}\``);
  const upgrade = readFileSync(join(REPOSITORY_ROOT, 'docs/operate/upgrade.md'), 'utf8');
  expect(upgrade).toContain(`this release needs ${last.slice(0, 3)}.`);
});

it('names each Secret of production-ha.yaml, and their number', async () => {
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

it('has no password on a command line', () => {
  expect(page).not.toMatch(/--from-literal=\w*(URL|SECRET|PASSWORD)\b/);
});

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
