import { startPublicGateway, waitFor, type PublicGateway } from '@ssb/testing';
import { PASSWORD, USERNAME } from './fake-gateway.js';
import type { RunningSubscriber, startSubscriber, TestEnvironment } from './running-subscriber.js';
import { CHANNEL, gateway as sender, signedEvent } from '@ssb/testing/signed-messages';
import type { SubscriberDatabase } from './subscriber-database.js';
import { SubscriberFixture } from './subscriber-fixture.js';

export type GatewayOptions = Parameters<typeof startPublicGateway>[0];

interface Alert {
  readonly type: string;
  readonly data: { readonly reason: string; readonly channel?: string; readonly detail?: string };
}

const MINUTE_MS = 60_000;
let events = 0;

/** The public gateway, and subscribers that are started one after the other. */
export class PlainFixture {
  private readonly fixture = new SubscriberFixture();
  private environment: TestEnvironment | undefined;
  private opened: PublicGateway | undefined;
  private running: RunningSubscriber | undefined;

  open(): Promise<void> {
    return this.fixture.open();
  }

  get storage(): SubscriberDatabase {
    return this.fixture.storage;
  }

  get gateway(): PublicGateway {
    if (this.opened === undefined) throw new Error('The test did not open the gateway.');
    return this.opened;
  }

  get subscriber(): RunningSubscriber {
    if (this.running === undefined) throw new Error('The test did not start the subscriber.');
    return this.running;
  }

  async openGateway(options: GatewayOptions = {}, channels = [CHANNEL]): Promise<PublicGateway> {
    this.opened = await startPublicGateway({ username: USERNAME, password: PASSWORD, ...options });
    for (const channel of channels) this.opened.addChannel(channel);
    const change = { webhookTypes: ['settlementbus.bridge.alert.*'], channels };
    this.environment = this.fixture.environment(change, this.opened.url);
    return this.opened;
  }

  /** Stops the running subscriber and starts another one. */
  async start(
    variables: Readonly<Record<string, string>> = {},
    catchUpLimits: NonNullable<Parameters<typeof startSubscriber>[2]>['catchUpLimits'] = {},
  ): Promise<RunningSubscriber> {
    if (this.environment === undefined) throw new Error('The test did not open the gateway.');
    this.running = await this.fixture.start(this.environment, variables, { catchUpLimits });
    return this.running;
  }

  /** Starts a subscriber and waits until it is connected and has read the channel. */
  async startReading(...options: Parameters<PlainFixture['start']>): Promise<RunningSubscriber> {
    const subscriber = await this.start(...options);
    await this.waitForLine('catch-up completed');
    await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
    return subscriber;
  }

  stopSubscriber(): Promise<void> {
    return this.fixture.stopSubscriber();
  }

  /** Publishes new margin events, each of another subject. @returns their ids */
  publish(count: number, channel = CHANNEL): string[] {
    return Array.from({ length: count }, () => {
      events += 1;
      const calculatedAt = new Date(Date.parse('2026-01-01T00:00:00Z') + events * MINUTE_MS);
      const fact = { calculatedAt: calculatedAt.toISOString().slice(0, 19) };
      const event = signedEvent({ fact, signedAt: new Date(), signedFor: { channel } });
      this.gateway.append(channel, {
        topic: String(event['topic']),
        payload: JSON.stringify(event),
        signer: sender,
      });
      return String(event['id']);
    });
  }

  /** Waits until exactly these events are archived, each once. */
  async waitForArchived(ids: readonly string[]): Promise<void> {
    const missing = async () => {
      const archived = new Set(await this.archivedIds());
      return ids.filter((id) => !archived.has(id));
    };
    await waitFor('the events', async () => (await missing()).length === 0);
    expect([...(await this.archivedIds())].toSorted()).toEqual([...ids].toSorted());
  }

  async archivedIds(): Promise<string[]> {
    const rows = await this.storage.database.query<{ event_id: string }>(
      "SELECT event_id FROM archive WHERE channel <> 'local'",
    );
    return rows.map(({ event_id }) => event_id);
  }

  lines(message: string): Record<string, unknown>[] {
    return this.subscriber.lines.filter(({ msg }) => msg === message);
  }

  async waitForLine(message: string, count = 1): Promise<Record<string, unknown>> {
    await waitFor(`"${message}"`, () => this.lines(message).length >= count);
    return this.lines(message)[count - 1] ?? {};
  }

  /** The alert of a reason that was delivered. */
  waitForAlert(kind: 'raised' | 'cleared', reason: string): Promise<Alert> {
    return waitFor(`the alert ${reason}`, () =>
      this.fixture.deliveries
        .map(({ body }) => JSON.parse(body) as Alert)
        .find(({ type, data }) => type.includes(`.${kind}.`) && data.reason === reason),
    );
  }

  /** Queries of the reads of messages. */
  reads(): URLSearchParams[] {
    return this.gateway.requests
      .filter(({ method, path }) => method === 'GET' && path === '/api/v1/message')
      .map(({ query }) => new URLSearchParams(query));
  }

  async metric(name: string): Promise<number> {
    const line = (await this.subscriber.metrics()).split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.split(' ').at(-1) ?? NaN);
  }

  /** Ends the subscriber and the gateway of one test. */
  async reset(): Promise<void> {
    await this.fixture.reset();
    await this.opened?.stop();
    this.opened = undefined;
  }

  close(): Promise<void> {
    return this.fixture.close();
  }
}
