import { compareDecimals, parseDecimal, parseJson } from '@ssb/market';
import { OPERATOR_PATHS, readBulkLine } from '@ssb/market-admin';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listScenarios, SCENARIOS } from '../src/scenario-files.js';
import { startOperatorApi, type Taken, type TestOperatorApi } from './support/operator-api.js';
import { type RunningSimulator, runSimulator } from './support/running-simulator.js';

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

/** The thresholds of config/bridge.yaml. */
const WARNING = parseDecimal('250000.00');
const BREACH = parseDecimal('0.00');
const HYSTERESIS = parseDecimal('25000.00');
const RESTORED = parseDecimal('275000.00');

let operator: TestOperatorApi;
let simulator: RunningSimulator | undefined;

beforeEach(async () => {
  simulator = undefined;
  operator = await startOperatorApi();
});

afterEach(async () => {
  await simulator?.app.close();
  await operator.close();
});

async function runToTheEnd(scenario: string, more: Record<string, string> = {}): Promise<RunningSimulator> {
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
  it('all run here, except the endless ones', async () => {
    const entries = await listScenarios();
    const names = (kind: string): string[] =>
      entries.flatMap((each) => (each.kind === kind ? [each.name] : []));
    expect(names('once')).toEqual(ONCE);
    expect(names('endless')).toEqual(['everyday', 'history']);
  });

  it.each([...ONCE, 'everyday', 'history'])('%s begins with what it shows', async (name) => {
    expect(await readFile(join(SCENARIOS, `${name}.yaml`), 'utf8')).toMatch(/^(?:# .+\n){2,5}\nkind: /);
  });

  it.each(ONCE)('%s publishes what it says must be stated, and nothing that says more', async (name) => {
    const { lines } = await runToTheEnd(name, { PARTICIPANTS: 'WPGENCO,SOLARCO' });
    const expected = lines.find(({ step }) => step === 'expected')?.expect ?? [];
    expect(expected.length).toBeGreaterThan(0);
    expect(bridgeEvents(operator.taken)).toEqual(
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
    await runToTheEnd('rerun-cures-breach');
    const days = found(bodies(OPERATOR_PATHS.prudential), /"tradingDay":"([^"]+)"/);
    const times = found(bodies(OPERATOR_PATHS.prudential), /"calculatedAt":"([^"]+)"/);
    expect(days[1]).toBe(days[2]);
    expect(days[0]).not.toBe(days[1]);
    expect([...times].sort()).toEqual(times);
    expect(new Set(times).size).toBe(3);
  });

  it('forecast-breach-that-never-comes: forecasts below nought, for coming days alone', async () => {
    await runToTheEnd('forecast-breach-that-never-comes', { FROM: '2026-03-12' });
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
    await runToTheEnd('revised-statement');
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
    await runToTheEnd('reversed-invoice', { FROM: '2026-03-15' });
    expect(found(bodies(OPERATOR_PATHS.invoices), /"reversedId":"([^"]+)"/)).toEqual([
      undefined,
      'INV-2026-03-01-R',
    ]);
  });

  it('changed-timeline: the same run on three different days', async () => {
    await runToTheEnd('changed-timeline', { FROM: '2026-03-15' });
    const wem = /"marketService":"WEM".*?"statementDate":"([^T]+)/;
    expect(found(bodies(OPERATOR_PATHS.timelines), wem)).toEqual(['2026-03-15', '2026-03-17', '2026-03-15']);
  });

  it('operator-outage: a bounded fault of 503', async () => {
    await runToTheEnd('operator-outage', { SPEED: '2000' });
    expect(operator.faults).toEqual([{ kind: 'error', status: 503, forSeconds: 1 }]);
  });
});

/**
 * The events of a bridge for these records, computed without its code: the first statement and the first invoice of each run, and each
 * change of the margin's level. Sorted, each once.
 */
function bridgeEvents(taken: readonly Taken[]): [type: string, subject: string][] {
  const events = new Map<string, [string, string]>();
  const seen = new Set<string>();
  const levels = new Map<string, Level>();
  const state = (type: string, subject: string): void => {
    events.set(`${type} ${subject}`, [`settlementbus.${type}.v1`, subject]);
  };
  const stateFirst = (of: string, type: string, subject: string): void => {
    if (!seen.has(of)) state(type, subject);
    seen.add(of);
  };
  for (const { path, body } of taken) {
    const kind = path.split('/').at(-1);
    const reading = readBulkLine(`{"kind":${JSON.stringify(kind)},"record":${body}}`);
    if (!reading.ok)
      throw new Error(`no record: ${JSON.stringify(reading.issues)} ${String(parseJson(body))}`);
    const line = reading.value;
    if (line.kind === 'statements') {
      const { participantCode, marketService, periodFrom, designation } = line.record.statement;
      const run = `${participantCode}/${marketService}/${periodFrom.slice(0, 10)}/${designation}`;
      stateFirst(`statement ${run}`, 'statement.published', run);
    } else if (line.kind === 'invoices') {
      const { participantCode, marketService, periodFrom, designation, invoice } = line.record;
      const run = `${participantCode}/${marketService}/${periodFrom}/${designation}`;
      stateFirst(`invoice ${run}`, 'invoice.issued', `${run}/invoice/${invoice.id}`);
    } else if (line.kind === 'prudential' && line.record.calculation.isForecast !== true) {
      const { participantCode, calculation } = line.record;
      const before = levels.get(participantCode) ?? 'restored';
      const level = levelAfter(before, calculation.tradingMargin ?? '0');
      levels.set(participantCode, level);
      if (level !== before) state(`margin.${level}`, `${participantCode}/prudential`);
    }
  }
  return [...events.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event);
}

type Level = 'restored' | 'warning' | 'breached';

/** A level is left only at its threshold and the hysteresis. */
function levelAfter(before: Level, margin: string): Level {
  const isBelow = (threshold: typeof WARNING): boolean =>
    compareDecimals(parseDecimal(margin), threshold) < 0;
  if (isBelow(before === 'breached' ? HYSTERESIS : BREACH)) return 'breached';
  return isBelow(before === 'restored' ? WARNING : RESTORED) ? 'warning' : 'restored';
}
