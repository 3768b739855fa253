import { writeFileAtomically } from '@ssb/platform';
import { runToEnd, waitFor } from '@ssb/testing';
import { type AppProcess, REPOSITORY_ROOT } from '@ssb/tools';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { apiOf, requestApi } from '../harness/archive-api.js';
import type { DeliveredEvent } from '../harness/running-system.js';
import { SINK_KINDS, type SinkKind, SinkReceivers } from '../harness/sink-receivers.js';
import { running } from './shared-system.js';

const SIMULATOR = 'simulator-handled-breach';
const REMIND_MINUTES = 10;
const ESCALATE_MINUTES = 30;

const BREACH = 'WPGENCO: Trading margin below the breach threshold';
const RESTORED = '850000.00';
/** The title of each message about the problem, as people read it. */
const TITLES = [
  `CRITICAL ${BREACH}, -60,000.00 AUD`,
  `REMINDER 1, CRITICAL ${BREACH}, -60,000.00 AUD`,
  `ESCALATION 1, CRITICAL ${BREACH}, -60,000.00 AUD`,
  `ACKNOWLEDGED, CRITICAL ${BREACH}, -60,000.00 AUD`,
  'CRITICAL WPGENCO: Breach of the trading margin has become deeper, from -60,000.00 AUD to -185,000.50 AUD',
  'RESOLVED WPGENCO: Trading margin restored, 850,000.00 AUD',
];
/** Alertmanager has the state of the problem, so reminder and escalation change figures only. */
const STATES = [TITLES[0], TITLES[0], TITLES[0], TITLES[3], `ACKNOWLEDGED, ${TITLES[4]}`, TITLES[5]];

/** What the archive API shows of a problem. */
interface ShownProblem {
  readonly acknowledgedBy?: string;
  readonly worstMeasure?: string;
  readonly deliveries: readonly { readonly sink: string; readonly acceptedAt?: string }[];
}

let receivers: SinkReceivers;
let simulator: AppProcess;
let originalConfig: string;
let problemId = '';

/** What a sink of each kind has received so far, in the terms of its kind. */
const RECEIVED: Readonly<Record<SinkKind, () => readonly string[]>> = {
  webhook: () => receivers.webhooks().map(({ kind }) => kind),
  email: () => receivers.mails().map(({ subject }) => subject),
  slack: () => receivers.slackTexts(),
  teams: () => receivers.teamsTitles(),
  pagerduty: () => receivers.incidents().map((each) => `${each.event_action}: ${each.payload.summary}`),
  alertmanager: () =>
    receivers.alerts('critical').map(({ startsAt, endsAt, annotations }) => {
      return `${startsAt === endsAt ? 'ends' : 'fires'}: ${annotations['summary']}`;
    }),
  log: () =>
    receivers.logLines(problemId).map((line) => [line['deliveryKind'], line['problemState']].join(' ')),
};

/** Waits until every sink has received as many messages, and the subscriber has recorded that. */
async function waitForMessages(count: number): Promise<void> {
  await waitFor(
    () =>
      `${count} messages of each sink: ${JSON.stringify(SINK_KINDS.map((kind) => [kind, RECEIVED[kind]()]))}`,
    () => {
      problemId ||= receivers.webhooks()[0]?.problem ?? '';
      return SINK_KINDS.every((kind) => RECEIVED[kind]().length >= count);
    },
  );
  const countPending = `SELECT count(*)::integer AS pending FROM subscriber.delivery WHERE problem_id = $1 AND delivered_at IS NULL`;
  await waitFor('the recorded results', async () => {
    const [row] = await running.database.query<{ pending: number }>(countPending, [problemId]);
    return row?.pending === 0;
  });
}

/** Moves all messages about the problem into the past. */
async function letPass(minutes: number): Promise<void> {
  await running.database.query(
    `UPDATE subscriber.delivery SET created_at = created_at - make_interval(mins => $2),
       delivered_at = delivered_at - make_interval(mins => $2) WHERE problem_id = $1`,
    [problemId, minutes],
  );
}

