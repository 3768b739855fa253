import { REPOSITORY_ROOT } from '@ssb/tools';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { alignRows, type Outcome, type QueuedEvent, toRows } from '../harness/scenario-outcome.js';
import { type PlayedScenario, ScenarioPlayer } from '../harness/scenario-player.js';

const SCENARIOS = join(REPOSITORY_ROOT, 'apps/simulator/scenarios');

/** Each has a participant of its own. The other scenarios need several participants, or faults of the market. */
const NAMES = [
  'adjusted-invoice',
  'credit-support-short',
  'demo',
  'forecast-breach-that-never-comes',
  'handled-breach',
  'invoice-documents',
  'late-statement',
  'money-to-come',
  'normal-week',
  'notice-of-disagreement',
  'payment-reminder',
  'revised-statement',
];

interface Group {
  readonly members: PlayedScenario[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Scenarios of a group share a market and a poller. A timeline and the fault of a document are the same for every participant of
 * a market, and settings are those of one scenario.
 */
const groups = new Map<string, Group>();
for (const [index, name] of NAMES.entries()) {
  const text = readFileSync(join(SCENARIOS, `${name}.yaml`), 'utf8');
  const { settings = {} } = parse(text) as { settings?: Group['settings'] };
  const isAlone = /(timeline|move|invoiceFile):/.test(text) || Object.keys(settings).length > 0;
  const group = isAlone ? name : 'shared';
  const { members } = groups.get(group) ?? { members: [] };
  groups.set(group, { members: [...members, { name, participant: `P${index}` }], settings });
}

let player: ScenarioPlayer;
/** The outcomes of the group of each scenario. */
const played = new Map<string, Promise<Map<string, Outcome>>>();

beforeAll(async () => {
  player = await ScenarioPlayer.start();
  for (const [group, { members, settings }] of groups) {
    const outcomes = player.play(group, members, settings);
    // A later test awaits it.
    outcomes.catch(() => undefined);
    for (const { name } of members) played.set(name, outcomes);
  }
});

afterAll(async () => {
  await Promise.allSettled(played.values());
  await player.stop();
});

async function outcomeOf(scenario: string): Promise<Outcome> {
  const outcome = (await played.get(scenario))?.get(scenario);
  if (outcome === undefined) throw new RangeError(`${scenario} was not played`);
  return outcome;
}

it.each(NAMES)('%s lists its events, with their figures and in their order', async (name) => {
  const { expected, steps, calculations } = await outcomeOf(name);
  const isCalculation = ({ type }: QueuedEvent): boolean => type === 'settlementbus.position.calculated.v1';
  const others = steps.map((events) => events.filter((event) => !isCalculation(event)));
  expect(expected.length).toBeGreaterThan(0);
  expect(alignRows(expected, others)).toEqual(toRows(expected));
  expect(steps.flat().filter(isCalculation)).toHaveLength(calculations);
});

it('a payment reminder has the amount of its invoice, and the direction that follows from its sign', async () => {
  const { steps } = await outcomeOf('payment-reminder');
  const received = steps.flat();
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
});
