import { REPOSITORY_ROOT } from '@ssb/tools';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type DeliveredEvent, RunningSystem } from './harness/running-system.js';
import { alignRows, type Outcome, toRows } from './harness/scenario-outcome.js';
import { ScenarioPlayer } from './harness/scenario-player.js';

const SCENARIOS = join(REPOSITORY_ROOT, 'apps/simulator/scenarios');
/** Scenarios that play at once. */
const CONCURRENCY = 7;
const TEST_TIMEOUT_MS = 600_000;

interface Scenario {
  readonly name: string;
  readonly participants: readonly string[];
  /** Settings of the bridge for each of its participants. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Faults and settings can last for some time. */
  readonly isTimed: boolean;
}

/** The scenarios with an end. Each has participants of its own. */
const scenarios = readdirSync(SCENARIOS)
  .sort()
  .flatMap((file, index): Scenario[] => {
    const text = readFileSync(join(SCENARIOS, file), 'utf8');
    const { kind, settings } = parse(text) as { kind: string; settings?: Scenario['settings'] };
    if (kind !== 'once') return [];
    const count = Math.max(
      1,
      ...[...text.matchAll(/participant: (\d)/g)].map(([, number]) => Number(number)),
    );
    const participants = Array.from({ length: count }, (_, number) => `P${index}N${number}`);
    const isTimed = settings !== undefined || text.includes('lasts:');
    return [{ name: file.replace('.yaml', ''), participants, settings: settings ?? {}, isTimed }];
  });

/** The configuration of the sandbox with these participants, and every event to the webhook. */
function writeConfig(folder: string): string {
  const config = parse(readFileSync(join(REPOSITORY_ROOT, 'config/bridge.yaml'), 'utf8')) as {
    participants: [Record<string, unknown>];
  };
  const [participant] = config.participants;
  const participants = scenarios.flatMap(({ participants: codes, settings }) =>
    codes.map((code) => ({ ...participant, ...settings, code })),
  );
  const rules = [{ types: ['settlementbus.*'], sinks: ['treasury'], alert: false }];
  const file = join(folder, 'bridge.yaml');
  const sinks = [{ name: 'treasury', kind: 'webhook', url: '${WEBHOOK_URL}', secret: '${WEBHOOK_SECRET}' }];
  writeFileSync(
    file,
    stringify({
      ...config,
      ignore: [],
      participants: [participant, ...participants],
      alerts: { sinks, rules },
    }),
  );
  return file;
}

let folder: string;
let running: RunningSystem;
const outcomes = new Map<string, Promise<Outcome[]>>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scenarios-spec-'));
  running = await RunningSystem.start({}, { operatorConfig: writeConfig(folder), pollIntervalMs: 250 });
  const player = await ScenarioPlayer.create(running);
  const free: Promise<unknown>[] = Array.from({ length: CONCURRENCY }, () => Promise.resolve());
  for (const [index, { name, participants, isTimed }] of scenarios.entries()) {
    const slot = index % CONCURRENCY;
    const outcome = (free[slot] ?? Promise.resolve()).then(() => player.play(name, participants, isTimed));
    free[slot] = outcome.catch(() => undefined);
    outcomes.set(name, outcome);
  }
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  await Promise.allSettled(outcomes.values());
  await running.stop();
  rmSync(folder, { recursive: true });
}, TEST_TIMEOUT_MS);

it.each(scenarios.map(({ name }) => name))(
  '%s lists its events, with their figures and in their order',
  async (name) => {
    for (const { expected, steps, calculations } of (await outcomes.get(name)) ?? []) {
      const isCalculation = ({ type }: DeliveredEvent): boolean =>
        type === 'settlementbus.position.calculated.v1';
      const others = steps.map((events) => events.filter((event) => !isCalculation(event)));
      expect(alignRows(expected, others)).toEqual(toRows(expected));
      expect(steps.flat().filter(isCalculation)).toHaveLength(calculations);
    }
  },
  TEST_TIMEOUT_MS,
);

it(
  'a payment reminder has the amount of its invoice, and the direction that follows from its sign',
  async () => {
    const [outcome] = (await outcomes.get('payment-reminder')) ?? [];
    const received = outcome?.steps.flat() ?? [];
    const reminders = received.filter(({ type }) => type === 'settlementbus.payment.due.v1');
    expect(reminders).toHaveLength(3);
    for (const { data } of reminders) {
      const invoice = received.find(
        ({ type, data: { id, digest } }) =>
          type.startsWith('settlementbus.invoice.') && id === data['invoiceId'] && digest === data['digest'],
      );
      const { payableAmount } = invoice?.data ?? {};
      const direction = String(payableAmount).startsWith('-') ? 'receive' : 'pay';
      expect(data).toMatchObject({ payableAmount, direction });
    }
  },
  TEST_TIMEOUT_MS,
);