const countReloads = (): number =>
  running.linesOf('subscriber').filter(({ msg }) => msg === 'configuration reloaded').length;

/** The subscriber decides at once which messages are due when its configuration has changed. */
async function changeConfig(text: string): Promise<void> {
  const before = countReloads();
  await writeFileAtomically(running.system.plan.operatorConfig, text);
  await waitFor('the changed configuration', () => countReloads() > before);
}

/** Adds a sink of each kind, and a rule that gives them the margin problem. The log is a sink already. */
function addSinks(text: string): string {
  const { alerts, ...rest } = parse(text) as { alerts: { sinks: object[]; rules: object[] } };
  const sinks = [...SINK_KINDS];
  const rule = {
    problems: ['margin'],
    sinks,
    remindEvery: `${REMIND_MINUTES}m`,
    escalate: { after: `${ESCALATE_MINUTES}m`, sinks },
  };
  const added = receivers.sinks.filter(({ kind }) => kind !== 'log');
  return stringify({
    ...rest,
    alerts: { ...alerts, sinks: [...alerts.sinks, ...added], rules: [...alerts.rules, rule] },
  });
}

/** Publishes the next calculation of the scenario. */
async function step(number: number): Promise<void> {
  const waits = () => running.linesOf(SIMULATOR).filter((line) => line.step === 'wait').length;
  await waitFor(`step ${number} of the simulator`, () => waits() === number);
  simulator.writeLine('');
}

/** Calculations of later tests are newer than those of the simulator, which can lie a little in the future. */
async function continueAfterSimulator(): Promise<void> {
  const isRestored = ({ type, data }: DeliveredEvent): boolean =>
    type === 'settlementbus.margin.restored.v1' && data['tradingMargin'] === RESTORED;
  const event = await waitFor('the end of the breach', () => running.deliveredEvents().find(isRestored));
  running.market.continueAfter(String(event.data['calculatedAt']));
}

async function acknowledge(): Promise<void> {
  const { status, stderr } = await runToEnd(
    join(REPOSITORY_ROOT, 'bundles', 'cli.js'),
    ['problems', 'ack', problemId, '--comment', 'Cash is coming.'],
    apiOf(running.system),
  );
  expect([status, stderr]).toEqual([0, '']);
}

