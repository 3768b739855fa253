import type { Did } from '@ssb/identity';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { importSettings } from '../docs/app-modules.js';
import { buildEnvironments, type SystemPlan } from './environments.js';
import { APP_BY_PROCESS, type ProcessName, PROCESSES, REPOSITORY_ROOT, STANDARD_PORTS } from './processes.js';

const gateway = (name: string) => ({
  passwordFile: 'f',
  usersFile: 'f',
  adminPassword: `password of ${name}`,
  adminPasswordFile: 'f',
});
const certificate = { certificate: 'f', key: 'f' };

const plan: SystemPlan = {
  folder: '/data',
  ports: STANDARD_PORTS,
  redis: { REDIS_URL: 'redis://127.0.0.1:6379', REDIS_PASSWORD_FILE: 'f' },
  databaseUrls: {
    subscriber: 'url of subscriber',
    token: 'url of token',
    reporting: 'url of reporting',
    api: 'url of api',
    poller: 'url of poller',
  },
  participant: 'WPGENCO',
  furtherParticipants: [],
  operatorConfig: 'f',
  certificates: { ca: 'f', token: certificate, reporting: certificate, participant: certificate },
  secrets: {
    participantClient: { id: 'wpgenco', secret: 'secret of wpgenco' },
    operatorClient: { id: 'operator', secret: 'secret of operator' },
    gateways: { publisher: gateway('publisher'), subscriber: gateway('subscriber') },
    encryptionSecretFile: 'f',
    tokenAdminFile: 'f',
    brokerTokenFile: 'f',
    originKeyFile: 'f',
    integrityKeysFile: 'f',
    transactionIdKeysFile: 'f',
    originDid: 'did',
    apiAccess: { file: 'f', tokenFile: 'f' },
    signInLinkFile: 'f',
    managementOperateFile: 'f',
    issuerDid: 'did' as Did,
  },
  webhook: { url: 'url of alerts', secret: 'secret of alerts' },
  operationsWebhook: { url: 'url of faults', secret: 'secret of faults' },
  pollIntervalMs: 1_000,
};
const environments = buildEnvironments(plan, 'did');
const CONFIG = parse(readFileSync(join(REPOSITORY_ROOT, 'config/bridge.yaml'), 'utf8')) as object;

/** Variables of the part of config/bridge.yaml that a process reads. */
function configVariables(name: ProcessName): string[] {
  if (!['poller', 'bus-publisher', 'subscriber', 'api'].includes(name)) return [];
  const part = name === 'subscriber' ? CONFIG : { ...CONFIG, alerts: {} };
  return [...stringify(part).matchAll(/\$\{(\w+)\}/g)].map(([, variable = '']) => variable);
}

it.each(PROCESSES)('%s gets only variables that it reads', async (name) => {
  const apps = await importSettings();
  const { definition = {} } = apps.find((app) => app.name === APP_BY_PROCESS[name]) ?? {};
  const read = new Set([...Object.keys(definition), ...configVariables(name)]);
  expect(Object.keys(environments[name]).filter((variable) => !read.has(variable))).toEqual([]);
});

it('each secret is in the environment of the processes that use it, and of no other', () => {
  const holders = (value: string): string[] =>
    PROCESSES.filter((name) => Object.values(environments[name]).includes(value));
  expect(
    Object.fromEntries(
      [...new Set(PROCESSES.flatMap((name) => Object.values(environments[name])))]
        .filter((value) => /^(?:secret|password|url) of /.test(value))
        .map((value) => [value, holders(value).sort()]),
    ),
  ).toEqual({
    'url of alerts': ['subscriber'],
    'url of api': ['api'],
    'url of poller': ['poller'],
    'secret of alerts': ['subscriber'],
    'url of faults': ['bus-publisher', 'poller', 'subscriber'],
    'secret of faults': ['bus-publisher', 'poller', 'subscriber'],
    'url of subscriber': ['subscriber'],
    'url of token': ['token'],
    'url of reporting': ['reporting'],
    'secret of wpgenco': ['poller'],
    'secret of operator': ['simulator'],
    'password of publisher': ['gateway-publisher'],
    'password of subscriber': ['gateway-subscriber'],
  });
});
