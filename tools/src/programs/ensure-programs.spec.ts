import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { describeMissing, ensurePrograms } from './ensure-programs.js';
import { TEST_PROGRAMS, type Program } from './required-programs.js';

/** A program that is installed if the set has its name. */
const program = (name: string, installed: Set<string>): Program => ({
  name,
  aptPackage: `${name}-package`,
  find: () => (installed.has(name) ? `/bin/${name}` : undefined),
});

describe('ensurePrograms', () => {
  it('installs all missing programs at once, after it has reported them', () => {
    const installed = new Set(['a']);
    const steps: string[] = [];
    const missing = ensurePrograms(
      ['a', 'b', 'c'].map((name) => program(name, installed)),
      {
        searchPath: '',
        onProgress: (what) => steps.push(what),
        install: (packages) => {
          steps.push(`install ${packages.join(' ')}`);
          for (const each of packages) installed.add(each.replace('-package', ''));
          return true;
        },
      },
    );
    expect(missing).toEqual([]);
    expect(steps).toEqual(['installing b-package, c-package with apt-get …', 'install b-package c-package']);
  });

  it('names the programs that are still missing', () => {
    const missing = ensurePrograms([program('b', new Set())], { searchPath: '', install: () => false });
    expect(describeMissing(missing)).toContain('b (Debian package b-package)');
  });
});

it('npm test prints the packages that it may install', () => {
  const bootstrap = readFileSync(join(REPOSITORY_ROOT, 'tools/bootstrap.mjs'), 'utf8');
  const printed = /TEST_PACKAGES = \[(.*?)\]/s.exec(bootstrap)?.[1]?.match(/[a-z0-9-]+/g);
  expect(printed).toEqual(TEST_PROGRAMS.map(({ aptPackage }) => aptPackage));
});
