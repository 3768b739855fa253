import { readFileSync } from 'node:fs';
import { VERSION } from './version.js';

it('VERSION is the version of the repository', () => {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({ version: VERSION });
});
