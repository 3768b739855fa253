import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATOR_PATHS } from '@ssb/market';
import { SCENARIOS } from './stage/scenario-file.js';
import { listScenarios, scenarioListText } from './stage/scenario-list.js';
import { judgedEvents } from './testing/judged-events.js';
import { startOperatorSide, type OperatorSide } from './testing/operator-side.js';
import { runSimulator, type RunningSimulator } from './testing/running-simulator.js';

const ONCE = [
  'changed-timeline',
  'demo',
  'forecast-breach-that-never-comes',
  'invoice-that-does-not-add-up',
  'normal-week',
  'operator-outage',
  'rerun-cures-breach',
  'reversed-invoice',
  'revised-statement',
  'slow-slide',
  'statement-overdue',
  'sudden-breach',
];

let operator: OperatorSide;
let simulator: RunningSimulator | undefined;

beforeEach(async () => {
  simulator = undefined;
  operator = await startOperatorSide();
});

afterEach(async () => {
  await simulator?.app.close();
  await operator.close();
});

async function playToTheEnd(scenario: string, more: Record<string, string> = {}): Promise<RunningSimulator> {
  simulator = await runSimulator({
    OPERATOR_URL: operator.url,
    TOKEN_URL: operator.url,
    SCENARIO: scenario,
    SPEED: 'max',
    ...more,
  });
  await simulator.untilStep('summary');
  return simulator;
}

describe('the scenarios that come with the simulator', () => {
  it('are all played here, but for the endless ones', async () => {
    const entries = await listScenarios();
    const names = (kind: string): string[] =>
      entries.flatMap((each) => (each.kind === kind ? [each.name] : []));
    expect(names('once')).toEqual(ONCE);
    expect(names('endless')).toEqual(['everyday', 'history']);
    for (const { name } of entries) expect(scenarioListText(entries)).toContain(name);
    for (const { about } of entries) expect(scenarioListText(entries)).toContain(about);
  });

  it.each([...ONCE, 'everyday', 'history'])('%s begins with what it shows', async (name) => {
    expect(await readFile(join(SCENARIOS, `${name}.yaml`), 'utf8')).toMatch(/^(?:# .+\n){2,5}\nkind: /);
  });

  it.each(ONCE)('%s publishes what it says must be stated, and nothing that says more', async (name) => {
    const { lines } = await playToTheEnd(name, { PARTICIPANTS: 'WPGENCO,SOLARCO' });
    const expected = lines.find(({ step }) => step === 'expected')?.expect ?? [];
    expect(expected.length).toBeGreaterThan(0);
    expect(judgedEvents(operator.taken)).toEqual(
      [...expected].sort((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1)),
    );
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

/** The bodies that came in at one path. */
const bodies = (path: string): string[] =>
  operator.taken.flatMap((each) => (each.path === path ? [each.body] : []));
const found = (texts: readonly string[], pattern: RegExp): (string | undefined)[] =>
  texts.map((text) => pattern.exec(text)?.[1]);

describe('what a scenario shows', () => {
  it('rerun-cures-breach: one trading day, two calculations', async () => {
    await playToTheEnd('rerun-cures-breach');
    const days = found(bodies(OPERATOR_PATHS.prudential), /"tradingDay":"([^"]+)"/);
    const times = found(bodies(OPERATOR_PATHS.prudential), /"calculatedAt":"([^"]+)"/);
    expect(days[1]).toBe(days[2]);
    expect(days[0]).not.toBe(days[1]);
    expect([...times].sort()).toEqual(times);
    expect(new Set(times).size).toBe(3);
  });

  it('forecast-breach-that-never-comes: forecasts below nought, for coming days alone', async () => {
    await playToTheEnd('forecast-breach-that-never-comes', { FROM: '2026-03-12' });
    const forecasts = bodies(OPERATOR_PATHS.prudential).filter((body) => body.includes('"isForecast":true'));
    expect(found(forecasts, /"tradingMargin":([-\d.]+)/).slice(0, 3)).toEqual([
      '150000.00',
      '-60000.00',
      '-120000.00',
    ]);
    expect(found(forecasts, /"tradingDay":"([^T]+)/)).toEqual([
      '2026-03-13',
      '2026-03-14',
      '2026-03-15',
      '2026-03-13',
      '2026-03-14',
      '2026-03-15',
    ]);
  });

  it('revised-statement: a later run id and other figures, and the invoice follows them', async () => {
    await playToTheEnd('revised-statement');
    const statements = bodies(OPERATOR_PATHS.statements);
    const [first, second] = found(statements, /"runId":(\d+)/).map(Number);
    expect(second).toBeGreaterThan(first ?? NaN);
    const values = statements.map((text) => text.match(/"value":[\d.]+/g));
    expect(values[1]).toHaveLength(values[0]?.length ?? NaN);
    expect(values[1]).not.toEqual(values[0]);
    // Details of both runs, two days each.
    expect(bodies(OPERATOR_PATHS.statementDetails)).toHaveLength(4);
  });

  it('reversed-invoice: the second one names the reversal', async () => {
    await playToTheEnd('reversed-invoice', { FROM: '2026-03-15' });
    expect(found(bodies(OPERATOR_PATHS.invoices), /"reversedId":"([^"]+)"/)).toEqual([
      undefined,
      'INV-2026-03-01-R',
    ]);
  });

  it('changed-timeline: the same run on three different days', async () => {
    await playToTheEnd('changed-timeline', { FROM: '2026-03-15' });
    const wem = /"marketService":"WEM".*?"statementDate":"([^T]+)/;
    expect(found(bodies(OPERATOR_PATHS.timelines), wem)).toEqual(['2026-03-15', '2026-03-17', '2026-03-15']);
  });

  it('operator-outage: the switch for 503, bounded, before the statement comes out', async () => {
    await playToTheEnd('operator-outage', { SPEED: '2000' });
    expect(operator.troubles).toEqual([{ kind: 'error', status: 503, forSeconds: 1 }]);
  });
});
