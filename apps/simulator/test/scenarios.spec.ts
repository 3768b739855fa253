import { compareDecimals, parseDecimal, parseJson } from '@ssb/market';
import { OPERATOR_PATHS, parseBulkLine } from '@ssb/market-admin';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listScenarios, SCENARIOS_DIR } from '../src/scenario-files.js';
import { startOperatorApi, type LoadedRecord, type TestOperatorApi } from './support/operator-api.js';
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

async function runUntilEnd(
  scenario: string,
  settings: Record<string, string> = {},
): Promise<RunningSimulator> {
  simulator = await runSimulator({
    OPERATOR_URL: operator.url,
    TOKEN_URL: operator.url,
    SCENARIO: scenario,
    SPEED: 'max',
    ...settings,
  });
  await simulator.untilStep('summary');
  return simulator;
}

describe('the scenarios of the simulator', () => {
  it('are all listed in this test', async () => {
    const entries = await listScenarios();
    const names = (kind: string): string[] =>
      entries.flatMap((each) => (each.kind === kind ? [each.name] : []));
    expect(names('once')).toEqual(ONCE);
    expect(names('endless')).toEqual(['everyday', 'history']);
  });

  it.each([...ONCE, 'everyday', 'history'])('%s begins with a description', async (name) => {
    expect(await readFile(join(SCENARIOS_DIR, `${name}.yaml`), 'utf8')).toMatch(/^(?:# .+\n){2,5}\nkind: /);
  });

  it.each(ONCE)('%s publishes exactly the records of its expected events', async (name) => {
    const { lines } = await runUntilEnd(name, { PARTICIPANTS: 'WPGENCO,SOLARCO' });
    const expected = lines.find(({ step }) => step === 'expected')?.expect ?? [];
    expect(expected.length).toBeGreaterThan(0);
    expect(computeBridgeEvents(operator.records)).toEqual(
      [...expected].sort((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1)),
    );
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });
});

/** The bodies of the records of one path. */
const bodies = (path: string): string[] =>
  operator.records.flatMap((each) => (each.path === path ? [each.body] : []));
const findAll = (texts: readonly string[], pattern: RegExp): (string | undefined)[] =>
  texts.map((text) => pattern.exec(text)?.[1]);

describe('a scenario', () => {
  it('rerun-cures-breach: one trading day, two calculations', async () => {
    await runUntilEnd('rerun-cures-breach');
    const days = findAll(bodies(OPERATOR_PATHS.prudential), /"tradingDay":"([^"]+)"/);
    const times = findAll(bodies(OPERATOR_PATHS.prudential), /"calculatedAt":"([^"]+)"/);
    expect(days[1]).toBe(days[2]);
    expect(days[0]).not.toBe(days[1]);
    expect([...times].sort()).toEqual(times);
    expect(new Set(times).size).toBe(3);
  });

  it('forecast-breach-that-never-comes: forecasts below zero, for coming days only', async () => {
    await runUntilEnd('forecast-breach-that-never-comes', { FROM: '2026-03-12' });
    const forecasts = bodies(OPERATOR_PATHS.prudential).filter((body) => body.includes('"isForecast":true'));
    expect(findAll(forecasts, /"tradingMargin":([-\d.]+)/).slice(0, 3)).toEqual([
      '150000.00',
      '-60000.00',
      '-120000.00',
    ]);
    expect(findAll(forecasts, /"tradingDay":"([^T]+)/)).toEqual([
      '2026-03-13',
      '2026-03-14',
      '2026-03-15',
      '2026-03-13',
      '2026-03-14',
      '2026-03-15',
    ]);
  });

  it('revised-statement: a later run id and other figures', async () => {
    await runUntilEnd('revised-statement');
    const statements = bodies(OPERATOR_PATHS.statements);
    const [first, second] = findAll(statements, /"runId":(\d+)/).map(Number);
    expect(second).toBeGreaterThan(first ?? NaN);
    const values = statements.map((text) => text.match(/"value":[\d.]+/g));
    expect(values[1]).toHaveLength(values[0]?.length ?? NaN);
    expect(values[1]).not.toEqual(values[0]);
    // Details of both runs, two days each.
    expect(bodies(OPERATOR_PATHS.statementDetails)).toHaveLength(4);
  });

  it('reversed-invoice: the second one names the reversal', async () => {
    await runUntilEnd('reversed-invoice', { FROM: '2026-03-15' });
    expect(findAll(bodies(OPERATOR_PATHS.invoices), /"reversedId":"([^"]+)"/)).toEqual([
      undefined,
      'INV-2026-03-01-R',
    ]);
  });

  it('changed-timeline: the same run on three different days', async () => {
    await runUntilEnd('changed-timeline', { FROM: '2026-03-15' });
    const wem = /"marketService":"WEM".*?"statementDate":"([^T]+)/;
    expect(findAll(bodies(OPERATOR_PATHS.timelines), wem)).toEqual([
      '2026-03-15',
      '2026-03-17',
      '2026-03-15',
    ]);
  });

  it('operator-outage: a bounded fault of 503', async () => {
    await runUntilEnd('operator-outage', { SPEED: '2000' });
    expect(operator.faults).toEqual([{ kind: 'error', status: 503, forSeconds: 1 }]);
  });
});

