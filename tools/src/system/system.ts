import { join } from 'node:path';
import { GatewayClient } from '@ssb/bus';
import { loadOperatorConfig, type OperatorConfig } from '@ssb/operator-config';
import { ensureDevelopmentCertificates } from '../provision/development-certificates.js';
import { BrokerAdmin } from '../provision/broker-admin.js';
import { channelsOf, enrolGateway, ensureIdentity } from '../provision/provision-services.js';
import { ensureDevelopmentSecrets, type ProvisionedSecrets } from '../provision/development-secrets.js';
import { ensureSchemas } from '../provision/database-schemas.js';
import { ensureMarketAccounts } from '../provision/market-accounts.js';
import type { Progress } from '../report/progress.js';
import { InterruptedError } from '../lifecycle/resource-stack.js';
import { AppProcess, REPOSITORY, type LogLine } from './app-process.js';
import { environmentsOf, GATEWAY_USER, gatewayUrl, type SystemPlan, type Webhook } from './environments.js';
import { APP_OF, type Ports, type ProcessName } from './processes.js';

export interface SystemOptions {
  readonly folder: string;
  readonly ports: Ports;
  readonly redisUrl: string;
  /** A database in which each app gets a schema, for a role that may make schemas and roles. */
  readonly databaseAdminUrl: string;
  readonly webhook: Webhook;
  readonly progress: Progress;
  /** Scenario of the simulator; no simulator when omitted. */
  readonly scenario?: string;
  readonly participant?: string;
  readonly operatorConfig?: string;
  readonly pollIntervalMs?: number;
  readonly overrides?: SystemPlan['overrides'];
  readonly onLog?: (name: string, line: LogLine) => void;
  readonly onUnexpectedEnd?: (system: System, name: ProcessName, how: string) => void;
  /** Told before the first app starts, so that whoever is asked to stop can stop what there is; a rejection ends the start. */
  readonly onSystem?: (system: System) => Promise<void>;
}

/** Stopped in this order, each group at once: whoever makes work before whoever takes it. */
const STOP_ORDER: readonly (readonly ProcessName[])[] = [
  ['simulator', 'poller'],
  ['bus-publisher'],
  ['subscriber'],
  ['gateway-publisher', 'gateway-subscriber'],
  ['broker'],
  ['reporting', 'token'],
];

/** A whole system on this machine: market, bridge and bus, each app a process of its own. */
export class System {
  private readonly processes = new Map<ProcessName, AppProcess>();
  private stopRequested = false;

  private constructor(
    readonly plan: SystemPlan & { readonly secrets: ProvisionedSecrets },
    private readonly options: SystemOptions,
  ) {}

