import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { checkServerIdentity, readResponse, WITHOUT_ENCODING } from '@ssb/net';
import { readConfiguredFile, readSecretFile, type SettingsOf } from '@ssb/platform';
import { Agent, request } from 'undici';
import type { heartbeatSettings } from '../settings.js';

export type HeartbeatSettings = SettingsOf<typeof heartbeatSettings>;

const TIMEOUT_MS = 3_000;
const MAX_REPLICAS = 32;
const MAX_METRICS_BYTES = 16 * 1_048_576;
const METRIC = /^settlement_bridge_subscriber_test_heartbeat_timestamp_seconds\{([^}]*)\} (\d+(?:\.\d+)?)$/gm;

/** The metrics of all replicas of the subscriber. Only the one that reads the channels verifies heartbeats. */
export class SubscriberReplicas {
  /** Why the last replica did not respond; undefined after a response. */
  lastFailure: string | undefined;

  private constructor(
    private readonly settings: HeartbeatSettings,
    private readonly ca: Buffer | undefined,
    private readonly token: Buffer | undefined,
  ) {}

  /** @throws errors of the files */
  static async open(settings: HeartbeatSettings): Promise<SubscriberReplicas> {
    const { SUBSCRIBER_CA_FILE: caFile, SUBSCRIBER_TOKEN_FILE: tokenFile } = settings;
    const ca = caFile === undefined ? undefined : await readConfiguredFile(caFile);
    return new SubscriberReplicas(
      settings,
      ca,
      tokenFile === undefined ? undefined : await readSecretFile(tokenFile),
    );
  }

  /** Time of the newest verified test heartbeat of a participant on a channel, epoch milliseconds; 0 without one. */
  async newest(): Promise<(participant: string, channel: string) => number> {
    const texts = await this.readAll();
    const times = new Map<string, number>();
    for (const text of texts)
      for (const [, labels = '', seconds] of text.matchAll(METRIC)) {
        const ms = Math.round(Number(seconds) * 1_000);
        times.set(labels, Math.max(ms, times.get(labels) ?? 0));
      }
    return (participant, channel) => times.get(`participant="${participant}",channel="${channel}"`) ?? 0;
  }

  private async readAll(): Promise<string[]> {
    const { hostname } = new URL(this.settings.SUBSCRIBER_URL);
    try {
      const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
      const responses = await Promise.allSettled(
        addresses.slice(0, MAX_REPLICAS).map(({ address, family }) => this.read(address, family)),
      );
      const failed = responses.find((response) => response.status === 'rejected');
      const texts = responses.flatMap((response) =>
        response.status === 'fulfilled' ? [response.value] : [],
      );
      this.lastFailure = texts.length === 0 ? describe(failed?.reason) : undefined;
      return texts;
    } catch (error) {
      this.lastFailure = describe(error);
      return [];
    }
  }

  /** The host name stays that of the certificate. */
  private async read(address: string, family: number): Promise<string> {
    const toAddress: LookupFunction = (_host, { all }, callback) =>
      all ? callback(null, [{ address, family }]) : callback(null, address, family);
    const agent = new Agent({
      connect: {
        lookup: toAddress,
        checkServerIdentity,
        timeout: TIMEOUT_MS,
        ...(this.ca && { ca: this.ca }),
      },
    });
    try {
      const response = await request(`${this.settings.SUBSCRIBER_URL}/metrics`, {
        dispatcher: agent,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...WITHOUT_ENCODING,
          ...(this.token && { authorization: `Bearer ${this.token.toString()}` }),
        },
      });
      const text = String(await readResponse(response, MAX_METRICS_BYTES));
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
      return text;
    } finally {
      await agent.destroy();
    }
  }
}

function describe(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
