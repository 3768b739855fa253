import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HeldRequest {
  readonly webhookId: string;
  readonly body: string;
  /** Of the event in the body. */
  readonly subject: string;
  /** Answers with 204. Harmless when repeated. */
  answer(): void;
}

/** A webhook receiver that answers when the test says so. */
export class HeldReceiver {
  readonly requests: HeldRequest[] = [];
  /** Whether requests that come from now on wait for `answer`. */
  holds = false;
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      this.receive(String(request.headers['webhook-id']), Buffer.concat(chunks).toString(), response),
    );
  });

  /** @returns its address */
  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  /** Answers everything that waits, and from now on at once. */
  release(): void {
    this.holds = false;
    for (const request of this.requests) request.answer();
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private receive(webhookId: string, body: string, response: ServerResponse): void {
    const answer = (): void => {
      if (!response.headersSent) response.writeHead(204).end();
    };
    const { subject } = JSON.parse(body) as { subject: string };
    this.requests.push({ webhookId, body, subject, answer });
    if (!this.holds) answer();
  }
}