  /** Makes certificates and keys, starts every app, provisions accounts and the bus. On failure everything is stopped again. */
  static async start(options: SystemOptions): Promise<System> {
    const { folder, progress, participant = 'WPGENCO' } = options;
    const databaseUrls = await progress.step('database schemas', () =>
      ensureSchemas(options.databaseAdminUrl, join(folder, 'secrets')),
    );
    const plan = await progress.step('certificates and keys', async () => ({
      folder,
      ports: options.ports,
      redisUrl: options.redisUrl,
      databaseUrls,
      participant,
      operatorConfig: options.operatorConfig ?? join(REPOSITORY, 'config/bridge.yaml'),
      certificates: await ensureDevelopmentCertificates(join(folder, 'tls'), participant, new Date()),
      secrets: await ensureDevelopmentSecrets(folder, participant),
      webhook: options.webhook,
      scenario: options.scenario,
      pollIntervalMs: options.pollIntervalMs ?? 1_000,
      overrides: options.overrides,
    }));
    const system = new System(plan, options);
    await options.onSystem?.(system);
    try {
      await system.run();
      return system;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  /** A process of the system. @throws RangeError when this system has no such process */
  process(name: ProcessName): AppProcess {
    const found = this.processes.get(name);
    if (found === undefined) throw new RangeError(`this system has no ${name}`);
    return found;
  }

  /** Whether it has been asked to stop. */
  get stopped(): boolean {
    return this.stopRequested;
  }

  get running(): readonly AppProcess[] {
    return [...this.processes.values()].filter(({ running }) => running);
  }

  /** A client of one of the gateways, with its credentials. The caller closes it. */
  gatewayClient(side: 'publisher' | 'subscriber'): GatewayClient {
    const { ports, secrets } = this.plan;
    return new GatewayClient({
      baseUrl: gatewayUrl(ports, side),
      username: GATEWAY_USER,
      password: secrets.gatewayPasswords[side],
      timeoutMs: 10_000,
      connections: 8,
    });
  }

  /** The issuer's own hands at the broker. */
  get brokerAdmin(): BrokerAdmin {
    return new BrokerAdmin(`http://127.0.0.1:${this.plan.ports.broker}`, this.plan.secrets.issuerKey);
  }

  /** Stops every app in order. Harmless when repeated. */
  async stop(): Promise<void> {
    this.stopRequested = true;
    for (const group of STOP_ORDER)
      await Promise.all(group.map(async (name) => this.processes.get(name)?.stop()));
  }

  private async run(): Promise<void> {
    const { progress, scenario } = this.options;
    // The bridge's own settings name the publisher's gateway, which has no identity before it first ran.
    const early = environmentsOf(this.plan, '');
    await progress.step('market and bus', () =>
      this.launch(early, ['token', 'reporting', 'broker', 'gateway-publisher', 'gateway-subscriber']),
    );
    const publisherDid = await progress.step('accounts, roles, channels', async () => {
      const did = this.provisionBus();
      await allDone([did, ensureMarketAccounts(this.plan)]);
      return did;
    });
    const environments = environmentsOf(this.plan, publisherDid);
    const bridge = ['subscriber', 'bus-publisher', 'poller'] as const;
    await progress.step(
      scenario === undefined ? 'bridge' : 'bridge and simulator',
      () => this.launch(environments, scenario === undefined ? bridge : [...bridge, 'simulator']),
      () => scenario ?? '',
    );
  }

  private async launch(
    environments: Record<ProcessName, Record<string, string>>,
    names: readonly ProcessName[],
  ): Promise<void> {
    const { onLog, onUnexpectedEnd } = this.options;
    // Asked to stop between two steps: nothing may come up any more.
    if (this.stopped) throw new InterruptedError();
    const started = names.map((name) => {
      const process = new AppProcess({
        name,
        app: APP_OF[name],
        environment: environments[name],
        logFolder: join(this.plan.folder, 'logs'),
        onLog,
        onUnexpectedEnd: (_, how) => onUnexpectedEnd?.(this, name, how),
      });
      this.processes.set(name, process);
      return process.start();
    });
    await allDone(started);
  }

  /** Enrols both gateways and makes the channels. @returns the DID of the publisher's gateway */
  private async provisionBus(): Promise<string> {
    const publisher = this.gatewayClient('publisher');
    const subscriber = this.gatewayClient('subscriber');
    try {
      const admin = this.brokerAdmin;
      const publisherDid = await enrolGateway(publisher, admin);
      const subscriberDid = await enrolGateway(subscriber, admin);
      const config = this.operatorConfig(publisherDid);
      const rights = { publishers: [publisherDid], subscribers: [subscriberDid] };
      for (const channel of channelsOf(config, rights)) await admin.ensureChannel(channel);
      return await ensureIdentity(publisher);
    } finally {
      await publisher.close();
      await subscriber.close();
    }
  }

  private operatorConfig(publisherGatewayDid: string): OperatorConfig {
    return loadOperatorConfig(
      this.plan.operatorConfig,
      environmentsOf(this.plan, publisherGatewayDid).poller,
    );
  }
}

/** Waits for all, also after a failure, so that nothing is still at work when the system is stopped. @throws the first failure */
async function allDone(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
