import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

const page = readFileSync(join(REPOSITORY_ROOT, 'docs/operate/install.md'), 'utf8');

it('the pages of install and upgrades name the migrations of the subscriber', () => {
  const migrations = readdirSync(join(REPOSITORY_ROOT, 'libs/postgres/archive-migrations')).sort();
  const last = migrations.at(-1)!.replace('.sql', '');
  expect(page).toContain(`applied ${last}\``);
  const upgrade = readFileSync(join(REPOSITORY_ROOT, 'docs/operate/upgrade.md'), 'utf8');
  expect(upgrade).toContain(`this release needs ${last.slice(0, 3)}.`);
});

it('has no password on a command line', () => {
  expect(page).not.toMatch(/--from-literal=\w*(URL|SECRET|PASSWORD)\b/);
});
