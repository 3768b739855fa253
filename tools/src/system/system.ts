import { GatewayClient } from '@ssb/bus';
import { BrokerAdmin, buildChannels, enrolGateway } from '@ssb/bus/provisioning';
import { loadOperatorConfig, type OperatorConfig } from '@ssb/config';
import type { RedisSettings } from '@ssb/redis-queue';
import { join } from 'node:path';
import { InterruptedError } from '../lifecycle/resource-stack.js';
import { ensureSchemas } from '../provision/database-schemas.js';
import { ensureSandboxCertificates } from '@ssb/keys/deployment';
import { ensureDevelopmentSecrets, type DevelopmentSecrets } from '../provision/development-secrets.js';
import { ensureFurtherParticipants } from '../provision/further-participants.js';
import { ensureMarketAccounts } from '../provision/market-accounts.js';
import type { Progress } from '../report/progress.js';
import { AppProcess, type LaunchApp, type LogLine } from './app-process.js';
import {
  buildEnvironments,
  senderVariables,
  GATEWAY_ADMIN,
  gatewayUrl,
  type SystemPlan,
  type Webhook,
} from './environments.js';
import { APP_BY_PROCESS, type Ports, type ProcessName, REPOSITORY_ROOT } from './processes.js';
import { prepareConfigFile } from './scenario-config.js';
import { countScenarioParticipants, hasBacklog } from './scenario.js';

export interface SystemOptions {
  readonly folder: string;
  readonly ports: Ports;
  readonly redis: RedisSettings;
  /** Database in which each app gets a schema, with a role that may create schemas and roles. */
  readonly databaseAdminUrl: string;
  readonly webhook: Webhook;
  readonly operationsWebhook: Webhook;
  readonly progress: Progress;
  /** Scenario of the simulator; no simulator when omitted. */
  readonly scenario?: string;
  readonly participant?: string;
  /** Settings of the scenario are merged into a copy. Default: `config/bridge.yaml`. */
  readonly operatorConfig?: string;
  readonly pollIntervalMs?: number;
  /** Default: archived events are kept. */
  readonly retentionDays?: number | undefined;
  readonly overrides?: SystemPlan['overrides'];
  /** How each app is started. Default: from its bundle. */
  readonly launch?: LaunchApp;
  readonly onLog?: (name: string, line: LogLine) => void;
  readonly onUnexpectedExit?: (system: System, name: ProcessName, reason: string) => void;
  /** Called before the first app starts, so that the caller can stop the system meanwhile. A rejection aborts the start. */
  readonly beforeStart?: (system: System) => Promise<void>;
}

/** Groups are stopped in this order: producers of events before their consumers. */
const STOP_ORDER: readonly (readonly ProcessName[])[] = [
  ['simulator', 'poller', 'api'],
  ['bus-publisher'],
  ['subscriber'],
  ['gateway-publisher', 'gateway-subscriber'],
  ['broker'],
  ['reporting', 'token'],
];

/** Market, bridge and bus on this machine. Each app is a process of its own. */
export class System {
  private readonly processes = new Map<ProcessName, AppProcess>();
  private stopRequested = false;
  private publisherGatewayDid = '';

  private constructor(
    readonly plan: SystemPlan & { readonly secrets: DevelopmentSecrets },
    private readonly options: SystemOptions,
  ) {}

