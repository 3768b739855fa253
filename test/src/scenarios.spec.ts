import { REPOSITORY_ROOT } from '@ssb/tools';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { alignRows, type Outcome, type QueuedEvent, toRows } from './harness/scenario-outcome.js';
import { type PlayedScenario, ScenarioPlayer } from './harness/scenario-player.js';

const SCENARIOS = join(REPOSITORY_ROOT, 'apps/simulator/scenarios');
const TEST_TIMEOUT_MS = 600_000;

interface Scenario extends PlayedScenario {
  /** Scenarios of a group share a market and a poller. A timeline is the same for every participant of a market. */
  readonly group: string;
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
    // Faults and settings can last for some time.
    const isTimed = settings !== undefined || text.includes('lasts:');
    const name = file.replace('.yaml', '');
    const hasTimeline = /(timeline|move):/.test(text);
    const group = hasTimeline ? name : isTimed ? 'timed' : 'untimed';
    return [{ name, participants, settings: settings ?? {}, isTimed, group }];
  });

let player: ScenarioPlayer;
/** The outcomes of the group of each scenario. */
const played = new Map<string, Promise<Map<string, Outcome[]>>>();

beforeAll(async () => {
  player = await ScenarioPlayer.start();
  const byGroup = new Map<string, Scenario[]>();
  for (const scenario of scenarios)
    byGroup.set(scenario.group, [...(byGroup.get(scenario.group) ?? []), scenario]);
  for (const [group, members] of byGroup) {
    const outcomes = player.play(group, members);
    // A later test awaits it.
    outcomes.catch(() => undefined);
    for (const { name } of members) played.set(name, outcomes);
  }
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  await Promise.allSettled(played.values());
  await player.stop();
}, TEST_TIMEOUT_MS);

async function outcomesOf(scenario: string): Promise<Outcome[]> {
  return (await played.get(scenario))?.get(scenario) ?? [];
}

it.each(scenarios.map(({ name }) => name))(
  '%s lists its events, with their figures and in their order',
  async (name) => {
    for (const { expected, steps, calculations } of await outcomesOf(name)) {
      const isCalculation = ({ type }: QueuedEvent): boolean =>
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
    const [outcome] = await outcomesOf('payment-reminder');
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
