import { HttpReceiver, isHttpAddress, type DeliveryOutcome } from '@ssb/net';
import type { SinkContext } from './sink-kind.js';

export interface JsonPosterOptions {
  /** Read for each attempt, because its file can change. */
  readonly url: () => string;
  readonly context: SinkContext;
  /** Texts that no outcome may contain. */
  readonly secrets?: () => readonly string[];
  /** Request headers, names in lower case. */
  readonly headers?: () => Readonly<Record<string, string>>;
}

/** The text of a file with an address. */
export const ADDRESS = {
  test: (text: string) =>
    /^[\x21-\x7e]+$/.test(text) && isHttpAddress(text, { query: true, credentials: false, tls: true }),
  must: 'an address that begins with https://, in visible ASCII characters',
};

/** Posts JSON to the address of a sink. */
export class JsonPoster {
  private opened: { readonly url: string; readonly receiver: HttpReceiver } | undefined;

  constructor(private readonly options: JsonPosterOptions) {}

  /** Makes one attempt. Never rejects because of the receiver or the network. */
  post(payload: object, signal: AbortSignal): Promise<DeliveryOutcome> {
    const headers = { 'content-type': 'application/json' };
    return this.receiver().post({ headers, body: JSON.stringify(payload) }, signal);
  }

  async close(): Promise<void> {
    await this.opened?.receiver.close();
  }

  /** An attempt to the former address ends when the address changes, and is repeated. */
  private receiver(): HttpReceiver {
    const { url: urlOf, context, secrets, headers } = this.options;
    const url = urlOf();
    if (this.opened?.url === url) return this.opened.receiver;
    void this.opened?.receiver.close();
    const { timeoutMs, responseLimitBytes, connections, files } = context;
    const receiver = new HttpReceiver({
      url,
      timeoutMs,
      responseLimitBytes,
      connections,
      connection: files.connection,
      headers: () => ({ headers: headers?.() ?? {}, secrets: [url, ...(secrets?.() ?? [])] }),
    });
    this.opened = { url, receiver };
    return receiver;
  }
}