/**
 * The events of a bridge for these records, computed without its code: the first statement and invoice of each run, and each change of the
 * margin level. Sorted and unique.
 */
function computeBridgeEvents(records: readonly LoadedRecord[]): [type: string, subject: string][] {
  const events = new Map<string, [string, string]>();
  const seen = new Set<string>();
  const levels = new Map<string, Level>();
  const addEvent = (type: string, subject: string): void => {
    events.set(`${type} ${subject}`, [`settlementbus.${type}.v1`, subject]);
  };
  const addFirst = (key: string, type: string, subject: string): void => {
    if (!seen.has(key)) addEvent(type, subject);
    seen.add(key);
  };
  for (const { path, body } of records) {
    const kind = path.split('/').at(-1);
    const reading = parseBulkLine(`{"kind":${JSON.stringify(kind)},"record":${body}}`);
    if (!reading.ok)
      throw new Error(`not a record: ${JSON.stringify(reading.issues)} ${String(parseJson(body))}`);
    const line = reading.value;
    if (line.kind === 'statements') {
      const { participantCode, marketService, periodFrom, designation } = line.record.statement;
      const run = `${participantCode}/${marketService}/${periodFrom.slice(0, 10)}/${designation}`;
      addFirst(`statement ${run}`, 'statement.published', run);
    } else if (line.kind === 'invoices') {
      const { participantCode, marketService, periodFrom, designation, invoice } = line.record;
      const run = `${participantCode}/${marketService}/${periodFrom}/${designation}`;
      addFirst(`invoice ${run}`, 'invoice.issued', `${run}/invoice/${invoice.id}`);
    } else if (line.kind === 'prudential' && line.record.calculation.isForecast !== true) {
      const { participantCode, calculation } = line.record;
      const before = levels.get(participantCode) ?? 'restored';
      const level = levelAfter(before, calculation.tradingMargin ?? '0');
      levels.set(participantCode, level);
      if (level !== before) addEvent(`margin.${level}`, `${participantCode}/prudential`);
    }
  }
  return [...events.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event);
}

type Level = 'restored' | 'warning' | 'breached';

/** The margin leaves a level only beyond its threshold plus the hysteresis. */
function levelAfter(before: Level, margin: string): Level {
  const isBelow = (threshold: typeof WARNING): boolean =>
    compareDecimals(parseDecimal(margin), threshold) < 0;
  if (isBelow(before === 'breached' ? HYSTERESIS : BREACH)) return 'breached';
  return isBelow(before === 'restored' ? WARNING : RESTORED) ? 'warning' : 'restored';
}
