import type { AlertTopic } from '@ssb/events';
import { createLogger, Degradations, Metrics } from '@ssb/platform';
import { waitFor } from '@ssb/testing/in-process';
import type { FaultCarrier, Occurrences } from './fault-carrier.js';
import { MAX_DOCUMENT_FAULTS } from './domain/document-faults.js';
import { FaultReporter } from './fault-reporter.js';

const FAULT = { reason: 'gateway-unreachable', participant: '*' } as const;
const DEAD_LETTER = { reason: 'dead-letter', participant: 'ALPHA' } as const;

/** Records accepted calls. While `broken`, each call rejects. */
class RecordingCarrier implements FaultCarrier {
  readonly accepted: string[] = [];
  readonly callIds: string[] = [];
  rejections = 0;
  broken = false;
  gate: Promise<void> = Promise.resolve();

  async raise({ topic, count, id }: Occurrences): Promise<void> {
    this.callIds.push(id ?? '');
    await this.accept(`raise ${topic.reason} ${topic.participant} ${count}`);
  }

  async clear({ reason, participant }: AlertTopic): Promise<void> {
    await this.accept(`clear ${reason} ${participant}`);
  }

  async withdraw({ reason, participant }: AlertTopic): Promise<void> {
    await this.accept(`withdraw ${reason} ${participant}`);
  }

  async sendSummaries(): Promise<void> {
    await this.gate;
  }

  private async accept(call: string): Promise<void> {
    await this.gate;
    if (this.broken) {
      this.rejections += 1;
      throw new Error('unavailable');
    }
    this.accepted.push(call);
  }
}

let carrier: RecordingCarrier;
let degradations: Degradations;
let reporter: FaultReporter;
let metrics: Metrics;
let dropped: number;
let lines: { msg?: string; count?: number }[];

function newReporter(outageCarrier?: FaultCarrier): FaultReporter {
  const log = createLogger({
    name: 'spec',
    level: 'info',
    format: 'json',
    stream: { write: (line) => void lines.push(JSON.parse(line) as object) },
  });
  metrics = new Metrics();
  dropped = 0;
  return new FaultReporter({
    app: 'bus-publisher',
    carrier,
    outageCarrier,
    dropped: { inc: () => (dropped += 1) },
    degradations,
    metrics,
    log,
  });
}

beforeEach(() => {
  carrier = new RecordingCarrier();
  degradations = new Degradations();
  lines = [];
  reporter = newReporter();
});
afterEach(() => reporter.stop());

it('shows a fault in the health report and logs its beginning and its end once', async () => {
  for (let n = 0; n < 3; n += 1) reporter.raise({ ...FAULT, detail: `attempt ${n}` });
  expect(degradations.list()).toMatchObject([{ ...FAULT, detail: 'attempt 2' }]);
  for (let n = 0; n < 3; n += 1) reporter.clear(FAULT);
  await reporter.flush();
  expect(degradations.list()).toEqual([]);
  expect(lines.map(({ msg }) => msg)).toEqual(['fault reported', 'fault ended']);
  expect(carrier.accepted).toEqual(['raise gateway-unreachable * 1', 'clear gateway-unreachable *']);
});

it('confirms a lasting fault regularly, repeats its end, and withdraws at the stop', async () => {
  reporter.raise({ ...FAULT, detail: 'x' });
  reporter.check();
  reporter.clear(FAULT);
  await reporter.flush();
  carrier.accepted.length = 0;
  reporter.check();
  await reporter.flush();
  expect(carrier.accepted).toEqual(['clear gateway-unreachable *']);
  reporter.raise({ ...FAULT, detail: 'x' });
  await reporter.flush();
  reporter.check();
  await reporter.stop();
  expect(carrier.accepted.slice(1)).toEqual([
    'raise gateway-unreachable * 1',
    'raise gateway-unreachable * 0',
    'withdraw gateway-unreachable *',
  ]);
});

it('loses nothing while the carrier fails, and repeats a call under the same id', async () => {
  carrier.broken = true;
  reporter.raise({ ...FAULT, detail: 'x' });
  reporter.raise({ ...DEAD_LETTER, detail: 'x' });
  await waitFor('the failed attempts', () => carrier.rejections >= 2);
  for (let n = 0; n < 5; n += 1) reporter.raise({ ...DEAD_LETTER, detail: 'x' });
  reporter.clear(FAULT);
  reporter.raise({ ...FAULT, detail: 'x' });
  reporter.clear(FAULT);
  carrier.broken = false;
  await reporter.flush();
  expect(carrier.accepted.filter((call) => call.includes('dead-letter'))).toEqual([
    'raise dead-letter ALPHA 1',
    'raise dead-letter ALPHA 5',
  ]);
  expect(carrier.accepted.filter((call) => call.includes('gateway')).slice(0, 2)).toEqual([
    'raise gateway-unreachable * 1',
    'clear gateway-unreachable *',
  ]);
  expect(carrier.accepted.at(-1)).toMatch(/^clear|dead-letter/);
  expect(carrier.callIds[0]).toBe(carrier.callIds[2]);
});

