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

/** A scenario of the simulator, and who takes part in it. */
export interface PlayedScenario {
  readonly name: string;
  readonly participants: readonly string[];
  /** Whether its steps last as long as written. Otherwise the next step begins after two polls. */
  readonly isTimed: boolean;
}

/** Plays scenarios over one bus, publisher and subscriber. Those that play together share a market and a poller. */
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
   * Plays scenarios to their ends, until the webhook has every event of them.
   * @param group names the processes that the scenarios share
   * @returns the outcomes of each scenario for each of its participants
   */
  async play(group: string, scenarios: readonly PlayedScenario[]): Promise<Map<string, Outcome[]>> {
    const resources = new ResourceStack();
    try {
      const market = await this.startMarket(group, resources);
      const plays = await Promise.all(
        scenarios.map((scenario) => this.startScenario(scenario, group, market, resources)),
      );
      // The bridge starts at the first hold: until then a scenario publishes what was there before.
      await Promise.all(plays.map((play) => play.playUntilHold()));
      const participants = scenarios.flatMap((scenario) => scenario.participants);
      const polls = await this.startPoller(group, participants, market, resources);
      const outcomes = await Promise.all(plays.map((play) => play.playToEnd(polls)));
      return new Map(scenarios.map(({ name }, index) => [name, outcomes[index] ?? []]));
    } finally {
      await resources.release();
    }
  }

  private async startScenario(
    scenario: PlayedScenario,
    group: string,
    { operatorUrl }: Market,
    resources: ResourceStack,
  ): Promise<ScenarioPlay> {
    const simulator = `simulator-${scenario.name}`;
    const simulation = await this.start(resources, 'simulator', simulator, {
      SCENARIO: scenario.name,
      STEP: 'true',
      LOG_LEVEL: 'debug',
      PARTICIPANTS: scenario.participants.join(','),
      OPERATOR_URL: operatorUrl,
      STATE_FILE: join(this.running.folder, `${simulator}.json`),
    });
    return new ScenarioPlay(this.running, scenario, simulation, `poller-${group}`);
  }

  /** A reporting API with a database of its own. */
  private async startMarket(group: string, resources: ResourceStack): Promise<Market> {
    const created = this.databases.then(() => this.createDatabase(resources));
    this.databases = created.catch(() => undefined);
    const urls = await created;
    const [port, operatorPort] = await freePorts(2);
    const server = await this.authority.issue({
      commonName: group,
      hosts: ['127.0.0.1'],
      usage: 'server',
    });
    await this.start(resources, 'reporting', `reporting-${group}`, {
      PORT: String(port),
      OPERATOR_PORT: String(operatorPort),
      TLS_CERT_FILE: this.writeFile(`${group}.pem`, server.cert),
      TLS_KEY_FILE: this.writeFile(`${group}.key`, server.key),
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

  /** Starts one poller for all participants. */
  private async startPoller(
    group: string,
    participants: readonly string[],
    { reportingUrl }: Market,
    resources: ResourceStack,
  ): Promise<Polls> {
    const config = parse(readFileSync(this.running.system.plan.operatorConfig, 'utf8')) as {
      participants: { code: string }[];
    };
    const access = new Map<string, object>();
    for (const participant of participants) access.set(participant, await this.giveAccess(participant));
    const polled = config.participants
      .filter(({ code }) => access.has(code))
      .map((each) => ({ ...each, access: access.get(each.code) }));
    const [port] = await freePorts(1);
    await this.start(resources, 'poller', `poller-${group}`, {
      PORT: String(port),
      ...SCHEDULE,
      ...NO_ACCESS,
      CONFIG_FILE: this.writeFile(`${group}.yaml`, stringify({ ...config, participants: polled })),
      PRUDENTIAL_URL: reportingUrl,
      SETTLEMENT_URL: reportingUrl,
      REPORTING_CA_FILE: this.writeFile('scenarios-ca.pem', this.authority.cert),
    });
    return new Polls(`http://127.0.0.1:${port}/metrics`);
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

/** One scenario that is being played. */
class ScenarioPlay {
  private readonly recorders: readonly StepRecorder[];
  private holds = 0;

  constructor(
    private readonly running: RunningSystem,
    private readonly scenario: PlayedScenario,
    private readonly simulation: AppProcess,
    poller: string,
  ) {
    this.recorders = scenario.participants.map(
      (participant) => new StepRecorder(running, poller, participant),
    );
  }

  /** Plays the steps before the first hold. */
  async playUntilHold(): Promise<void> {
    while ((await this.waitForHold()) === 0) await this.endStep();
  }

  async playToEnd(polls: Polls): Promise<Outcome[]> {
    const { participants, isTimed } = this.scenario;
    for (let ms = await this.waitForHold(); ms !== undefined; ms = await this.waitForHold()) {
      await setTimeout(isTimed ? ms : 0);
      await polls.waitForNext(participants);
      await this.endStep();
    }
    // Further polls must announce nothing else.
    await polls.waitForNext(participants);
    await this.recordStep();
    const lines = this.running.linesOf(this.simulation.name);
    return this.recorders.map(({ participant, steps }) => ({
      steps,
      ...readExpectations(lines, participant),
    }));
  }

  /** Waits until the simulator waits for the next line. @returns the hold of the step, milliseconds; undefined at the end of the scenario */
  private async waitForHold(): Promise<number | undefined> {
    const { name } = this.simulation;
    const { step, ms } = await waitFor(
      `step ${this.holds + 1} of ${name}`,
      () =>
        this.running.linesOf(name).filter((line) => line.step === 'wait' || line.step === 'summary')[
          this.holds
        ],
    );
    return step === 'summary' ? undefined : Number(ms);
  }

  private async endStep(): Promise<void> {
    await this.recordStep();
    this.holds += 1;
    this.simulation.writeLine('');
  }

  private async recordStep(): Promise<void> {
    await Promise.all(this.recorders.map((recorder) => recorder.endStep()));
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

/** The polls of a poller, as its metrics count them. */
class Polls {
  private reading: Promise<string> | undefined;

  constructor(private readonly metricsUrl: string) {}

  /** Waits for two whole polls of each interface of these participants. */
  async waitForNext(participants: readonly string[]): Promise<void> {
    const before = countPolls(await this.readMetrics(), participants);
    // Two polls take longer, and each reading of the metrics costs processor time.
    await setTimeout(2 * POLL_INTERVAL_MS);
    await waitFor(
      `two polls of each interface for ${participants.join(' and ')}`,
      async () => {
        const counts = countPolls(await this.readMetricsTogether(), participants);
        // A poll begins when the previous one has ended.
        return counts.every((count, index) => count >= (before[index] ?? 0) + 3);
      },
      PLAY_TIMEOUT_MS,
    );
  }

  /** Scenarios that wait at the same time share a reading. */
  private readMetricsTogether(): Promise<string> {
    this.reading ??= this.readMetrics().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readMetrics(): Promise<string> {
    return (await fetch(this.metricsUrl)).text();
  }
}

/** The number of started polls of each interface of these participants. */
function countPolls(metrics: string, participants: readonly string[]): number[] {
  return [...metrics.matchAll(/^settlement_bridge_poller_polls_total\{(.*)\} (\d+)$/gm)]
    .filter(([, labels = '']) => participants.some((code) => labels.includes(`participant="${code}"`)))
    .map(([, , count]) => Number(count));
}
