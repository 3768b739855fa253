import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

const isInstalled = (): boolean => existsSync(join(folder, 'node_modules/compiler'));

/** The build that follows the install fails, because there is no compiler. */
function bootstrap(environment: Record<string, string>): string {
  const { stderr } = spawnSync(process.execPath, [join(folder, 'tools/bootstrap.mjs')], {
    env: { PATH: process.env['PATH'], HOME: folder, ...environment },
    encoding: 'utf8',
  });
  return stderr;
}

it.each<Record<string, string>>([{ NODE_ENV: 'production' }, { NPM_CONFIG_OMIT: 'dev' }])(
  'installs development packages with %j, and again when they are missing',
  (environment) => {
    bootstrap(environment);
    expect(isInstalled()).toBe(true);
    rmSync(join(folder, 'node_modules/compiler'));
    bootstrap(environment);
    expect(isInstalled()).toBe(true);
    expect(bootstrap(environment)).not.toContain('npm ci');
  },
);
