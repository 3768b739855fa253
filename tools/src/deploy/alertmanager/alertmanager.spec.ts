import { createLogger, Metrics, OutgoingConnections } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse, stringify } from 'yaml';
import { ALERTMANAGER } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CHART_FOLDER } from '../chart/chart-files.js';

interface Alert {
  readonly status:
    | 'firing'
    | 'resolved'
    | { readonly state: string; readonly inhibitedBy: readonly string[] };
  readonly labels: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly kind: string;
}

/** The sink of the compiled subscriber. */
interface Sink {
  deliver(message: object, signal: AbortSignal): Promise<Outcome>;
  repeat(messages: readonly object[], signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}
interface SinkModule {
  readonly SinkFactory: new (...parts: readonly unknown[]) => { open(config: object): Sink };
}

const PARTICIPANT = 'WPGENCO';
const SIGNAL = new AbortController().signal;
const EXAMPLES = join(REPOSITORY_ROOT, 'libs/events/examples');

let folder: string;
let receiver: Server;
let alertmanager: ChildProcess;
let url: string;
let sink: Sink;
let connections: OutgoingConnections;
/** What Alertmanager notified of, in order: `critical firing` and so on. */
const notified: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'alertmanager-'));
  receiver = createServer((request, response) => {
    // A client that leaves within its request gets no response.
    void text(request).then(
      (body) => {
        const { alerts } = JSON.parse(body) as { alerts: Alert[] };
        for (const { labels, status } of alerts)
          notified.push(`${labels['alertname']} ${labels['severity']} ${describeStatus(status)}`);
        response.end();
      },
      () => undefined,
    );
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const shipped = parse(readFileSync(join(CHART_FOLDER, 'files/inhibit-rules.yaml'), 'utf8')) as object;
  const route = { receiver: 'hook', group_by: ['...'], group_wait: '100ms', group_interval: '100ms' };
  const receivers = [{ name: 'hook', webhook_configs: [{ url: hook, send_resolved: true }] }];
  writeFileSync(join(folder, 'alertmanager.yml'), stringify({ route, receivers, ...shipped }));
  alertmanager = spawn(
    ALERTMANAGER.find(process.env['PATH'] ?? '')!,
    [
      `--config.file=${join(folder, 'alertmanager.yml')}`,
      `--storage.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  alertmanager.stderr!.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const port = await waitFor(
    () => `Alertmanager: ${log}`,
    () => /"?Listening on"? address=127\.0\.0\.1:(\d+)/.exec(log)?.[1],
  );
  url = `http://127.0.0.1:${port}`;
  sink = await openSink();
});

afterAll(async () => {
  await sink?.close();
  await connections?.onApplicationShutdown();
  alertmanager?.kill();
  if (alertmanager?.exitCode === null) await once(alertmanager, 'exit');
  receiver.closeAllConnections();
  receiver.close();
  rmSync(folder, { recursive: true });
});

async function openSink(): Promise<Sink> {
  const path = join(REPOSITORY_ROOT, 'apps/subscriber/dist/src/deliveries/sinks/sink-factory.js');
  const { SinkFactory } = (await import(path)) as SinkModule;
  const settings = {
    ALERT_CONCURRENCY: 2,
    ALERT_RESPONSE_LIMIT_BYTES: 65_536,
    ALERT_TIMEOUT_MS: 10_000,
    CONFIG_FILE: join(folder, 'bridge.yaml'),
    TLS_RELOAD_INTERVAL_MS: 60_000,
  };
  const log = createLogger({ name: 'test', level: 'silent', format: 'json' });
  connections = new OutgoingConnections({ app: 'subscriber', settings, metrics: new Metrics(), log });
  return new SinkFactory(settings, {}, connections, log).open({ name: 'alerts', kind: 'alertmanager', url });
}

function message(type: string, severity: string, problemState = 'open'): object {
  const event = readFileSync(join(EXAMPLES, `${type}.json`), 'utf8');
  return {
    eventId: type,
    kind: problemState === 'open' ? 'alert' : 'resolved',
    severity,
    problemId: 'd0c8a1f2-7a53-4c0b-8f39-5d1f0c1c2a77',
    problemState,
    marks: [],
    replayed: false,
    type,
    subject: `${PARTICIPANT}/prudential`,
    participant: PARTICIPANT,
    text: event,
  };
}

const BREACH = message('settlementbus.margin.breached.v1', 'critical');
const WARNING = message('settlementbus.margin.warning.v1', 'warning');

/** The alerts that Alertmanager has, those that it inhibits too. */
async function listAlerts(): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/v2/alerts`);
  const alerts = (await response.json()) as Alert[];
  return alerts
    .map(({ labels, status }) => `${labels['alertname']} ${labels['severity']} ${describeStatus(status)}`)
    .toSorted();
}
const describeStatus = (status: Alert['status']): string =>
  typeof status === 'string' ? status : status.inhibitedBy.length > 0 ? 'inhibited' : status.state;

/** Posts an alert as Prometheus does. */
async function postAlert(labels: Readonly<Record<string, string>>): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify([{ labels }]);
  expect((await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body })).status).toBe(200);
}

it('notifies once of a breach, although it is posted again and Prometheus has a rule for it', async () => {
  expect(await sink.deliver(BREACH, SIGNAL)).toMatchObject({ kind: 'delivered' });
  await waitFor('the breach', () => notified.length > 0);
  for (let round = 1; round <= 3; round += 1) {
    expect(await sink.repeat([BREACH], SIGNAL)).toMatchObject({ kind: 'delivered' });
    await postAlert({ alertname: 'MarginBreached', severity: 'critical', participant: PARTICIPANT });
  }
  // An alert that is not inhibited is notified after those before it.
  await postAlert({ alertname: 'MarginBreached', severity: 'other', participant: 'WPRETAIL' });
  await waitFor('the other participant', () => notified.length > 1);
  expect(notified).toEqual(['SettlementProblem critical firing', 'MarginBreached other firing']);
  expect(await listAlerts()).toEqual([
    'MarginBreached critical inhibited',
    'MarginBreached other active',
    'SettlementProblem critical active',
  ]);
});

it('has one open alert after a change of the severity, and none after the end', async () => {
  notified.length = 0;
  await sink.deliver(WARNING, SIGNAL);
  await waitFor('the change', () => notified.includes('SettlementProblem critical resolved'));
  await waitFor('the warning', () => notified.includes('SettlementProblem warning firing'));
  const open = (await listAlerts()).filter((alert) => alert.startsWith('SettlementProblem'));
  expect(open).toEqual(['SettlementProblem warning active']);
  // The end has the worst severity that the problem had.
  await sink.deliver(message('settlementbus.margin.restored.v1', 'critical', 'resolved'), SIGNAL);
  await waitFor('the end', () => notified.includes('SettlementProblem warning resolved'));
  expect((await listAlerts()).filter((alert) => alert.startsWith('SettlementProblem'))).toEqual([]);
  expect(notified.filter((line) => line.startsWith('SettlementProblem'))).toHaveLength(3);
});
