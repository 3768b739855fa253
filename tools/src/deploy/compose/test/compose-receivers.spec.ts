import { waitFor } from '@ssb/testing';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import { ALERTMANAGER, AMTOOL } from '../../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../../system/processes.js';
import { createSecrets, readComposeFile, readRepositoryFile } from './compose-file.js';

interface Sink {
  readonly name: string;
  readonly kind: string;
  readonly host?: string;
  readonly port?: number;
  readonly url?: string;
  readonly caFile?: string;
}
const CONFIG = 'config/compose/bridge.yaml';
const { alerts } = parse(readRepositoryFile(CONFIG)) as { alerts: { sinks: Sink[] } };
const receivers = alerts.sinks.filter(({ kind }) => kind !== 'log');

/** Where the images listen by default. */
const PORTS: Readonly<Record<string, number>> = { mail: 1025, alertmanager: 9093 };

const { services } = readComposeFile();
const folder = mkdtempSync(join(tmpdir(), 'compose-receivers-'));
const secret = (service: string, file: string): string => join(folder, 'secrets', service, file);
beforeAll(() => createSecrets(folder), 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

it('the configuration has no error, no warning, and a person for each kind of problem', () => {
  const program = join(REPOSITORY_ROOT, 'apps/cli/dist/src/main.js');
  const env = { ...process.env, ...parseEnv(readFileSync(secret('busbridge', 'app.env'), 'utf8')) };
  const options = { env, encoding: 'utf8', cwd: REPOSITORY_ROOT } as const;
  const { stdout } = spawnSync(
    process.execPath,
    [program, 'config', 'check', '--json', '--file', CONFIG],
    options,
  );
  expect(JSON.parse(stdout)).toMatchObject({ errors: [], warnings: [] });
  expect(alerts).not.toHaveProperty('unattended');
  expect(receivers.map(({ kind }) => kind)).toEqual(['email', 'alertmanager']);
});

it.each(receivers)(
  'the subscriber starts without the receiver of $name, and reaches it with a certificate',
  (sink) => {
    const { hostname: host, port } = sink.url === undefined ? toAddress(sink) : new URL(sink.url);
    const { subscriber, [host]: receiver } = services;
    expect([host, Number(port)]).toEqual([host, PORTS[host]]);
    expect(receiver).toMatchObject({ profiles: [], networks: expect.arrayContaining(['alerts']) });
    expect(subscriber?.networks).toContain('alerts');
    expect(subscriber?.depends_on).not.toHaveProperty(host);
    const certificate = new X509Certificate(readFileSync(secret(host, `${host}.crt`)));
    const authority = new X509Certificate(readFileSync(secret('subscriber', basename(sink.caFile ?? ''))));
    expect(certificate.checkHost(host)).toBe(host);
    expect(certificate.verify(authority.publicKey)).toBe(true);
  },
);

const toAddress = ({ host = '', port }: Sink) => ({ hostname: host, port });

it('Alertmanager starts with its files and accepts TLS only; Prometheus and its health check trust it', async () => {
  const { command, healthcheck } = services['alertmanager']!;
  for (const file of readdirSync(join(REPOSITORY_ROOT, 'config/monitoring')).filter((name) =>
    name.startsWith('alertmanager'),
  ))
    writeFileSync(join(folder, file), localPaths(readRepositoryFile(`config/monitoring/${file}`)));
  const path = process.env['PATH'] ?? '';
  const listen = ['--web.listen-address=127.0.0.1:0', `--storage.path=${join(folder, 'data')}`];
  const args = (command as string[]).filter((each) => !each.startsWith('--storage')).map(localPaths);
  const server = spawn(ALERTMANAGER.find(path)!, [...args, ...listen], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    let log = '';
    server.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const port = await waitFor(
      () => `Alertmanager: ${log}`,
      () => /"?Listening on"? address=127\.0\.0\.1:(\d+)/.exec(log)?.[1],
    );
    const [, , ...check] = (healthcheck as { test: string[] }).test;
    const words = check.map((each) => localPaths(each).replace(':9093', `:${port}`));
    expect(execFileSync(AMTOOL.find(path)!, words, { encoding: 'utf8' })).toContain('disabled');
    expect((await fetch(`http://127.0.0.1:${port}/-/ready`)).status).toBe(400);
  } finally {
    server.kill();
    await once(server, 'exit');
  }
  const { alerting } = parse(readRepositoryFile('config/monitoring/prometheus.yml')) as { alerting: object };
  expect(alerting).toEqual({
    alertmanagers: [
      {
        scheme: 'https',
        tls_config: { ca_file: '/run/secrets/ca.crt' },
        static_configs: [{ targets: ['alertmanager:9093'] }],
      },
    ],
  });
});

/** The paths of the container, on this machine. */
const localPaths = (text: string): string =>
  text
    .replaceAll('/run/secrets/', secret('alertmanager', '/'))
    .replaceAll('/etc/alertmanager/', `${folder}/`);
