import { freePorts } from '@ssb/dev/free-ports';
import { createTestDatabase, waitFor } from '@ssb/testing';
import {
  type AppProcess,
  type Authority,
  createAuthority,
  type DatabaseUrls,
  ensureMarketAccounts,
  ensureSchemas,
  type LogLine,
  type ProcessName,
  ResourceStack,
} from '@ssb/tools';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import type { DeliveredEvent, RunningSystem } from './running-system.js';
import type { ExpectedEvent, Outcome } from './scenario-outcome.js';

/** Every poll requests everything, so that one poll after a step detects what it published. */
const POLL_INTERVAL_MS = 250;
const SCHEDULE = Object.fromEntries(
  ['EARLY', 'COMMENCED', 'DUE', 'OVERDUE', 'RECHECK', 'LATER_RECHECK', 'RETRY'].map((step) => [
    `SETTLEMENT_${step}_INTERVAL_MS`,
    String(POLL_INTERVAL_MS),
  ]),
);
/** The settings have no access of a participant. */
const NO_ACCESS = {
  PARTICIPANT: '',
  TOKEN_CLIENT_ID: '',
  TOKEN_CLIENT_SECRET: '',
  CLIENT_CERT_FILE: '',
  CLIENT_KEY_FILE: '',
};
/** A scenario lasts 30 s at most. */
const PLAY_TIMEOUT_MS = 150_000;

interface Market {
  readonly reportingUrl: string;
  readonly operatorUrl: string;
}

/** Plays scenarios over one bus, publisher and subscriber. Each has a market, a simulator and a poller of its own. */
export class ScenarioPlayer {
  /** The databases of the markets are created one after another, because they share their roles. */
  private databases: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly running: RunningSystem,
    private readonly authority: Authority,
  ) {}

  static async create(running: RunningSystem): Promise<ScenarioPlayer> {
    const authority = await createAuthority({ name: 'Authority of the scenarios', now: new Date() });
    return new ScenarioPlayer(running, authority);
  }

  /**
   * Plays a scenario to its end, until the webhook has every event of it.
   * @param isTimed whether its steps last as long as written; otherwise the next step begins after two polls
   * @returns the outcome for each participant
   */
  async play(scenario: string, participants: readonly string[], isTimed: boolean): Promise<Outcome[]> {
    const resources = new ResourceStack();
    try {
      const market = await this.startMarket(scenario, resources);
      const simulator = `simulator-${scenario}`;
      const simulation = await this.start(resources, 'simulator', simulator, {
        SCENARIO: scenario,
        STEP: 'true',
        LOG_LEVEL: 'debug',
        PARTICIPANTS: participants.join(','),
        OPERATOR_URL: market.operatorUrl,
        STATE_FILE: join(this.running.folder, `${simulator}.json`),
      });
      let poller: string | undefined;
      const recorders = participants.map(
        (participant) => new StepRecorder(this.running, `poller-${scenario}`, participant),
      );
      for await (const holdMs of this.waitsOf(simulation)) {
        // The bridge starts at the first hold: until then the scenario publishes what was there before.
        if (holdMs > 0) poller ??= await this.startPoller(scenario, participants, market, resources);
        await waitForPolls(poller, isTimed ? holdMs : 0);
        await Promise.all(recorders.map((recorder) => recorder.endStep()));
        simulation.writeLine('');
      }
      // Further polls must announce nothing else.
      await waitForPolls(poller, 0);
      await Promise.all(recorders.map((recorder) => recorder.endStep()));
      return recorders.map(({ participant, steps }) => ({
        steps,
        ...readExpectations(this.running.linesOf(simulator), participant),
      }));
    } finally {
      await resources.release();
    }
  }

  /** The hold of each step, milliseconds, when the simulator waits for the next line. Ends with the scenario. */
  private async *waitsOf({ name }: AppProcess): AsyncGenerator<number, void> {
    for (let index = 0; ; index += 1) {
      const next = await waitFor(
        `step ${index + 1} of ${name}`,
        () => this.running.linesOf(name).filter(({ step }) => step === 'wait' || step === 'summary')[index],
      );
      if (next.step === 'summary') return;
      yield Number(next['ms']);
    }
  }

  /** A reporting API with a database of its own. */
  private async startMarket(scenario: string, resources: ResourceStack): Promise<Market> {
    const created = this.databases.then(() => this.createDatabase(resources));
    this.databases = created.catch(() => undefined);
    const urls = await created;
    const [port, operatorPort] = await freePorts(2);
    const server = await this.authority.issue({
      commonName: scenario,
      hosts: ['127.0.0.1'],
      usage: 'server',
    });
    await this.start(resources, 'reporting', `reporting-${scenario}`, {
      PORT: String(port),
      OPERATOR_PORT: String(operatorPort),
      TLS_CERT_FILE: this.writeFile(`${scenario}.pem`, server.cert),
      TLS_KEY_FILE: this.writeFile(`${scenario}.key`, server.key),
      CLIENT_CA_FILE: this.writeFile('scenarios-ca.pem', this.authority.cert),
      DATABASE_URL: urls.reporting,
    });
    return { reportingUrl: `https://127.0.0.1:${port}`, operatorUrl: `http://127.0.0.1:${operatorPort}` };
  }

  private async createDatabase(resources: ResourceStack): Promise<DatabaseUrls> {
    const database = await createTestDatabase();
    await resources.defer(() => database.close());
    return ensureSchemas(database.adminUrl, join(this.running.folder, 'secrets'));
  }

  /** Starts one poller for all participants. @returns the address of its metrics */
  private async startPoller(
    scenario: string,
    participants: readonly string[],
    { reportingUrl }: Market,
    resources: ResourceStack,
  ): Promise<string> {
    const config = parse(readFileSync(this.running.system.plan.operatorConfig, 'utf8')) as {
      participants: { code: string }[];
    };
    const access = new Map<string, object>();
    for (const participant of participants) access.set(participant, await this.giveAccess(participant));
    const polled = config.participants
      .filter(({ code }) => access.has(code))
      .map((each) => ({ ...each, access: access.get(each.code) }));
    const [port] = await freePorts(1);
    await this.start(resources, 'poller', `poller-${scenario}`, {
      PORT: String(port),
      ...SCHEDULE,
      ...NO_ACCESS,
      CONFIG_FILE: this.writeFile(`${scenario}.yaml`, stringify({ ...config, participants: polled })),
      PRUDENTIAL_URL: reportingUrl,
      SETTLEMENT_URL: reportingUrl,
      REPORTING_CA_FILE: this.writeFile('scenarios-ca.pem', this.authority.cert),
    });
    return `http://127.0.0.1:${port}/metrics`;
  }

  /** Creates account and certificate of a participant. @returns its `access` in CONFIG_FILE */
  private async giveAccess(participant: string): Promise<object> {
    const { plan } = this.running.system;
    const client = { id: participant.toLowerCase(), secret: randomBytes(32).toString('hex') };
    await ensureMarketAccounts({
      ...plan,
      participant,
      secrets: { ...plan.secrets, participantClient: client },
    });
    const { cert, key } = await this.authority.issue({ commonName: participant, usage: 'client' });
    return {
      clientId: client.id,
      clientSecretFile: this.writeFile(`${participant}.secret`, client.secret),
      certFile: this.writeFile(`${participant}.pem`, cert),
      keyFile: this.writeFile(`${participant}.key`, key),
    };
  }

  private async start(
    resources: ResourceStack,
    app: ProcessName,
    name: string,
    settings: Readonly<Record<string, string>>,
  ): Promise<AppProcess> {
    const replica = await this.running.createReplica(app, name, settings);
    await resources.defer(() => replica.stop());
    await replica.start();
    return replica;
  }

  private writeFile(name: string, content: string): string {
    const path = join(this.running.folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }
}

