import { existsSync } from 'node:fs';
import { checkOperatorConfig, formatProblem, type OperatorConfig } from '@ssb/config';
import { readSettings } from '@ssb/platform';
import { checkDurability } from '@ssb/redis-queue';
import { CommandError } from '../exit.js';
import { SubscriberReplicas } from '../heartbeat/subscriber-replicas.js';
import { configPath } from '../operator-config.js';
import { openBroker, openGateway } from '../provision/bus-clients.js';
import { checkBus } from '../provision/provision-bus.js';
import { waitForBus } from '../provision/wait-for-bus.js';
import { UnsetRedisError, withRedis } from '../queue/redis.js';
import { commandEnvironment, heartbeatSettings, provisionSettings } from '../settings.js';
import { bounded, REQUEST_TIMEOUT_MS, resultsOf, type CheckResult } from './check-result.js';

const bus = resultsOf('Bus');
const queue = resultsOf('Queue');
const configuration = resultsOf('Configuration');
const alerts = resultsOf('Alerts');

/** What the settings of this machine name: configuration file, Redis, gateways, broker and subscriber. */
export async function checkSettings(): Promise<readonly CheckResult[]> {
  const { results, config } = checkConfiguration();
  const others = await Promise.all([
    bounded('Queue', 'Redis', checkRedis),
    bounded('Bus', 'gateways', () => checkGateways(config)),
    bounded('Alerts', 'subscriber', checkSubscriber),
  ]);
  return [...results, ...others.flat()];
}

function checkConfiguration(): { results: readonly CheckResult[]; config: OperatorConfig | undefined } {
  const file = configPath();
  if (!existsSync(file)) {
    const hint = `${file} does not exist: set CONFIG_FILE to the file of the apps.`;
    return { results: [configuration('file', 'not-checked', hint)], config: undefined };
  }
  const { errors, warnings, config } = checkOperatorConfig(file, {
    environment: commandEnvironment(),
    allowUnset: true,
  });
  const problems = [
    ...errors.map((problem) => configuration('file', 'wrong', formatProblem(file, problem))),
    ...warnings.map((problem) => configuration('file', 'warning', formatProblem(file, problem))),
  ];
  return { results: problems.length > 0 ? problems : [configuration('file', 'ok', file)], config };
}

async function checkRedis(): Promise<readonly CheckResult[]> {
  let results: readonly CheckResult[] = [];
  try {
    await withRedis('doctor', async (redis) => {
      const risks = await checkDurability(redis, { production: false, acknowledgesWrites: true });
      results =
        risks.length === 0
          ? [queue('Redis', 'ok', 'responds, keeps its data, and evicts none')]
          : risks.map((risk) => queue('Redis', 'warning', risk));
    });
    return results;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [queue('Redis', error instanceof UnsetRedisError ? 'not-checked' : 'wrong', error.message)];
  }
}

const PASSWORD_SETTINGS = [
  'GATEWAY_PUBLISHER_ADMIN_PASSWORD_FILE',
  'GATEWAY_SUBSCRIBER_ADMIN_PASSWORD_FILE',
] as const;

/** Identity, enrolment and role of both gateways, and the channels and topics that they see. */
async function checkGateways(config: OperatorConfig | undefined): Promise<readonly CheckResult[]> {
  const environment = commandEnvironment();
  const unset = PASSWORD_SETTINGS.filter((name) => !environment[name]);
  if (unset.length > 0)
    return [
      bus(
        'gateways',
        'not-checked',
        `Set ${unset.join(' and ')}, and the other settings of busbridge provision.`,
      ),
    ];
  if (config === undefined)
    return [bus('gateways', 'not-checked', 'The configuration cannot be used: correct CONFIG_FILE.')];
  const settings = readSettings(provisionSettings, environment);
  const [publisher, subscriber] = await Promise.all([
    openGateway(settings, 'publisher', REQUEST_TIMEOUT_MS),
    openGateway(settings, 'subscriber', REQUEST_TIMEOUT_MS),
  ]);
  try {
    const wait = waitForBus(Date.now(), () => undefined);
    const context = { settings, config, gateways: { publisher, subscriber }, wait };
    const { gateways, tasks } = await checkBus(context, false);
    return [
      ...(tasks.length === 0
        ? [bus('gateways', 'ok', 'enrolled, and see every channel and topic of CONFIG_FILE')]
        : tasks.map(({ what, subject, detail }) =>
            bus(
              `${what} ${subject}`,
              'wrong',
              `${detail.replace(/\.$/, '')}: "busbridge provision" says more.`,
            ),
          )),
      ...(await checkBroker(settings, gateways.publisher)),
    ];
  } finally {
    await Promise.all([publisher.close(), subscriber.close()]);
  }
}

async function checkBroker(
  settings: Parameters<typeof openBroker>[0],
  did: string | undefined,
): Promise<readonly CheckResult[]> {
  const broker = await openBroker(settings, REQUEST_TIMEOUT_MS);
  if (broker === undefined)
    return [
      bus(
        'broker',
        'not-checked',
        'For our own broker, set BROKER_URL, ISSUER_KEY_FILE, ISSUER_KEY_SECRET_FILE.',
      ),
    ];
  if (did === undefined) return [bus('broker', 'not-checked', "The publisher's gateway has no identity.")];
  const state = await broker.findRoleState(did);
  return [bus('broker', 'ok', `accepts the issuer key; the role of the publisher's gateway is ${state}`)];
}

async function checkSubscriber(): Promise<readonly CheckResult[]> {
  const environment = commandEnvironment();
  if (!environment['SUBSCRIBER_URL'])
    return [alerts('subscriber', 'not-checked', 'For busbridge heartbeat, set SUBSCRIBER_URL.')];
  const settings = readSettings(heartbeatSettings, environment);
  const replicas = await SubscriberReplicas.open(settings);
  await replicas.newest();
  const { lastFailure } = replicas;
  return [
    lastFailure === undefined
      ? alerts('subscriber', 'ok', 'shows its metrics to busbridge heartbeat')
      : alerts('subscriber', 'wrong', `${lastFailure}: correct SUBSCRIBER_URL or SUBSCRIBER_TOKEN_FILE.`),
  ];
}
