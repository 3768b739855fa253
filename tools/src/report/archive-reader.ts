import { retry } from '@ssb/net';
import { readFileSync } from 'node:fs';
import type { ArchivedEvent } from './event-lines.js';

const TIMEOUT_MS = 5_000;
const RETRY_INTERVAL_MS = 250;
/** The API may start after the first event. */
const MAX_ATTEMPTS_AT_START = 60;
const MAX_ATTEMPTS = 3;

/** Reads archived events from the archive API: logs have no figures. */
export class ArchiveReader {
  private readonly stopping = new AbortController();
  private maxAttempts = MAX_ATTEMPTS_AT_START;

  private tokenFile = '';

  /** @param url of the archive API */
  constructor(private readonly url: string) {}

  /** A file with a token of the API. */
  useToken(file: string): void {
    this.tokenFile = file;
  }

  /** Undefined when the API does not respond, or after `stop`. */
  async read(id: string): Promise<ArchivedEvent | undefined> {
    const { signal } = this.stopping;
    const delayMs = (_: unknown, failed: number): number | undefined =>
      failed < this.maxAttempts ? RETRY_INTERVAL_MS : undefined;
    try {
      const event = await retry(() => this.request(id), { delayMs, signal });
      this.maxAttempts = MAX_ATTEMPTS;
      return event;
    } catch {
      this.maxAttempts = 1;
      return undefined;
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  private async request(id: string): Promise<ArchivedEvent> {
    const token = readFileSync(this.tokenFile, 'utf8').trim();
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(`${this.url}/v1/events/${id}`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    if (!response.ok) throw new Error(`the archive API responds with ${response.status}`);
    const { participant, event } = (await response.json()) as {
      readonly participant: string;
      readonly event: { readonly data: unknown };
    };
    return { participant, data: event.data };
  }
}