describe('a breach that people handle', () => {
  beforeAll(async () => {
    // The calculations of earlier tests can lie a little in the future.
    await running.market.waitForCalculations();
    const { operatorConfig } = running.system.plan;
    receivers = await SinkReceivers.start(dirname(operatorConfig), () => running.linesOf('subscriber'));
    originalConfig = readFileSync(operatorConfig, 'utf8');
    const config = addSinks(originalConfig);
    await changeConfig(config);
    simulator = await running.createReplica('simulator', SIMULATOR, {
      SCENARIO: 'handled-breach',
      STEP: 'true',
      LOG_LEVEL: 'debug',
    });
    await simulator.start();

    await step(1); // breached
    await waitForMessages(1);
    await letPass(REMIND_MINUTES);
    const subscriber = running.system.process('subscriber');
    await subscriber.stop();
    await subscriber.start();
    await waitForMessages(2);
    await letPass(ESCALATE_MINUTES - REMIND_MINUTES);
    await changeConfig(`${config}# escalation\n`);
    await waitForMessages(3);
    await acknowledge();
    await waitForMessages(4);
    // Nothing is due any more.
    await letPass(10 * ESCALATE_MINUTES);
    await changeConfig(`${config}# acknowledged\n`);
    await step(2); // not deeper by the step
    await step(3); // deeper
    await waitForMessages(5);
    await step(4); // restored
    await waitForMessages(6);
    await continueAfterSimulator();
  });

  afterAll(async () => {
    await simulator?.stop();
    if (originalConfig !== undefined) await changeConfig(originalConfig);
    await receivers?.stop();
  });

  const DELIVERIES = [
    'alert open',
    'reminder open',
    'escalation open',
    'notice acknowledged',
    'alert acknowledged',
    'resolved resolved',
  ];
  const ACTIONS = ['trigger', 'trigger', 'trigger', 'acknowledge', 'trigger', 'resolve'];
  const withTitles = (words: readonly string[]): string[] =>
    TITLES.map((title, index) => `${words[index]}: ${title}`);

  it.each<[SinkKind, readonly string[]]>([
    ['webhook', DELIVERIES],
    ['email', TITLES],
    ['slack', TITLES],
    ['teams', TITLES],
    ['pagerduty', withTitles(ACTIONS)],
    ['alertmanager', STATES.map((state, index) => `${index < 5 ? 'fires' : 'ends'}: ${state}`)],
    ['log', DELIVERIES],
  ])('a sink of kind %s learns of each step, once and in order', (kind, expected) => {
    expect(RECEIVED[kind]()).toEqual(expected);
  });

  it.each(['email', 'slack', 'teams', 'pagerduty', 'alertmanager'] as const)(
    'a sink of kind %s says how much deeper the breach is and who has acknowledged it, and at the end how deep it was',
    (kind) => {
      const texts = receivers.texts(kind);
      const deeper = texts.find((text) => text.includes('fallen by another 125,000.50 AUD since'));
      for (const part of [
        'Margin announced before',
        'Deeper by',
        'Acknowledged by',
        'Cash is coming.',
        'developer',
      ])
        expect(deeper).toContain(part);
      expect(texts.at(-1)).toContain('Trading margin at worst');
    },
  );

  it('Alertmanager has the number of reminders and escalations', () => {
    const counts = receivers.alerts('critical').map(({ annotations }) =>
      ['Reminders', 'Escalations'].map((label) => {
        const [, count = '0'] = new RegExp(`${label}: (\\d+)`).exec(annotations['figures'] ?? '') ?? [];
        return Number(count);
      }),
    );
    expect(counts).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  it('all messages of a kind are about one problem', () => {
    const of = <T>(values: readonly T[]): T[] => [...new Set(values)];
    expect(of(receivers.webhooks().map(({ problem }) => problem))).toEqual([problemId]);
    expect(of(receivers.mails().map(({ thread }) => thread))).toEqual([`<problem.${problemId}@example.org>`]);
    expect(of(receivers.incidents().map((incident) => incident.dedup_key))).toEqual([problemId]);
    expect(of(receivers.alerts('critical').map(({ labels }) => JSON.stringify(labels)))).toEqual([
      JSON.stringify({
        alertname: 'SettlementProblem',
        problem: problemId,
        kind: 'margin',
        participant: 'WPGENCO',
        subject: 'WPGENCO/prudential',
        severity: 'critical',
      }),
    ]);
  });

  it('the archive API lists its events by type', async () => {
    const { status, body } = await requestApi(running.system, '/v1/events?limit=1&type=margin.*');
    expect([status, body]).toEqual([
      200,
      { items: [expect.objectContaining({ severity: expect.any(String) })], next: expect.any(String) },
    ]);
  });

  it('the archive API shows who was notified and that they accepted it, and why it can no longer be closed', async () => {
    const path = `/v1/problems/${problemId}`;
    const { body: problem } = await requestApi<ShownProblem>(running.system, path);
    expect([problem.acknowledgedBy, problem.worstMeasure]).toEqual(['developer', '-185000.50']);
    const accepted = problem.deliveries.filter(({ acceptedAt }) => acceptedAt !== undefined);
    for (const sink of SINK_KINDS)
      expect(accepted.filter((each) => each.sink === sink)).toHaveLength(TITLES.length);
    expect(await requestApi(running.system, `${path}/close?wait=30`, { comment: 'It is over.' })).toEqual({
      status: 409,
      body: expect.objectContaining({ detail: expect.stringMatching(/^An event resolved the problem at /) }),
    });
  });
});
