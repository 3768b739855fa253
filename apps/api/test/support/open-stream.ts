import { waitFor } from '@ssb/testing';
import type { RunningApi } from './running-api.js';

export interface StreamOptions {
  readonly token?: string;
  readonly lastEventId?: string;
  /** In place of a token. */
  readonly cookie?: string;
}

/** Frames of a stream of Server-Sent Events. */
export class OpenStream {
  private text = '';
  private isOver = false;

  private constructor(
    readonly status: number,
    readonly headers: Headers,
    private readonly abort: AbortController,
  ) {}

  /** Resolves once the response begins, and a stream is connected. */
  static async open(
    api: RunningApi,
    query = '',
    { token, lastEventId, cookie }: StreamOptions = {},
  ): Promise<OpenStream> {
    const abort = new AbortController();
    const response = await fetch(`${api.urls.api}/v1/events/stream${query}`, {
      signal: abort.signal,
      headers: {
        ...(cookie === undefined ? { authorization: `Bearer ${token ?? api.viewer}` } : { cookie }),
        'accept-encoding': 'gzip',
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    });
    const stream = new OpenStream(response.status, response.headers, abort);
    void stream.read(response);
    if (response.status === 200) await stream.until('the stream', () => stream.text.includes(': connected'));
    return stream;
  }

  /** The whole body of a response that is not a stream. */
  async body(): Promise<string> {
    await this.until('the end of the body', () => this.isOver);
    return this.text;
  }

  /** The id with which the stream begins. */
  get firstId(): string | undefined {
    return /^id: (.+)\n: connected$/m.exec(this.text)?.[1];
  }

  /** Ids of the events so far. */
  get ids(): readonly string[] {
    return [...this.text.matchAll(/^id: (.+)\ndata: /gm)].map(([, id]) => id ?? '');
  }

  /** The data of an event. */
  dataOf(id: string): Record<string, unknown> {
    const [, data = '{}'] = new RegExp(`^id: ${id}\ndata: (.+)$`, 'm').exec(this.text) ?? [];
    return JSON.parse(data) as Record<string, unknown>;
  }

  /** Resolves when an event was received. */
  async received(id: string): Promise<void> {
    await this.until(`event ${id}`, () => this.ids.includes(id));
  }

  /** Resolves when the stream ends, with its reason; without a stream, with the status of the response. */
  async ended(): Promise<unknown> {
    await this.until('the end of the stream', () => this.isOver);
    if (this.status !== 200) return this.status;
    const [, data = '{}'] = /^event: end\ndata: (.+)$/m.exec(this.text) ?? [];
    return (JSON.parse(data) as { reason?: unknown }).reason;
  }

  close(): void {
    this.abort.abort();
  }

  private async until(what: string, isReached: () => boolean): Promise<void> {
    await waitFor(() => `${what} in ${this.text}`, isReached);
  }

  private async read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? [])
        this.text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // The test has closed it.
    }
    this.isOver = true;
  }
}
