import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootstrap-'));
  mkdirSync(join(folder, 'tools'));
  mkdirSync(join(folder, 'compiler'));
  copyFileSync(join(REPOSITORY_ROOT, 'tools/bootstrap.mjs'), join(folder, 'tools/bootstrap.mjs'));
  const root = { name: 'root', version: '1.0.0', devDependencies: { compiler: 'file:compiler' } };
  const compiler = { name: 'compiler', version: '1.0.0' };
  writeJson('package.json', root);
  writeJson('compiler/package.json', compiler);
  const packages = {
    '': root,
    compiler: { ...compiler, dev: true },
    'node_modules/compiler': { resolved: 'compiler', link: true },
  };
  writeJson('package-lock.json', { ...root, lockfileVersion: 3, requires: true, packages });
});
afterEach(() => rmSync(folder, { recursive: true }));

const writeJson = (path: string, value: object): void =>
  writeFileSync(join(folder, path), JSON.stringify(value));

/** Both leave out development packages. */
const PRODUCTION = { NODE_ENV: 'production', NPM_CONFIG_OMIT: 'dev' };

/** The build that follows the install fails, because there is no compiler. */
function bootstrap(): string {
  const { stderr } = spawnSync(process.execPath, [join(folder, 'tools/bootstrap.mjs')], {
    env: { PATH: process.env['PATH'], HOME: folder, ...PRODUCTION },
    encoding: 'utf8',
  });
  return stderr;
}

it('installs development packages that are missing, also where npm leaves them out, and only once', () => {
  // An earlier `npm ci --omit=dev` has left them out.
  mkdirSync(join(folder, 'node_modules'));
  const lock = readFileSync(join(folder, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex');
  writeFileSync(join(folder, 'node_modules/.installed-lock'), digest);
  expect(bootstrap()).toContain('npm ci');
  expect(existsSync(join(folder, 'node_modules/compiler'))).toBe(true);
  expect(bootstrap()).not.toContain('npm ci');
});