/** What must come for a participant, as the simulator logs it. */
function readExpectations(lines: readonly LogLine[], participant: string): Omit<Outcome, 'steps'> {
  const own = lines.filter((line) => line['participant'] === participant);
  return {
    expected: own.flatMap((line) => (line.step === 'expected-event' ? [toExpectedEvent(line)] : [])),
    calculations: Number(own.find(({ step }) => step === 'expected-calculations')?.['count']),
  };
}

function toExpectedEvent(line: LogLine): ExpectedEvent {
  return {
    type: String(line['eventType']),
    subject: String(line['subject']),
    data: JSON.parse(String(line['detail'])) as ExpectedEvent['data'],
    isUnordered: line['mode'] === 'unordered',
  };
}

/** Divides the deliveries of a participant by the steps of a scenario. */
class StepRecorder {
  readonly steps: (readonly DeliveredEvent[])[] = [];
  private recorded = 0;

  constructor(
    private readonly running: RunningSystem,
    private readonly poller: string,
    readonly participant: string,
  ) {}

  /** Waits until everything that the poller has queued is delivered. */
  async endStep(): Promise<void> {
    const { running, poller, participant } = this;
    const queued = running
      .linesOf(poller)
      .flatMap((line) =>
        line.step === 'queued' && line['participant'] === participant ? [String(line.eventId)] : [],
      );
    await waitFor(
      `every delivery of ${participant}`,
      () => queued.every((id) => running.receiver.has(id)),
      PLAY_TIMEOUT_MS,
    );
    const delivered = running
      .deliveredEvents()
      .filter(
        (event) => event.participant === participant && !event.type.startsWith('settlementbus.bridge.'),
      );
    this.steps.push(delivered.slice(this.recorded));
    this.recorded = delivered.length;
  }
}

/** Waits until the time has passed, and then for two whole polls of each participant and interface. @param poller address of its metrics */
async function waitForPolls(poller: string | undefined, ms: number): Promise<void> {
  await setTimeout(ms);
  if (poller === undefined) return;
  const before = await countPolls(poller);
  // Two polls take longer, and each reading of the metrics costs processor time.
  await setTimeout(2 * POLL_INTERVAL_MS);
  const isPolled = (counts: readonly number[]): boolean =>
    // A poll begins when the previous one has ended.
    counts.every((count, index) => count >= (before[index] ?? 0) + 3);
  await waitFor(
    'two polls of each interface',
    async () => isPolled(await countPolls(poller)),
    PLAY_TIMEOUT_MS,
  );
}

/** The number of started polls of each participant and interface. */
async function countPolls(url: string): Promise<number[]> {
  const metrics = await (await fetch(url)).text();
  return [...metrics.matchAll(/^settlement_bridge_poller_polls_total\{.*\} (\d+)$/gm)].map(([, count]) =>
    Number(count),
  );
}
