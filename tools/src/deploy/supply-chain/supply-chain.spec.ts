import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnPackage } from '../../system/own-packages.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { evaluateAudit } from './check-supply-chain.js';
import { findLicenceProblems, isAllowed } from './licences.js';
import {
  findLockProblems,
  INSTALL_SCRIPTS,
  type LockedPackage,
  readProductionPackages,
} from './lock-file.js';
import { createSbom } from './write-sbom.js';

const packages = readProductionPackages();
const added: LockedPackage = {
  name: 'added',
  version: '1.0.0',
  path: 'node_modules/added',
  license: 'MIT',
  integrity: 'sha512-AAAA',
};

it('the bill of materials has the production packages as its components, each with a licence', async () => {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const { metadata, components } = await createSbom();
  expect(metadata.component).toMatchObject({ name: 'settlement-bus-bridge', version });
  const foreign = components.filter((each) => !isOwnPackage(each['bom-ref']));
  expect(packages.length).toBeGreaterThan(100);
  expect(new Set(foreign.map((each) => each['bom-ref']))).toEqual(
    new Set(packages.map((each) => `${each.name}@${each.version}`)),
  );
  expect(foreign.filter(({ licenses }) => licenses === undefined)).toEqual([]);
});

it.each<[string, Partial<LockedPackage>, string]>([
  ['without a licence', { license: undefined }, 'added@1.0.0 has the licence of a file'],
  ['with a licence that is not allowed', { license: 'AGPL-3.0-only' }, 'has the licence AGPL-3.0-only'],
  ['with a licence of a single other package', { license: 'Bitstream-Vera' }, 'the licence Bitstream-Vera'],
  ['with an install script', { hasInstallScript: true }, 'added@1.0.0 has an install script'],
  ['without a checksum', { integrity: undefined }, 'added@1.0.0 has no SHA-512'],
  ['from another place', { resolved: 'git+ssh://git@host/a.git' }, 'comes from git+ssh'],
])('a package %s is a problem', (_name, change, expected) => {
  const changed = [...packages, { ...added, ...change }];
  expect([...findLicenceProblems(changed), ...findLockProblems(changed)]).toEqual([
    expect.stringContaining(expected),
  ]);
});

it('a licence may be one of several alternatives, and all that apply together must be allowed', () => {
  const allowed = ['(MIT OR GPL-3.0-only)', '(MIT AND Zlib)'];
  const refused = [
    'MIT AND GPL-3.0-only',
    'GPL-3.0-only OR ISC AND GPL-3.0-only',
    '(MIT OR GPL-3.0-only) AND GPL-3.0-only',
    'MIT OR (ISC AND Zlib)',
  ];
  expect([...allowed, ...refused].filter(isAllowed)).toEqual(allowed);
});

it('npm may run no install script, and no exception outlives its package', () => {
  expect(findLockProblems(packages, 'ignore-scripts=false\n')).toEqual([
    expect.stringContaining('.npmrc does not set ignore-scripts=true'),
  ]);
  const [first = ''] = Object.keys(INSTALL_SCRIPTS);
  const left = packages.filter(({ name }) => name !== first && name !== 'png-js');
  expect([...findLockProblems(left), ...findLicenceProblems(left)]).toEqual([
    expect.stringContaining(`${first} has no install script any more`),
    expect.stringMatching(/^png-js@\S+ is not needed any more/),
  ]);
});

it('npm audit counts high and critical advisories that are not explained, each once', () => {
  const via = (severity: string, id: string): object => ({
    name: 'leaky',
    title: 'Leak',
    severity,
    url: `https://github.com/advisories/${id}`,
  });
  const all = [via('low', 'a'), via('high', 'b'), via('critical', 'c'), via('high', 'b'), 'other'];
  const output = JSON.stringify({ auditReportVersion: 2, vulnerabilities: { leaky: { via: all } } });
  expect(evaluateAudit(output, { 'https://github.com/advisories/c': 'not reachable' })).toEqual({
    problems: ['leaky has a high advisory: Leak, https://github.com/advisories/b. Update it, or explain it.'],
  });
});

it.each([JSON.stringify({ message: '405 Method Not Allowed', error: {} }), 'npm was killed'])(
  'npm audit without a report is not a success: %s',
  (output) => {
    expect(evaluateAudit(output).notChecked).toMatch(/NOT CHECKED: (405 Method|npm was killed)/);
  },
);

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
