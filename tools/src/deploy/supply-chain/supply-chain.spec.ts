import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { findLicenceProblems, findUnneededLicences, isAllowed } from './licences.js';
import { type LockedPackage, readProductionPackages } from './lock-file.js';
import { findLockProblems, INSTALL_SCRIPTS } from './locked-contents.js';
import { parseAudit } from './npm-audit.js';
import { createSbom } from './write-sbom.js';

const { version } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as {
  version: string;
};
const packages = readProductionPackages();
const npmrc = readFileSync(join(REPOSITORY_ROOT, '.npmrc'), 'utf8');
const added: LockedPackage = {
  name: 'added',
  version: '1.0.0',
  path: 'node_modules/added',
  licence: 'MIT',
  integrity: 'sha512-AAAA',
  hasInstallScript: false,
};

describe('the production dependencies', () => {
  it('have allowed licences, known install scripts and checksums', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(findLicenceProblems(packages)).toEqual([]);
    expect(findUnneededLicences(packages)).toEqual([]);
    expect(findLockProblems(packages, npmrc)).toEqual([]);
  });

  it('are the components of the bill of materials, each with a licence', async () => {
    const { metadata, components } = await createSbom();
    expect(metadata.component).toMatchObject({ name: 'settlement-bus-bridge', version });
    const foreign = components.filter((each) => !each['bom-ref'].startsWith('@ssb/'));
    expect(new Set(foreign.map((each) => each['bom-ref']))).toEqual(
      new Set(packages.map((each) => `${each.name}@${each.version}`)),
    );
    expect(foreign.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  });
});

describe('a package', () => {
  it.each([
    ['without a licence', { licence: undefined }, 'added@1.0.0 names no licence'],
    ['with a licence that is not allowed', { licence: 'AGPL-3.0-only' }, 'has the licence AGPL-3.0-only'],
    [
      'with a licence of a single other package',
      { licence: 'Bitstream-Vera' },
      'has the licence Bitstream-Vera',
    ],
  ])('%s is a problem', (_name, change, expected) => {
    expect(findLicenceProblems([{ ...added, ...change }])).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ['with an install script', { hasInstallScript: true }, 'added@1.0.0 has an install script'],
    ['without a checksum', { integrity: undefined }, 'added@1.0.0 has no SHA-512'],
    ['from another place', { resolved: 'git+ssh://git@host/a.git' }, 'comes from git+ssh'],
  ])('%s is a problem', (_name, change, expected) => {
    expect(findLockProblems([...packages, { ...added, ...change }], npmrc)).toEqual([
      expect.stringContaining(expected),
    ]);
  });

  it('may choose between licences, and must allow all that apply together', () => {
    expect(isAllowed('(MIT OR GPL-3.0-only)')).toBe(true);
    expect(isAllowed('(MIT AND Zlib)')).toBe(true);
    expect(isAllowed('MIT AND GPL-3.0-only')).toBe(false);
    expect(isAllowed('GPL-3.0-only OR ISC AND GPL-3.0-only')).toBe(false);
  });

  it.each([
    '(MIT OR GPL-3.0-only) AND GPL-3.0-only',
    'GPL-3.0-only AND (GPL-3.0-only OR MIT)',
    '(MIT OR ISC) AND (GPL-3.0-only)',
    'MIT OR (ISC AND Zlib)',
  ])('is not allowed with the nested expression %s', (expression) => {
    expect(isAllowed(expression)).toBe(false);
  });
});

it('npm may run no install script, and no exception outlives its package', () => {
  expect(findLockProblems(packages, 'ignore-scripts=false\n')).toEqual([
    expect.stringContaining('.npmrc does not set ignore-scripts=true'),
  ]);
  const [first = ''] = Object.keys(INSTALL_SCRIPTS);
  expect(
    findLockProblems(
      packages.filter(({ name }) => name !== first),
      npmrc,
    ),
  ).toEqual([expect.stringContaining(`${first} has no install script any more`)]);
  const stated = packages.map((each) => (each.name === 'png-js' ? { ...each, licence: 'MIT' } : each));
  for (const changed of [stated, packages.filter(({ name }) => name !== 'png-js')])
    expect(findUnneededLicences(changed)).toEqual([
      expect.stringMatching(/^png-js@\S+ is not needed any more/),
    ]);
});

describe('npm audit', () => {
  const via = (severity: string, id: string): object => ({
    name: 'leaky',
    title: 'Leak',
    severity,
    url: `https://github.com/advisories/${id}`,
  });
  const output = (...entries: object[]): string =>
    JSON.stringify({ auditReportVersion: 2, vulnerabilities: { leaky: { via: [...entries, 'other'] } } });

  it('counts high and critical advisories that are not explained, each once', () => {
    const result = parseAudit(
      output(via('low', 'a'), via('high', 'b'), via('critical', 'c'), via('high', 'b')),
      {
        'https://github.com/advisories/c': 'not reachable',
        'https://github.com/advisories/gone': 'not reachable',
      },
    );
    expect(result).toEqual({
      kind: 'checked',
      advisories: [
        { packageName: 'leaky', title: 'Leak', severity: 'high', url: 'https://github.com/advisories/b' },
      ],
      problems: [
        'npm audit does not report https://github.com/advisories/gone any more. Remove it from EXPLAINED.',
      ],
    });
  });

  it('is unavailable when the registry refuses the request, or npm prints nothing', () => {
    expect(parseAudit(JSON.stringify({ message: '405 Method Not Allowed', error: {} }))).toEqual({
      kind: 'unavailable',
      reason: '405 Method Not Allowed',
    });
    expect(parseAudit('npm was killed')).toEqual({
      kind: 'unavailable',
      reason: 'npm audit printed no report: npm was killed',
    });
    expect(parseAudit('')).toMatchObject({ kind: 'unavailable' });
  });
});

describe('the workflow', () => {
  const workflow = readFileSync(join(REPOSITORY_ROOT, '.github/workflows/ci.yml'), 'utf8');

  it('pins actions by commit and the base image by digest', () => {
    const actions = workflow.match(/uses: .*/g) ?? [];
    expect(actions.length).toBeGreaterThan(5);
    for (const action of actions)
      expect(action).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(workflow).toMatch(/BASE: node:[\w.-]+@sha256:[0-9a-f]{64}$/m);
  });

  it('replaces one line of the values of the chart', () => {
    const pattern = /sed -i "s\|(.+?)\|/.exec(workflow)?.[1] ?? 'no sed';
    const values = readFileSync(join(REPOSITORY_ROOT, 'helm/settlement-bus-bridge/values.yaml'), 'utf8');
    expect(values.match(new RegExp(pattern, 'gm'))).toEqual(["  registry: ''"]);
  });
});
