import { checkOperatorConfig, detectionSchema, listAccessFiles, listSinkFiles } from '@ssb/config';
import { commonSettings, type SettingsDefinition } from '@ssb/platform';
import { runToEnd } from '@ssb/testing';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../../system/processes.js';
import { importSettings } from '../../../docs/app-modules.js';
import { MANAGED_SETTINGS, UNSET_SETTINGS } from '../../../docs/chart/managed-settings.js';
import { CHART_FOLDER, listValuesFiles } from '../chart-files.js';
import { type Container, type KubernetesObject, listAppContainers, renderChart } from './render-chart.js';

const MINIMAL = 'examples/minimal.yaml';
const valuesFiles = listValuesFiles();

/** A wrong value, and a part of the message. */
const WRONG_VALUES: readonly (readonly [value: string, message: string])[] = [
  ['redis.urll=x', "'/redis': additional properties 'urll'"],
  ['redis.url=redis://user:password@host:6379', "'/redis/url': 'redis://user"],
  ['subscriber.settings.WINDO=3', "'/subscriber/settings': additional properties 'WINDO'"],
  ['poller.settings.LEASE_TTL_MS=5', "'/poller/settings/LEASE_TTL_MS': minimum: got 5, want 500"],
  ['broker.settings.WINDOW=3', "'/broker/settings': additional properties 'WINDOW'"],
  ['gatewayPublisher.settings.BASIC_AUTH_PASSWORD=x', "additional properties 'BASIC_AUTH_PASSWORD'"],
  ['sandboxToken.settings.ISSUER=x', "'/sandboxToken/settings': additional properties 'ISSUER'"],
  ['broker.logEngine=kafka', "'/broker/logEngine': value must be one of"],
  ['participants[0].margin.breach=0', "'/participants/0/margin/breach': got number"],
  ['participants[0].margin.warning=101%', "'/participants/0/margin/warning': '101%'"],
  ['participants[0].forecast.days=3', "'/participants/0/forecast': additional properties 'days'"],
  ['config.defaults.margin.hysteresis=-1%', "'/config/defaults/margin/hysteresis': '-1%'"],
  ['config.defaults.margin.minDuration=1.5h', "'/config/defaults/margin/minDuration': '1.5h'"],
  ['config.defaults.forecast.horizonDays=32', "'/config/defaults/forecast/horizonDays': maximum"],
  ['config.profiles.large.margins.breach=0', "'/config/profiles/large': additional properties 'margins'"],
  ['config.businessDays={monday-friday}', "'/config/businessDays/0': 'monday-friday'"],
  ['config.holidays={25.12.2026}', "'/config/holidays/0': '25.12.2026'"],
  ['busPublisher.keda.minReplicas=0', "'/busPublisher/keda/minReplicas': minimum"],
  ['trialRedis.persistence.size=2', "'/trialRedis/persistence/size': got number"],
  ['webhooks.allowedNetworks[0]=any', "'/webhooks/allowedNetworks/0': 'any'"],
  [String.raw`commonLabels.helm\.sh/chart=x`, "invalid propertyName 'helm.sh/chart'"],
  ['defaults.strategy.type=Blue', "'/defaults/strategy/type': value must be one of"],
  ['secretNames.keys=x', "'/secretNames': additional properties 'keys'"],
  // Settings of the chart, and of a poller with a single participant.
  // Helm lists the properties of one object in any order.
  ['poller.settings.PORT=1', "'/poller/settings': additional properties "],
  ['poller.settings.PORT=1', "'PORT'"],
  ['poller.settings.PARTICIPANT=X', "'PARTICIPANT'"],
];

