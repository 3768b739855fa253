import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readSettings, type SettingsDefinition } from '@ssb/platform';
import { parse } from 'yaml';
import {
  APP_BY_PROCESS,
  type ProcessName,
  PROCESSES,
  REPOSITORY_ROOT,
  STANDARD_PORTS,
} from '../../../system/processes.js';
import {
  type ComposeService,
  createSecrets,
  findSecretFiles,
  readComposeFile,
  readRepositoryFile,
  secretsVolume,
} from './compose-file.js';

const { services } = readComposeFile();
const folder = mkdtempSync(join(tmpdir(), 'compose-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the images set. */
const IMAGE_ENVIRONMENT = {
  NODE_ENV: 'production',
  HOST: '0.0.0.0',
  MANAGEMENT_HOST: '0.0.0.0',
  LOG_FORMAT: 'json',
};

const named = (name: string): ComposeService => {
  const service = services[name];
  if (service === undefined) throw new RangeError(`docker-compose.yml has no ${name}`);
  return service;
};

const readDefinition = async (app: string, name = 'definition'): Promise<SettingsDefinition> => {
  const module = (await import(join(REPOSITORY_ROOT, 'apps', app, 'dist/src/settings.js'))) as Readonly<
    Record<string, SettingsDefinition>
  >;
  return module[name] ?? {};
};

const secretsFolder = (volume: string): string => join(folder, volume.replace(/^secrets-/, 'secrets/'));
const fileVariables = (service: ComposeService): Record<string, string | undefined> => {
  const file = [...findSecretFiles(JSON.stringify(service))].find((each) => each.endsWith('.env'));
  const path = join(secretsFolder(secretsVolume(service) ?? 'secrets-none'), file ?? 'none');
  return file === undefined ? {} : parseEnv(readFileSync(path, 'utf8'));
};
/** The texts in which a service finds the paths of secrets. Only the subscriber opens the files of the sinks. */
const readMountedFiles = (name: string, { volumes }: ComposeService): string =>
  [...volumes, ...(name === 'subscriber' ? ['./config/compose/bridge.yaml'] : [])]
    .map((volume) => volume.split(':')[0] ?? '')
    .filter((path) => /^\.\/.*\.(sql|ya?ml)$/.test(path))
    .map(readRepositoryFile)
    .join('\n');
beforeAll(() => createSecrets(folder), 60_000);

describe.each(PROCESSES)('%s', (name) => {
  it('gets only settings of its app, and all that it requires', async () => {
    const service = named(name);
    const definition = await readDefinition(APP_BY_PROCESS[name]);
    const names = Object.keys(service.environment);
    expect(names.filter((each) => !(each in definition))).toEqual([]);
    const environment = { ...IMAGE_ENVIRONMENT, ...service.environment, ...fileVariables(service) };
    const settings = readSettings(definition, environment) as { readonly PORT: number };
    expect(settings.PORT).toBe(STANDARD_PORTS[name]);
  });
});

describe.each(['provisioning', 'busbridge'])('%s', (name) => {
  it('gets only settings of busbridge', async () => {
    const definition = await readDefinition('cli');
    expect(Object.keys(named(name).environment).filter((each) => !(each in definition))).toEqual([]);
  });
});

describe('the other jobs', () => {
  it('migrate-<app> gets the address of its migrations, and no other variable', () => {
    const apps = { reporting: 'reporting', subscriber: 'cli', token: 'token' };
    for (const [schema, app] of Object.entries(apps)) {
      const job = named(`migrate-${schema}`);
      const { DATABASE_MIGRATION_URL: url = '', ...others } = { ...job.environment, ...fileVariables(job) };
      const role = new URL(url).username;
      expect([job.build?.args.APP, role, others]).toEqual([app, `${schema}_migration`, {}]);
    }
  });

  it('accounts gets what its command requires, and its command lines are valid', async () => {
    const { environment, command } = named('accounts');
    const definition = await readDefinition('token', 'adminDefinition');
    expect(Object.keys(environment).filter((each) => !(each in definition))).toEqual([]);
    expect(readSettings(definition, environment)).toMatchObject({ ADMIN_SECRET_FILE: expect.any(String) });
    const { parseCommandLine } = (await import(
      join(REPOSITORY_ROOT, 'apps/token/dist/src/cli/command-line.js')
    )) as { readonly parseCommandLine: (args: readonly string[]) => { values: { scope?: string[] } } };
    const lines = String(command).replaceAll('\\\n', ' ').trim().split('\n');
    for (const line of lines) {
      const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      expect(words.slice(0, 2)).toEqual(['node', 'accounts.js']);
      expect(parseCommandLine(words.slice(2)).values.scope).toHaveLength(2);
    }
    expect(lines).toHaveLength(2);
  });

  // psql reads variables that start with PG; the job gives the password alone, in its command.
  it('database-setup and keys get no variables', () => {
    for (const name of ['database-setup', 'keys'])
      expect([name, named(name).environment]).toEqual([name, {}]);
  });

  it('are all compared', () => {
    const compared = [...PROCESSES, 'provisioning', 'busbridge', 'accounts', 'database-setup', 'keys'];
    const others = Object.entries(services).filter(
      ([name, { build }]) => build !== undefined && !compared.includes(name) && !name.startsWith('migrate-'),
    );
    expect(others.map(([name]) => name)).toEqual([]);
  });
});

describe('secrets', () => {
  it('each service gets the files that it reads, and no others', () => {
    const read: Record<string, Set<string>> = {};
    for (const [name, service] of Object.entries(services)) {
      const volume = secretsVolume(service);
      const files = findSecretFiles(JSON.stringify(service) + readMountedFiles(name, service));
      if (volume !== undefined) read[volume] = new Set([...(read[volume] ?? []), ...files]);
      else expect([...files]).toEqual([]);
    }
    const written = Object.fromEntries(
      readdirSync(join(folder, 'secrets')).map((each) => [
        `secrets-${each}`,
        new Set(readdirSync(join(folder, 'secrets', each))),
      ]),
    );
    expect(read).toEqual(written);
    const mounted = named('keys').volumes.map((each) => each.split(':'));
    expect(mounted.filter(([, target = '']) => target.startsWith('/secrets/'))).toEqual(
      Object.keys(written)
        .sort()
        .map((each) => [each, each.replace('secrets-', '/secrets/')]),
    );
  });

  it('in variables are given to the one service that uses them', () => {
    const given = Object.entries(services).flatMap(([name, service]) =>
      Object.entries(fileVariables(service))
        .filter(([variable]) => /(URL|SECRET|PASSWORD)$/.test(variable))
        .map(([variable, value]) => ({ name, variable, value })),
    );
    const shared = given.filter(({ value, name }) =>
      given.some((other) => other.value === value && other.name !== name),
    );
    expect(shared).toEqual([]);
    expect(given.map(({ name }) => name)).toEqual(expect.arrayContaining(['poller', 'simulator', 'token']));
  });

  it('are not in the file, also not as part of an address', () => {
    const values = Object.values(services).flatMap(({ environment }) => Object.entries(environment));
    const texts = values.filter(([, value]) => !value.startsWith('/run/secrets/'));
    expect(texts.filter(([name]) => /(PASSWORD|SECRET|TOKEN|KEY)$/.test(name))).toEqual([]);
    const addresses = values.flatMap(([, value]) => (URL.canParse(value) ? [new URL(value)] : []));
    expect(addresses.filter(({ username, password }) => username + password !== '')).toEqual([]);
  });
});

/** Ports on which each service listens. */
const LISTENING: Readonly<Record<string, readonly number[]>> = {
  ...Object.fromEntries(PROCESSES.map((name) => [name, [STANDARD_PORTS[name]]])),
  reporting: [STANDARD_PORTS.reporting, STANDARD_PORTS.operator],
  redis: [6379],
  postgresql: [5432],
  nats: [4222],
};

const metricsPort = (name: ProcessName): number =>
  (STANDARD_PORTS as Readonly<Record<string, number>>)[`${name}-management`] ?? STANDARD_PORTS[name];

const sharesNetwork = (a: string, b: string): boolean =>
  named(a).networks.some((network) => named(b).networks.includes(network));

describe('connections', () => {
  it.each(Object.keys(services))('%s reaches each address that it is given', (name) => {
    const service = named(name);
    const values = Object.values({ ...service.environment, ...fileVariables(service) });
    for (const value of values) {
      if (value === undefined || !URL.canParse(value) || value.startsWith('did:')) continue;
      const { hostname, port } = new URL(value);
      expect([value, LISTENING[hostname]?.includes(Number(port))]).toEqual([value, true]);
      expect([value, hostname === name || sharesNetwork(name, hostname)]).toEqual([value, true]);
    }
  });

  it('are published on loopback only, with the ports of the code', () => {
    const published = Object.entries(services).flatMap(([name, { ports }]) =>
      ports.map((port) => [name, port]),
    );
    const port = (name: ProcessName): string => `127.0.0.1:${STANDARD_PORTS[name]}:${STANDARD_PORTS[name]}`;
    expect(Object.fromEntries(published)).toEqual({
      token: port('token'),
      reporting: port('reporting'),
      api: port('api'),
      'gateway-publisher': port('gateway-publisher'),
      'gateway-subscriber': port('gateway-subscriber'),
      mail: '127.0.0.1:8025:8025',
      prometheus: '127.0.0.1:9090:9090',
      alertmanager: '127.0.0.1:9093:9093',
      grafana: '127.0.0.1:3000:3000',
    });
  });

  it('Prometheus reads the metrics of every app', () => {
    const { scrape_configs: jobs } = parse(readRepositoryFile('config/monitoring/prometheus.yml')) as {
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
    };
    const targets = jobs.map((job) => [job.job_name, job.static_configs.flatMap((each) => each.targets)]);
    expect(Object.fromEntries(targets)).toEqual(
      Object.fromEntries(PROCESSES.map((name) => [name, [`${name}:${metricsPort(name)}`]])),
    );
    for (const name of PROCESSES) expect([name, sharesNetwork('prometheus', name)]).toEqual([name, true]);
  });
});
