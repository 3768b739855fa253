import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../system/app-process.js';
import { describeMissing, ensurePrograms } from './ensure-programs.js';
import { TEST_PROGRAMS, type Program } from './required-programs.js';

/** A program that is there once it is in the set. */
const program = (name: string, there: Set<string>): Program => ({
  name,
  aptPackage: `${name}-package`,
  find: () => (there.has(name) ? `/bin/${name}` : undefined),
});

describe('ensurePrograms', () => {
  it('installs what is missing, all at once, and says so before', () => {
    const there = new Set(['a']);
    const said: string[] = [];
    const missing = ensurePrograms(
      ['a', 'b', 'c'].map((name) => program(name, there)),
      {
        searchPath: '',
        onProgress: (what) => said.push(what),
        install: (packages) => {
          said.push(`install ${packages.join(' ')}`);
          for (const each of packages) there.add(each.replace('-package', ''));
          return true;
        },
      },
    );
    expect(missing).toEqual([]);
    expect(said).toEqual(['installing b-package, c-package with apt-get …', 'install b-package c-package']);
  });

  it('installs nothing when nothing is missing', () => {
    const install = (): boolean => {
      throw new Error('not asked for');
    };
    expect(ensurePrograms([program('a', new Set(['a']))], { searchPath: '', install })).toEqual([]);
  });

  it('names what is missing still', () => {
    const missing = ensurePrograms([program('b', new Set())], { searchPath: '', install: () => false });
    expect(describeMissing(missing)).toContain('b (Debian package b-package)');
  });
});

it('npm test announces the packages that it may install', () => {
  const bootstrap = readFileSync(join(REPOSITORY, 'tools/bootstrap.mjs'), 'utf8');
  const announced = /TEST_PACKAGES = \[(.*)\]/.exec(bootstrap)?.[1]?.match(/[a-z-]+/g);
  expect(announced).toEqual(TEST_PROGRAMS.map(({ aptPackage }) => aptPackage));
});