  /** Creates certificates and keys, starts all apps, and provisions accounts and channels. A failure stops all apps again. */
  static async start(options: SystemOptions): Promise<System> {
    const { folder, progress, scenario, participant = 'WPGENCO' } = options;
    const { operatorConfig: configFile = join(REPOSITORY_ROOT, 'config/bridge.yaml') } = options;
    const databaseUrls = await progress.step('database schemas', () =>
      ensureSchemas(options.databaseAdminUrl, join(folder, 'secrets'), options.retentionDays),
    );
    const plan = await progress.step('certificates and keys', async () => {
      const count = scenario === undefined ? 1 : await countScenarioParticipants(scenario);
      const furtherParticipants = await ensureFurtherParticipants(folder, participant, count);
      return {
        folder,
        ports: options.ports,
        redis: options.redis,
        databaseUrls,
        participant,
        furtherParticipants,
        operatorConfig:
          scenario === undefined
            ? configFile
            : await prepareConfigFile(
                scenario,
                configFile,
                folder,
                furtherParticipants,
                options.overrides?.simulator,
              ),
        certificates: await ensureSandboxCertificates(join(folder, 'tls'), {
          participant,
          now: new Date(),
        }),
        secrets: await ensureDevelopmentSecrets(folder, participant),
        webhook: options.webhook,
        operationsWebhook: options.operationsWebhook,
        scenario,
        pollIntervalMs: options.pollIntervalMs ?? 1_000,
        retentionDays: options.retentionDays,
        overrides: options.overrides,
      };
    });
    const system = new System(plan, options);
    await options.beforeStart?.(system);
    try {
      await system.run();
      return system;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  /** @throws RangeError if the system has no such process */
  process(name: ProcessName): AppProcess {
    const process = this.processes.get(name);
    if (process === undefined) throw new RangeError(`this system has no ${name}`);
    return process;
  }

  /** True once `stop` was called. */
  get stopped(): boolean {
    return this.stopRequested;
  }

  get running(): readonly AppProcess[] {
    return [...this.processes.values()].filter(({ running }) => running);
  }

  /** A client of one of the gateways with every right. The caller closes it. */
  gatewayClient(side: 'publisher' | 'subscriber'): GatewayClient {
    const { ports, secrets } = this.plan;
    return new GatewayClient({
      baseUrl: gatewayUrl(ports, side),
      username: GATEWAY_ADMIN,
      password: secrets.gateways[side].adminPassword,
      timeoutMs: 10_000,
      connections: 8,
    });
  }

  /** CONFIG_FILE and the variables of its senders. Empty DID of the gateway until the bus is provisioned. */
  get configVariables(): Readonly<Record<string, string>> {
    const { operatorConfig, secrets } = this.plan;
    return { CONFIG_FILE: operatorConfig, ...senderVariables(this.publisherGatewayDid, secrets) };
  }

  /** A broker client with the role issuer's key. */
  get brokerAdmin(): BrokerAdmin {
    const { ports, secrets } = this.plan;
    return new BrokerAdmin({ baseUrl: `http://127.0.0.1:${ports.broker}`, key: secrets.issuerKey });
  }

  /** Stops all apps in order. May be called more than once. */
  async stop(): Promise<void> {
    this.stopRequested = true;
    for (const group of STOP_ORDER)
      await Promise.all(group.map(async (name) => this.processes.get(name)?.stop()));
  }

  private async run(): Promise<void> {
    const { progress, scenario } = this.options;
    // Settings of the bridge need the DID of the publisher's gateway, which exists only after the gateway has started.
    const environmentsWithoutDid = buildEnvironments(this.plan, '');
    await progress.step('market and bus', () =>
      this.launch(environmentsWithoutDid, [
        'token',
        'reporting',
        'broker',
        'gateway-publisher',
        'gateway-subscriber',
      ]),
    );
    this.publisherGatewayDid = await progress.step('accounts, roles, channels', async () => {
      const did = this.provisionBus();
      await waitForAll([did, ensureMarketAccounts(this.plan)]);
      return did;
    });
    const environments = buildEnvironments(this.plan, this.publisherGatewayDid);
    const bridge = ['subscriber', 'bus-publisher', 'api'] as const;
    if (scenario === undefined) {
      await progress.step('bridge', () => this.launch(environments, [...bridge, 'poller']));
      return;
    }
    // A poller would report what the timeline announces and the simulator has not loaded yet.
    const isLoaded = await hasBacklog(scenario, this.options.overrides?.simulator);
    const first = isLoaded ? bridge : ([...bridge, 'poller'] as const);
    await progress.step(
      'bridge and simulator',
      () => this.launch(environments, [...first, 'simulator']),
      () => scenario,
    );
    if (isLoaded) await progress.step('poller', () => this.launch(environments, ['poller']));
  }

  private async launch(
    environments: Record<ProcessName, Record<string, string>>,
    names: readonly ProcessName[],
  ): Promise<void> {
    const { launch, onLog, onUnexpectedExit } = this.options;
    // `stop` was called between two steps, so no further app may start.
    if (this.stopped) throw new InterruptedError();
    const started = names.map((name) => {
      const process = new AppProcess({
        name,
        app: APP_BY_PROCESS[name],
        environment: environments[name],
        logFolder: join(this.plan.folder, 'logs'),
        launch,
        onLog,
        onUnexpectedExit: (_, reason) => onUnexpectedExit?.(this, name, reason),
        report: (text) => this.options.progress.print(text),
      });
      this.processes.set(name, process);
      return process.start();
    });
    await waitForAll(started);
  }

  /** Enrols both gateways and creates the channels. @returns the DID of the publisher's gateway */
  private async provisionBus(): Promise<string> {
    const publisher = this.gatewayClient('publisher');
    const subscriber = this.gatewayClient('subscriber');
    try {
      const admin = this.brokerAdmin;
      const publisherDid = await enrolGateway(publisher, admin);
      const subscriberDid = await enrolGateway(subscriber, admin);
      const config = this.loadConfig(publisherDid);
      const rights = { publishers: [publisherDid], subscribers: [subscriberDid] };
      for (const channel of buildChannels(config, rights)) await admin.ensureChannel(channel);
      return publisherDid;
    } finally {
      await publisher.close();
      await subscriber.close();
    }
  }

  private loadConfig(publisherGatewayDid: string): OperatorConfig {
    return loadOperatorConfig(
      this.plan.operatorConfig,
      buildEnvironments(this.plan, publisherGatewayDid).subscriber,
    );
  }
}

/** Waits for all promises, also after a rejection, so that none is pending when the system stops. @throws the first rejection */
async function waitForAll(promises: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(promises)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