const folder = mkdtempSync(join(tmpdir(), 'chart-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rendered = new Map<string, KubernetesObject[]>();
const definitions: Record<string, SettingsDefinition | undefined> = {};

beforeAll(async () => {
  await Promise.all(valuesFiles.map(async (file) => rendered.set(file, await renderChart([file]))));
  // The image of busbridge is called cli.
  for (const { name, definition } of await importSettings())
    definitions[name === 'busbridge' ? 'cli' : name] = definition;
});

it('the schema refuses each wrong value with its path', async () => {
  const refused = renderChart(
    [MINIMAL],
    WRONG_VALUES.map(([value]) => value),
  );
  const message = await refused.then(() => 'accepted', String);
  expect(WRONG_VALUES.filter(([, expected]) => !message.includes(expected))).toEqual([]);
});

describe('a template refuses', () => {
  it.each([
    ['no broker', 'broker.enabled=false', 'Set broker.enabled, or broker.url'],
    ['no gateway', 'gatewaySubscriber.enabled=false', 'There is no gateway gateway-subscriber'],
    ['no Redis', 'redis.url=', 'There is no Redis. Set redis.url'],
    ['two addresses of Redis', 'redis.cluster.nodes={redis-0:6379}', 'Redis of test has several addresses'],
    [
      'an external gateway without a password',
      'gatewayPublisher.enabled=false,gatewayPublisher.url=https://gateway.example',
      'provisioning.publisherPasswordSecret.name is empty',
    ],
    [
      'gateways with different authorities',
      'gatewayPublisher.tlsSecretName=a,gatewayPublisher.caSecret.name=a,gatewaySubscriber.tlsSecretName=b',
      'differ in caSecret or certificateSecret',
    ],
    ['no trusted sender', 'config.trusted.origins=null', 'No sender is trusted'],
    [
      'a breach that only the log gets',
      'config.alerts.rules[0].sinks={log},config.alerts.rules[1].sinks={log}',
      'gives settlementbus.margin.breached.v1 only to the log, which alerts no person',
    ],
    [
      'an unattended deployment outside of the sandbox',
      'config.alerts.unattended=true',
      'config.alerts.unattended is true, and sandbox.enabled is false',
    ],
    ['two operators', 'sandbox.enabled=true', 'Set only one of them: the poller uses one operator'],
    ['replicas of a single pod', 'trialRedis.enabled=true,trialRedis.replicas=2', 'It is always one pod'],
    [
      'an unknown alert rule',
      'monitoring.prometheusRule.enabled=true,monitoring.prometheusRule.disabledRules={MarginWarn}',
      'MarginWarn, which is not an alert rule of',
    ],
    [
      'two autoscalers',
      'busPublisher.keda.enabled=true,busPublisher.autoscaling.enabled=true',
      'exclude each other',
    ],
    [
      'less time to end than the drain takes',
      'broker.settings.SHUTDOWN_TIMEOUT_MS=30000,broker.terminationGracePeriodSeconds=35',
      'broker is 35, and its app may be killed before it has drained. Set at least 40',
    ],
    [
      'a participant without a threshold',
      'participants[1].code=OTHER',
      'The participant OTHER has no margin.warning. Set it there, in a profile or in config.defaults.margin.',
    ],
    [
      'a participant with an unknown profile',
      'participants[0].profile=large',
      'The participant WPGENCO has the profile large, which config.profiles does not have.',
    ],
    [
      'options of a poller for a participant',
      'participants[0].poller.replicas=2',
      'one poller serves all participants. Remove it, and set these options under poller.',
    ],
    [
      'two participants with the same name in objects',
      'participants[1].code=wpgenco',
      'Two participants have the name wpgenco in objects',
    ],
    ['a variable that is a setting', 'config.variables.REDIS_URL=x', 'REDIS_URL of config.variables'],
  ])('%s', async (_, value, expected) => {
    await expect(renderChart([MINIMAL], [value])).rejects.toThrow(expected);
  });
});

describe.each(valuesFiles)('%s', (file) => {
  it('has a configuration file that the apps accept, and mounts the files that it names', () => {
    const configMap = findConfigMap(file);
    const path = join(folder, 'bridge.yaml');
    writeFileSync(path, configMap!.data!['bridge.yaml']!);
    const { errors, config } = checkOperatorConfig(path, { environment: {}, allowUnset: true });
    expect(errors).toEqual([]);
    const named = config!.participants.flatMap(({ access }) => listAccessFiles(access!));
    expect(named.toSorted()).toEqual(
      listMountedFiles(rendered.get(file)!, 'poller', 'participants').toSorted(),
    );
    const ofSinks = config!.alerts.sinks.flatMap(listSinkFiles);
    expect(ofSinks.toSorted()).toEqual(
      listMountedFiles(rendered.get(file)!, 'subscriber', 'sinks').toSorted(),
    );
  });

  it('sets only variables that the app has', () => {
    const unknown = rendered.get(file)!.flatMap((object) =>
      listAppContainers(object).flatMap(({ name, image, env }) => {
        const app = /settlement-bus-bridge\/([a-z-]+)/.exec(image)![1]!;
        const definition = definitions[app];
        const known = new Set([...Object.keys(definition ?? {}), ...variablesOf(file)]);
        return env.filter((each) => !known.has(each.name)).map((each) => `${name}: ${each.name}`);
      }),
    );
    expect(unknown).toEqual([]);
  });
});

it.each([MINIMAL, 'tests/values/everything.yaml'])(
  '%s gives a secret that only `alerts` uses to the subscriber alone, and others to all readers of the file',
  (file) => {
    const holders: Record<string, string[]> = {};
    for (const object of rendered.get(file)!)
      for (const { env } of listAppContainers(object))
        for (const { name, valueFrom } of env)
          if (valueFrom !== undefined && variablesOf(file).includes(name))
            (holders[name] ??= []).push(object.metadata.labels['app.kubernetes.io/component']!);
    for (const [name, components] of Object.entries(holders)) {
      const expected = /WEBHOOK/.test(name)
        ? ['config-check', 'subscriber']
        : ['api', 'bus-publisher', 'config-check', 'poller', 'provisioning', 'subscriber', 'test'].concat(
            file === MINIMAL ? [] : ['toolbox'],
          );
      expect([name, [...new Set(components)].sort()]).toEqual([name, expected]);
    }
    expect(Object.keys(holders).some((name) => name.includes('WEBHOOK'))).toBe(true);
  },
);

describe('before an upgrade, the Job of the new release', () => {
  it.each([
    ['accepts the file of the example', [], true, 0, /: 0 errors, 0 warnings$/m],
    [
      'refuses a file that the templates accept',
      ['participants[0].margin.breach=300000.00'],
      true,
      78,
      /error: .*breach is 300000\.00, above warning 250000\.00/,
    ],
    [
      'names a variable whose Secret is missing',
      [],
      false,
      78,
      /needs the environment variable TREASURY_WEBHOOK_SECRET, which is not set/,
    ],
  ] as const)('%s', async (_, values, hasSecrets, status, output) => {
    const objects = await renderChart([MINIMAL], values, ['--is-upgrade']);
    const [job, configMap] = ['Job', 'ConfigMap'].map((kind) =>
      objects.find((each) => each.kind === kind && each.metadata.name.endsWith('-config-check')),
    );
    const path = join(folder, 'refused.yaml');
    writeFileSync(path, configMap!.data!['bridge.yaml']!);
    const [{ args, env }] = listAppContainers(job!) as [Container];
    const secret = hasSecrets ? `whsec_${'A'.repeat(32)}` : undefined;
    const variables = env.map(({ name, value = secret }) => (value === undefined ? [] : [[name, value]]));
    const result = await runToEnd(join(REPOSITORY_ROOT, 'bundles/cli.js'), [...args!], {
      ...(Object.fromEntries(variables.flat()) as Record<string, string>),
      CONFIG_FILE: path,
    });
    expect(result.stdout).toMatch(output);
    expect(result.status).toBe(status);
  });
});

it('passes on every setting of detection', () => {
  const configMap = findConfigMap('tests/values/everything.yaml');
  const { participants } = parse(configMap!.data!['bridge.yaml']!) as { participants: readonly object[] };
  expect(Object.keys(participants[0]!)).toEqual(expect.arrayContaining(Object.keys(detectionSchema.shape)));
});

it('gives every app more time to end than its drain takes', () => {
  const drainMs = Number(commonSettings.SHUTDOWN_TIMEOUT_MS.default);
  const pods = rendered.get(MINIMAL)!.flatMap(({ kind, spec }) => {
    if (kind !== 'Deployment') return [];
    return (spec as { template: { spec: { terminationGracePeriodSeconds: number } } }).template.spec;
  });
  expect(pods).toHaveLength(7);
  for (const { terminationGracePeriodSeconds: seconds } of pods)
    expect(seconds * 1_000).toBeGreaterThan(drainMs);
});

it('sets every setting that the table of the code names', () => {
  const set = new Set(
    [...rendered.values()]
      .flat()
      .flatMap((object) => listAppContainers(object).flatMap(({ env }) => env.map(({ name }) => name))),
  );
  const missing = Object.keys(MANAGED_SETTINGS).filter((name) => !set.has(name));
  expect(missing).toEqual(UNSET_SETTINGS);
});

/** The file that the apps read. */
function findConfigMap(file: string): KubernetesObject | undefined {
  return rendered
    .get(file)!
    .find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-config'));
}

interface PodSpec {
  readonly containers: readonly {
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
  readonly volumes: readonly {
    readonly name: string;
    readonly projected?: {
      readonly sources: readonly {
        readonly secret: { readonly items: readonly { readonly path: string }[] };
      }[];
    };
  }[];
}

/** Paths of the files in a volume with Secrets; empty without the volume. */
function listMountedFiles(objects: readonly KubernetesObject[], component: string, volume: string): string[] {
  const deployment = objects.find(
    ({ kind, metadata }) =>
      kind === 'Deployment' && metadata.labels['app.kubernetes.io/component'] === component,
  );
  if (deployment === undefined) return [];
  const { containers, volumes } = (deployment.spec as { template: { spec: PodSpec } }).template.spec;
  const sources = volumes.find(({ name }) => name === volume)?.projected?.sources ?? [];
  const mount = containers[0]!.volumeMounts.find(({ name }) => name === volume);
  return sources.flatMap(({ secret }) => secret.items.map(({ path }) => join(mount!.mountPath, path)));
}

/** Variables of the values files that are not settings: those of `config`, and of `extraEnv`. */
function variablesOf(file: string): string[] {
  const text = readFileSync(join(CHART_FOLDER, file), 'utf8');
  return [...text.matchAll(/\$\{([A-Z_]+)\}|name: (TZ)\b/g)].map(([, name, extra]) => name ?? extra!);
}
