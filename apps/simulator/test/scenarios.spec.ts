import { FACT_DEFINITIONS, type FactType } from '@ssb/events';
import { parseMarketDate } from '@ssb/market';
import { operatorPath, parseBulkLine } from '@ssb/market/admin';
import type { Figure } from '../src/domain/scenario/expectation.js';
import { buildExpectations, type Expectations } from '../src/domain/scenario/expected-events.js';
import { listScenarios, readScenario } from '../src/scenario-files.js';
import { startOperatorApi, type TestOperatorApi } from './support/operator-api.js';
import { type RunningSimulator, runSimulator } from './support/running-simulator.js';

const TODAY = '2026-03-12';
const PARTICIPANTS = ['WPGENCO', 'SOLARCO', 'WINDCO'];
const ONCE = [
  'adjusted-invoice',
  'credit-support-short',
  'demo',
  'forecast-breach-that-never-comes',
  'handled-breach',
  'invoice-documents',
  'late-statement',
  'many-participants',
  'market-unreachable',
  'money-to-come',
  'normal-week',
  'notice-of-disagreement',
  'nstem-estimation',
  'payment-reminder',
  'revised-statement',
  'stale-position',
];
/** Each scenario ends within this time at speed 1. */
const MAX_DURATION_MS = 30_000;

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

async function start(settings: Record<string, string>): Promise<RunningSimulator> {
  const { url } = operator;
  simulator = await runSimulator({ OPERATOR_URL: url, TOKEN_URL: url, SPEED: 'max', ...settings });
  return simulator;
}

async function readOnce(name: string) {
  const scenario = await readScenario(name);
  if (scenario.kind !== 'once') throw new Error(`${name} has no end`);
  return scenario;
}

const expectations = new Map<string, Expectations>();

/** Builds them once for all tests. */
async function expectationsOf(name: string): Promise<Expectations> {
  const known = expectations.get(name);
  if (known !== undefined) return known;
  const built = buildExpectations(await readOnce(name), PARTICIPANTS, parseMarketDate(TODAY));
  expectations.set(name, built);
  return built;
}

describe('the scenarios of the simulator', () => {
  it('are all listed in this test', async () => {
    const entries = await listScenarios();
    const names = (kind: string): string[] =>
      entries.flatMap((each) => (each.kind === kind ? [each.name] : []));
    expect(names('once')).toEqual(ONCE);
    expect(names('endless')).toEqual(['everyday', 'history']);
  });

  it('end within 30 seconds', async () => {
    const durations = await Promise.all(
      ONCE.map(async (name) => {
        const { steps } = await readOnce(name);
        return { name, ms: steps.reduce((sum, { hold }) => sum + hold, 0) };
      }),
    );
    expect(durations.filter(({ ms }) => ms > MAX_DURATION_MS)).toEqual([]);
  });

  it('expect every event type about the market and the participant', async () => {
    const expected = await Promise.all(ONCE.map((name) => expectationsOf(name)));
    const types = new Set(expected.flatMap(({ events }) => events.map(({ type }) => type)));
    if (expected.some(({ calculations }) => calculations['WPGENCO'] !== 0))
      types.add('settlementbus.position.calculated.v1');
    // A reminder and its end are on different days.
    types.add('settlementbus.statement.disagreement-lapsed.v1');
    expect([...types].sort()).toEqual(Object.keys(FACT_DEFINITIONS).sort());
  });

  it('expect only figures that their events have', async () => {
    const expected = await Promise.all(ONCE.map((name) => expectationsOf(name)));
    const unknown = expected.flatMap(({ events }) =>
      events.flatMap(({ type, data }) => {
        const { schema } = FACT_DEFINITIONS[type as FactType];
        return findUnknownFigures(schema as ObjectSchema, data).map((path) => `${type}${path}`);
      }),
    );
    expect(unknown).toEqual([]);
  });

  it.each(ONCE)('%s publishes the records of its expected events', async (name) => {
    const settings = { SCENARIO: name, PARTICIPANTS: PARTICIPANTS.join(','), FROM: TODAY };
    const running = await start(settings);
    await running.untilStep('summary');
    const { events, calculations } = await expectationsOf(name);
    expect(events.length).toBeGreaterThan(0);
    const published = findPublished();
    expect(events.filter(({ subject }) => !published.subjects.has(subject))).toEqual([]);
    expect(published.calculations).toEqual(calculations);
    const logged = running.lines
      .filter(({ step }) => step === 'expected-event')
      .map(({ subject }) => subject);
    expect(logged).toEqual(events.map(({ subject }) => subject));
    expect(running.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    FURTHER_CHECKS[name]?.();
  });
});

/** The bodies of the records of one path. */
const bodies = (path: string): string[] =>
  operator.records.flatMap((each) => (each.path === path ? [each.body] : []));
const findAll = (texts: readonly string[], pattern: RegExp): (string | undefined)[] =>
  texts.map((text) => pattern.exec(text)?.[1]);

const FURTHER_CHECKS: Readonly<Record<string, () => void>> = {
  'credit-support-short': () => {
    const rows = bodies(operatorPath('prudential')).filter((body) => body.includes('"WPGENCO"'));
    const support = ['8000000.00', '7000000.00', '7200000.00', '7200000.00'];
    expect(findAll(rows, /"creditSupport":([\d.]+)/)).toEqual(support);
    expect(findAll(rows, /"creditLimit":([\d.]+)/).at(-1)).toBe('7000000.00');
  },
  // The earlier week was published on its own day, before the timeline.
  'normal-week': () => {
    const [first] = findAll(bodies(operatorPath('statements')), /"publishedAt":"([^"]+)"/);
    expect(first).toBe('2026-01-15T10:00:00');
    expect(operator.records.findIndex(({ path }) => path === operatorPath('timelines'))).toBeGreaterThan(1);
  },
  'market-unreachable': () => {
    const prudential = { forSeconds: 1, path: '/api/v2/prudential/**' };
    expect(operator.faults).toEqual([
      { kind: 'clock-skew', seconds: 86_400, ...prudential },
      { kind: 'error', status: 503, ...prudential },
      { kind: 'connection-reset', when: 'before-response', forSeconds: 1, path: '/api/v2/settlements/**' },
    ]);
  },
};

