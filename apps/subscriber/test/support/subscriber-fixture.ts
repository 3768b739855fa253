import type { Message } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { StoredEntries } from './stored-entries.js';
import { FakeGateway } from './fake-gateway.js';
import { startHttpSink, type HttpSink } from '@ssb/testing/sinks';
import {
  createTestEnvironment,
  startSubscriber,
  type ConfigurationChange,
  type RunningSubscriber,
  type TestEnvironment,
} from './running-subscriber.js';
import { openSubscriberDatabase, type SubscriberDatabase } from './subscriber-database.js';

const ACCEPT: Parameters<typeof startHttpSink>[0] = (_, response) => response.writeHead(204).end();

interface Opened {
  readonly storage: SubscriberDatabase;
  readonly queries: StoredEntries;
  readonly sink: HttpSink;
}

/** A database, a gateway and a webhook receiver for subscribers that are started one after the other. `reset` ends each test. */
export class SubscriberFixture {
  /** The response of the webhook receiver. */
  respond = ACCEPT;
  private opened: Opened | undefined;
  private currentGateway = new FakeGateway();
  private gatewayUrl = '';
  private environments: TestEnvironment[] = [];
  private running: RunningSubscriber | undefined;

  /** A fixture for the tests of the calling file, which it resets after each of them. */
  static use(): SubscriberFixture {
    const fixture = new SubscriberFixture();
    beforeAll(() => fixture.open());
    afterEach(() => fixture.reset());
    afterAll(() => fixture.close());
    return fixture;
  }

  async open(): Promise<void> {
    this.gatewayUrl = await this.gateway.start();
    const sink = await startHttpSink((received, response) => this.respond(received, response));
    const storage = await openSubscriberDatabase();
    this.opened = { sink, storage, queries: new StoredEntries(storage.database) };
  }

  get storage(): SubscriberDatabase {
    return this.resources.storage;
  }

  get queries(): StoredEntries {
    return this.resources.queries;
  }

  get sink(): HttpSink {
    return this.resources.sink;
  }

  get gateway(): FakeGateway {
    return this.currentGateway;
  }

  /** Stops the subscriber, replaces the gateway and empties the database. */
  async reset(): Promise<void> {
    await this.stopSubscriber();
    await this.gateway.stop();
    this.currentGateway = new FakeGateway();
    this.gatewayUrl = await this.gateway.start();
    this.sink.requests.length = 0;
    this.respond = ACCEPT;
    for (const environment of this.environments) environment.remove();
    this.environments = [];
    await this.storage.clear();
  }

  environment(change: ConfigurationChange = {}, gatewayUrl = this.gatewayUrl): TestEnvironment {
    const environment = createTestEnvironment(gatewayUrl, this.sink.url, change);
    this.environments.push(environment);
    return environment;
  }

  /** Stops the running subscriber and starts another one on the same database. */
  async start(
    environment: TestEnvironment,
    variables: Readonly<Record<string, string>> = {},
    options: Parameters<typeof startSubscriber>[2] = {},
  ): Promise<RunningSubscriber> {
    await this.stopSubscriber();
    const all = { ...environment.variables, ...variables };
    this.running = await startSubscriber({ ...environment, variables: all }, this.storage.url, options);
    return this.running;
  }

  async stopSubscriber(): Promise<void> {
    await this.running?.stop();
    this.running = undefined;
  }

  /** Delivers messages and waits until they are stored. */
  async deliver(...messages: Message[]): Promise<void> {
    this.gateway.deliver(...messages);
    await waitFor('the acknowledgement', () =>
      messages.every(({ id }) => this.gateway.acknowledged.includes(id)),
    );
  }

  async waitForDeliveries(count: number): Promise<void> {
    await waitFor(`delivery ${count}`, () => this.sink.requests.length >= count);
  }

  /** As `busbridge quarantine recheck`. */
  async requestRecheck(): Promise<void> {
    await this.storage.server.query(
      `INSERT INTO subscriber.request (kind, author) VALUES ('recheck-quarantine', 'jane')`,
    );
  }

  /** Body and marks of each delivery. */
  get deliveries(): { body: string; marks: unknown }[] {
    return this.sink.requests.map(({ body, headers }) => ({ body, marks: headers['bridge-marks'] }));
  }

  /** Participants that the subscriber has seen. */
  async participants(): Promise<readonly unknown[]> {
    return this.storage.database.query('SELECT code FROM participant');
  }

  /** The history of keys, the oldest first. */
  trustedKeys() {
    return this.storage.database.query<{ role: string; did: string; ended: boolean }>(
      'SELECT role, did, trusted_until IS NOT NULL AS ended FROM trusted_key ORDER BY trusted_from',
    );
  }

  async close(): Promise<void> {
    await this.stopSubscriber();
    await this.gateway.stop();
    await this.sink.stop();
    await this.storage.close();
    for (const environment of this.environments) environment.remove();
  }

  private get resources(): Opened {
    if (this.opened === undefined) throw new Error('The fixture is not open.');
    return this.opened;
  }
}