describe('pending faults', () => {
  let open: () => void;
  beforeEach(() => {
    carrier.gate = new Promise((resolve) => (open = resolve));
  });

  it('are bounded in number', async () => {
    for (let n = 0; n < 10_100; n += 1)
      reporter.raise({ reason: 'dead-letter', participant: `P${n}`, detail: 'x' });
    open();
    await reporter.flush();
    expect(carrier.accepted).toHaveLength(10_000);
    expect(carrier.accepted.at(-1)).toBe('raise dead-letter P10099 1');
    expect(lines.filter(({ msg }) => msg === 'fault changes dropped').at(-1)?.count).toBe(64);
    expect(dropped).toBe(100);
  });

  it('that were raised are dropped after those that ended', async () => {
    reporter.raise({ reason: 'dead-letter', participant: 'FIRST', detail: 'x' });
    for (let n = 0; n < 10_000; n += 1) reporter.clear({ reason: 'poll-overdue', participant: `P${n}` });
    reporter.raise({ reason: 'dead-letter', participant: 'LAST', detail: 'x' });
    open();
    await reporter.flush();
    expect(carrier.accepted).toHaveLength(10_000);
    expect(carrier.accepted.filter((call) => call.startsWith('raise'))).toEqual([
      'raise dead-letter FIRST 1',
      'raise dead-letter LAST 1',
    ]);
  });
});

it('passes a fault on before the ends of others, also while these are passed on', async () => {
  const endOf = (participant: string) => ({ reason: 'poll-overdue', participant }) as const;
  let open = (): void => undefined;
  carrier.gate = new Promise((resolve) => (open = resolve));
  for (const participant of ['FIRST', 'SECOND']) reporter.clear(endOf(participant));
  reporter.raise({ ...FAULT, detail: 'x' });
  await waitFor('the first call', () => carrier.callIds.length === 1);
  for (const participant of ['THIRD', 'FOURTH']) reporter.clear(endOf(participant));
  reporter.raise({ ...DEAD_LETTER, detail: 'x' });
  open();
  await reporter.flush();
  expect(carrier.accepted).toEqual([
    'raise gateway-unreachable * 1',
    'raise dead-letter ALPHA 1',
    ...['FIRST', 'SECOND', 'THIRD', 'FOURTH'].map((participant) => `clear poll-overdue ${participant}`),
  ]);
});

it('passes the end of a fault on once, also with several hundred participants', async () => {
  for (let round = 0; round < 2; round += 1)
    for (let n = 0; n < 500; n += 1) reporter.clear({ reason: 'poll-overdue', participant: `P${n}` });
  await reporter.flush();
  for (let n = 0; n < 500; n += 1) reporter.clear({ reason: 'poll-overdue', participant: `P${n}` });
  await reporter.flush();
  expect(carrier.accepted).toHaveLength(500);
});

it('reports a fault of the queue although the carrier that uses the queue waits', async () => {
  let open = (): void => undefined;
  carrier.gate = new Promise((resolve) => (open = resolve));
  const outageCarrier = new RecordingCarrier();
  await reporter.stop();
  reporter = newReporter(outageCarrier);
  reporter.start();
  reporter.raise({ ...DEAD_LETTER, detail: 'x' });
  reporter.raise({ reason: 'queue-unavailable', participant: '*', detail: 'x' });
  await waitFor('the fault of the queue', () => outageCarrier.accepted.length === 1);
  expect(carrier.accepted).toEqual([]);
  open();
});

describe('faults of documents', () => {
  const of = (document?: string, name = 'prudential') =>
    ({ reason: 'operator-response-unusable', participant: 'ALPHA', interface: name, document }) as const;
  const shown = () => degradations.list().map((fault) => `${fault.interface} ${fault.document ?? ''}`.trim());

  it('a fault of one document hides no other, and each ends by itself', async () => {
    const topics = [of(), of('a'), of('b'), of('a', 'settlement')];
    for (const topic of topics) reporter.raise({ ...topic, detail: 'x' });
    expect(shown()).toEqual(['prudential', 'prudential a', 'prudential b', 'settlement a']);
    reporter.clear(of('a'));
    expect(shown()).toEqual(['prudential', 'prudential b', 'settlement a']);
    await reporter.flush();
    expect(carrier.accepted.filter((call) => call.startsWith('raise'))).toHaveLength(4);
    expect(carrier.accepted.filter((call) => call.startsWith('clear'))).toHaveLength(1);
  });

  it('of many documents the further ones share a fault that says how many they are', async () => {
    const documents = Array.from({ length: MAX_DOCUMENT_FAULTS + 3 }, (_, n) => `d${n}`);
    const raiseAll = () =>
      documents.forEach((each) => reporter.raise({ ...of(each), detail: `${each} is cut` }));
    raiseAll();
    raiseAll();
    const further = () => degradations.list().find(({ document }) => document === '*');
    expect(degradations.list()).toHaveLength(MAX_DOCUMENT_FAULTS + 1);
    expect(further()?.detail).toMatch(/^3 further documents .* d12 is cut$/);
    // A freed place is taken by one of them, at its next occurrence.
    reporter.clear(of('d0'));
    documents.shift();
    raiseAll();
    expect(further()?.detail).toMatch(/^2 further/);
    for (const each of documents.slice(-2)) reporter.clear(of(each));
    expect(further()).toBeUndefined();
    for (const each of documents) reporter.clear(of(each));
    expect(degradations.list()).toEqual([]);
    await reporter.flush();
  });

  it('are one series of the metric, which ends with the last of them', async () => {
    const value = async () =>
      /fault_active\{.*interface="prudential".*\} (\d)/.exec(await metrics.registry.metrics())?.[1];
    for (const each of ['a', 'b']) reporter.raise({ ...of(each), detail: 'x' });
    reporter.clear(of('a'));
    expect(await value()).toBe('1');
    reporter.clear(of('b'));
    expect(await value()).toBe('0');
  });
});