it('many-participants needs three participants', async () => {
  const settings = { SCENARIO: 'many-participants', PARTICIPANTS: 'WPGENCO' };
  await expect(start(settings)).rejects.toThrow('it needs 3 participants, PARTICIPANTS has 1');
});

/** What the loaded records and faults can cause. */
function findPublished(): { subjects: ReadonlySet<string>; calculations: Record<string, number> } {
  const subjects = new Set<string>();
  const calculations: Record<string, number> = Object.fromEntries(PARTICIPANTS.map((code) => [code, 0]));
  const add = (base: string, ...rest: string[]): void => {
    for (const each of rest) subjects.add(`${base}${each}`);
  };
  for (const { path, body } of operator.records) {
    const kind = path.split('/').at(-1);
    const reading = parseBulkLine(`{"kind":${JSON.stringify(kind)},"record":${body}}`);
    if (!reading.ok) throw new Error(`not a record: ${JSON.stringify(reading.issues)}`);
    const line = reading.value;
    if (line.kind === 'statements') {
      const { participantCode, ...statement } = line.record.statement;
      const base = `${participantCode}/${runOf(statement)}`;
      add(base, '', `/disagreement/${statement.publishedAt}/{digest}`);
    } else if (line.kind === 'statement-estimations') {
      const { participantCode, tradingDay, ...details } = line.record.details;
      add(participantCode, `/${runOf(details)}/estimation/${tradingDay.slice(0, 10)}`);
    } else if (line.kind === 'invoices') {
      const { participantCode, invoice, ...run } = line.record;
      const base = `${participantCode}/${runOf(run)}/invoice/${invoice.id}`;
      add(base, '', '/discrepancy', '/document', '/payment');
    } else if (line.kind === 'prudential') {
      const { participantCode } = line.record;
      calculations[participantCode] = (calculations[participantCode] ?? 0) + 1;
      add(participantCode, '/prudential', '/credit-support', '/position/stale');
      add(`${participantCode}/margin-forecast`, '/operator', '/trend');
    } else if (line.kind === 'timelines') {
      const runs = (line.record.timeline.cycles ?? []).flatMap((cycle) =>
        (cycle.runs ?? []).map(({ designation }) => runOf({ ...cycle, designation: designation ?? '' })),
      );
      for (const participant of PARTICIPANTS) {
        add(participant, '/timeline');
        for (const run of runs) add(`${participant}/${run}`, '/overdue', '/invoice-overdue');
      }
    }
  }
  for (const participant of operator.faults.length > 0 ? PARTICIPANTS : [])
    add(`${participant}/market`, '/prudential', '/settlement');
  return { subjects, calculations };
}

function runOf(run: { marketService: string; periodFrom: string; designation: string }): string {
  return [run.marketService, run.periodFrom.slice(0, 10), run.designation].join('/');
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly items?: ObjectSchema;
}

/** Paths of figures that the schema does not have. */
function findUnknownFigures(schema: ObjectSchema, figure: Figure, path = ''): string[] {
  if (figure === null || typeof figure !== 'object') return [];
  if (Array.isArray(figure))
    return (figure as Figure[]).flatMap((each) => findUnknownFigures(schema.items ?? {}, each, `${path}[]`));
  return Object.entries(figure as Record<string, Figure>).flatMap(([name, value]) => {
    const property = schema.properties?.[name];
    return property === undefined
      ? [`${path}.${name}`]
      : findUnknownFigures(property, value, `${path}.${name}`);
  });
}
