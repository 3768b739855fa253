import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readScenario, ScenarioError } from './scenario-files.js';

const MINIMAL = `
kind: once
about: minimal
seed: x
book: { creditSupport: '1.00', creditLimit: '1.00', tradingLimit: '1.00', prepayment: '1.00', invoiceNotPaid: '1.00' }
runs:
  wem: { marketService: WEM, designation: INITIAL, firstDay: -14, lastDay: -8, statementDay: 0, invoiceDay: 0, settlementDay: 3 }
steps:
  - { statement: wem, hold: 2s }
expect: []
`;

/** An endless scenario with two rules. */
const endless = (first: string, second: string): string => `
${MINIMAL.slice(0, MINIMAL.indexOf('runs:')).replace('once', 'endless')}
positions: { every: 4s, wave: { centre: '1.00', amplitude: '1.00', noise: '1.00', length: 2 } }
settlement:
  every: 10s
  backlogWeeks: 1
  rules:
    - { ${first}, settlementAfter: 90 }
    - { ${second}, settlementAfter: 90 }
`;
const INITIAL = 'marketService: WEM, period: week, designation: INITIAL, statementAfter: 5, invoiceAfter: 6';
const ADJ1 = 'marketService: WEM, period: week, designation: ADJ1, statementAfter: 61, invoiceAfter: 62';

async function read(yaml: string) {
  const folder = await mkdtemp(join(tmpdir(), 'scenario-'));
  try {
    const path = join(folder, 'scenario.yaml');
    await writeFile(path, yaml);
    return await readScenario(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('readScenario', () => {
  it.each(['demo', 'everyday'])('reads %s by its name', async (name) => {
    expect((await readScenario(name)).about).not.toBe('');
  });

  it('reads durations', async () => {
    expect(await read(MINIMAL)).toMatchObject({ steps: [{ statement: 'wem', hold: 2_000 }] });
  });

  it.each([
    ['the run before', INITIAL.replace('WEM', 'NSTEM')],
    ['a period of the same length', INITIAL.replace('week', 'month')],
    ['an earlier statement', INITIAL.replace('statementAfter: 5', 'statementAfter: 61')],
    ['an earlier invoice', INITIAL.replace('invoiceAfter: 6', 'invoiceAfter: 62')],
  ])('refuses an adjustment without %s to adjust', async (_case, before) => {
    const message = 'expected a rule of WEM for INITIAL that comes before ADJ1';
    await expect(read(endless(before, ADJ1))).rejects.toThrow(message);
  });

  it.each([
    ['a missing file', () => readScenario('/missing/scenario.yaml'), 'cannot be read'],
    ['not YAML', () => read('a: [b'), 'the file is not YAML'],
    ['no expect', () => read(MINIMAL.replace(/^expect.*$/m, '')), 'expect must be a list of the events'],
    ['an unknown field', () => read(`${MINIMAL}extra: 1`), 'extra'],
    [
      'an unknown run',
      () => read(MINIMAL.replace('statement: wem', 'statement: stem')),
      'there is no run stem',
    ],
    [
      'an unknown run in a timeline',
      () => read(MINIMAL.replace('statement: wem', 'timeline: [wem, stem]')),
      'there is no run stem',
    ],
    [
      'an expected type in its full form',
      () =>
        read(MINIMAL.replace('[]', "[{ type: settlementbus.margin.breached.v1, subject: 'A/prudential' }]")),
      'margin.breached',
    ],
    [
      'an adjustment of STEM',
      () => read(MINIMAL.replace('WEM, designation: INITIAL', 'STEM, designation: ADJ1')),
      'INITIAL',
    ],
    ['a last day before the first', () => read(MINIMAL.replace('lastDay: -8', 'lastDay: -18')), 'firstDay'],
    ['a run without days', () => read(MINIMAL.replace('firstDay: -14, ', '')), 'runs.wem'],
    ['an amount without cents', () => read(MINIMAL.replace("'1.00'", "'1'")), 'two digits'],
  ])('refuses %s', async (_case, read, message) => {
    const failure = await read().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ScenarioError);
    expect(String(failure)).toContain(message);
  });
});
